#pragma once
// Ids of boxes, templates and secrets. They have letters and digits only, because the id of a box
// is part of a host name.

#include <optional>
#include <string>
#include <string_view>

namespace viv::boxes {

std::string NewBoxId();       // "i" and 20 of [a-z0-9]
std::string NewTemplateId();  // 20 of [a-z0-9]
// The id as a UUID, for vendors that use UUIDs. The mapping is reversible, so nothing is stored.
std::string UuidOfBox(std::string_view id);
std::optional<std::string> BoxOfUuid(std::string_view uuid);  // any case; nothing when it is none
// A template's or snapshot's id, the same way.
std::string UuidOfTemplate(std::string_view id);
std::optional<std::string> TemplateOfUuid(std::string_view uuid);
std::string
NewKernelName();  // for the cgroup, socket and listeners of one start of a box: 12 of [a-z0-9]

}  // namespace viv::boxes
