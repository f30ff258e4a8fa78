#pragma once
// Members of a JSON object as text. A proxy between two JSON-RPC peers changes an id or a token and
// leaves the rest as it was written: numbers that do not fit a double, the order of members,
// everything. The text must be valid JSON; in other text no member is found.

#include <optional>
#include <string>
#include <string_view>

namespace viv::rpc {

// The value of the member as it stands in `object`; of several the last, as parsers do. Names are
// compared as written, so one with escapes is not found.
std::optional<std::string_view> FindMember(std::string_view object, std::string_view name);

// `object` with `value` in place of the part of it that `place` is.
std::string ReplacePart(std::string_view object, std::string_view place, std::string_view value);

// `object` with one more member, `"name":value`, in front.
std::string WithMember(std::string object, std::string_view member);

}  // namespace viv::rpc
