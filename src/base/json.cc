#include "base/json.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include <boost/json/parser.hpp>

namespace viv {
namespace {

// A double in its shortest usual form; a whole one keeps its ".0", so that it stays a real number.
void AppendDouble(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";  // JSON has no other word for it
  } else if (std::trunc(value) == value && std::fabs(value) < 1e15) {
    fmt::format_to(std::back_inserter(out), "{:.1f}", value);
  } else {
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
}

class Writer {
 public:
  explicit Writer(bool pretty) : pretty_(pretty) {}

  void Write(const json::value& value, std::size_t depth) {
    switch (value.kind()) {
      case json::kind::object:
        return Object(value.get_object(), depth);
      case json::kind::array:
        return Array(value.get_array(), depth);
      case json::kind::string:
        return AppendJsonString(out_, View(value.get_string()));
      case json::kind::double_:
        return AppendDouble(out_, value.get_double());
      case json::kind::int64:
        fmt::format_to(std::back_inserter(out_), "{}", value.get_int64());
        return;
      case json::kind::uint64:
        fmt::format_to(std::back_inserter(out_), "{}", value.get_uint64());
        return;
      case json::kind::bool_:
        out_ += value.get_bool() ? "true" : "false";
        return;
      case json::kind::null:
        out_ += "null";
        return;
    }
  }

  std::string Take() { return std::move(out_); }

 private:
  void Object(const json::object& object, std::size_t depth) {
    out_ += '{';
    bool first = true;
    for (const auto& member : object) {
      Next(first, depth + 1);
      AppendJsonString(out_, member.key());
      out_ += pretty_ ? ": " : ":";
      Write(member.value(), depth + 1);
    }
    if (!object.empty()) Break(depth);
    out_ += '}';
  }

  void Array(const json::array& array, std::size_t depth) {
    out_ += '[';
    bool first = true;
    for (const json::value& item : array) {
      Next(first, depth + 1);
      Write(item, depth + 1);
    }
    if (!array.empty()) Break(depth);
    out_ += ']';
  }

  void Next(bool& first, std::size_t depth) {
    if (!first) out_ += ',';
    first = false;
    Break(depth);
  }

  void Break(std::size_t depth) {
    if (!pretty_) return;
    out_ += '\n';
    out_.append(depth * 2, ' ');
  }

  bool pretty_;
  std::string out_;
};

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

std::string WriteJson(const json::value& value) {
  Writer writer(false);
  writer.Write(value, 0);
  return writer.Take();
}

std::string PrettyJson(const json::value& value) {
  Writer writer(true);
  writer.Write(value, 0);
  return writer.Take();
}

void AppendJsonString(std::string& out, std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += '"';
  std::size_t plain = 0;  // where the run of characters that need no escape began
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text, plain, i - plain);
    plain = i + 1;
    out += '\\';
    switch (c) {
      case '"':
        out += '"';
        break;
      case '\\':
        out += '\\';
        break;
      case '\n':
        out += 'n';
        break;
      case '\r':
        out += 'r';
        break;
      case '\t':
        out += 't';
        break;
      case '\b':
        out += 'b';
        break;
      case '\f':
        out += 'f';
        break;
      default:
        out += "u00";
        out += kDigits[c >> 4];
        out += kDigits[c & 15];
    }
  }
  out.append(text, plain, text.size() - plain);
  out += '"';
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
