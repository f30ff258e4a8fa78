#pragma once
// Names of boxes and templates: letters and digits only, since one of them is part of a host name.

#include <string>
#include <string_view>

namespace viv::sandbox {

std::string NewBoxId();       // "i" and 20 of [a-z0-9]
std::string NewTemplateId();  // 20 of [a-z0-9]
std::string NewPlaceName();   // for what the kernel knows of a box: 12 of [a-z0-9]

}  // namespace viv::sandbox
