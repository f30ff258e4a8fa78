#include "base/json.h"

#include <boost/json/parser.hpp>

namespace viv {
namespace {

void Indent(std::string& out, int depth) {
  out += '\n';
  out.append(static_cast<std::size_t>(depth) * 2, ' ');
}

void Write(std::string& out, const json::value& value, int depth) {
  if (const json::object* object = value.if_object(); object != nullptr && !object->empty()) {
    out += '{';
    bool first = true;
    for (const auto& member : *object) {
      if (!first) out += ',';
      first = false;
      Indent(out, depth + 1);
      out += json::serialize(json::string(member.key()));
      out += ": ";
      Write(out, member.value(), depth + 1);
    }
    Indent(out, depth);
    out += '}';
  } else if (const json::array* array = value.if_array(); array != nullptr && !array->empty()) {
    out += '[';
    bool first = true;
    for (const json::value& item : *array) {
      if (!first) out += ',';
      first = false;
      Indent(out, depth + 1);
      Write(out, item, depth + 1);
    }
    Indent(out, depth);
    out += ']';
  } else {
    out += json::serialize(value);
  }
}

}  // namespace

Result<json::value> ParseJson(std::string_view text, std::size_t depth_max) {
  json::parse_options options;
  options.max_depth = depth_max;
  json::parser parser({}, options);
  boost::system::error_code error;
  std::size_t read = parser.write_some(text.data(), text.size(), error);
  if (!error && read < text.size()) error = json::error::extra_data;
  if (error) {
    return Fail(ErrorCode::kInvalidArgument,
                "invalid JSON at byte " + std::to_string(read) + ": " + error.message());
  }
  return parser.release();
}

std::string PrettyJson(const json::value& value) {
  std::string out;
  Write(out, value, 0);
  return out;
}

const json::value* Find(const json::value& value, std::string_view name) {
  const json::object* object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

std::string_view FindString(const json::value& value, std::string_view name) {
  const json::value* member = Find(value, name);
  return member != nullptr && member->is_string() ? View(member->get_string()) : std::string_view();
}

}  // namespace viv
