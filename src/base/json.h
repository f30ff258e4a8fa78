#pragma once
// JSON is Boost.JSON. Foreign text goes through ParseJson, which limits depth and names the place
// of an error.

#include <cstddef>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/result.h"

namespace viv {

namespace json = boost::json;

constexpr std::size_t kJsonDepthMax = 64;

// Fails with kInvalidArgument on anything but one complete JSON document in valid UTF-8.
Result<json::value> ParseJson(std::string_view text, std::size_t depth_max = kJsonDepthMax);

// One line of text. Unlike Boost's own serialize it writes 1.5 as 1.5, not 1.5E0: people and agents
// read it.
std::string WriteJson(const json::value& value);

// Two-space indented text, as JSON.stringify(value, null, 2) writes it.
std::string PrettyJson(const json::value& value);

// Appends `text` as a JSON string, with its quotes.
void AppendJsonString(std::string& out, std::string_view text);

// The member, or nullptr when `value` is no object or has none of that name.
const json::value* Find(const json::value& value, std::string_view name);

// The member's text; empty when it is absent or no string.
std::string_view FindString(const json::value& value, std::string_view name);

inline std::string_view View(const json::string& text) {
  return {text.data(), text.size()};
}

}  // namespace viv
