#include "http/fields.h"

#include <cmath>

#include "base/text.h"

namespace viv::http {

Fields::Fields(const Request& request, Body need) {
  if (Trim(request.body).empty()) {
    body_ = json::object();
    if (need == Body::kRequired) Refuse("The request needs a JSON body");
    return;
  }
  auto parsed = ParseJson(request.body);
  if (!parsed) {
    Refuse("Cannot read the request body: " + parsed.error().message);
  } else if (!parsed->is_object()) {
    Refuse("Cannot read the request body: a JSON object is expected");
  } else {
    body_ = std::move(*parsed);
  }
}

Fields::Fields(const json::value& object, std::string path)
    : body_(object), path_(std::move(path)) {
  if (body_.is_object()) return;
  field_ = path_;
  Refuse(path_.empty() ? "a JSON object is expected" : path_ + ": an object is expected");
}

void Fields::Refuse(std::string message) {
  if (ok()) status_ = Fail(ErrorCode::kInvalidArgument, std::move(message));
}

std::string Fields::Named(std::string_view name) const {
  return path_.empty() ? std::string(name) : path_ + '.' + std::string(name);
}

void Fields::RefuseType(std::string_view name, std::string_view wanted) {
  RefuseField(name, std::string(wanted) + " is expected");
}

void Fields::RefuseField(std::string_view name, std::string_view message) {
  if (!ok()) return;
  field_ = Named(name);
  Refuse(field_ + ": " + std::string(message));
}

const json::value* Fields::Member(std::string_view name) {
  if (!ok()) return nullptr;
  const json::value* found = Find(body_, name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::optional<std::string> Fields::Text(std::string_view name) {
  const json::value* value = Member(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return std::string(View(value->get_string()));
  RefuseType(name, "text");
  return std::nullopt;
}

std::optional<bool> Fields::Flag(std::string_view name) {
  const json::value* value = Member(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_bool()) return value->get_bool();
  RefuseType(name, "true or false");
  return std::nullopt;
}

std::optional<std::int64_t> Fields::Integer(std::string_view name) {
  const json::value* value = Member(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_int64()) return value->get_int64();
  // Python's clients may write 60.0.
  if (value->is_double() && std::trunc(value->get_double()) == value->get_double() &&
      std::abs(value->get_double()) < 9e15) {
    return static_cast<std::int64_t>(value->get_double());
  }
  RefuseType(name, "a whole number");
  return std::nullopt;
}

std::optional<std::int64_t> Fields::Integer(std::string_view name,
                                            std::int64_t least,
                                            std::int64_t most) {
  std::optional<std::int64_t> value = Integer(name);
  if (!value || (*value >= least && *value <= most)) return value;
  RefuseType(name, "a number from " + std::to_string(least) + " to " + std::to_string(most));
  return std::nullopt;
}

std::map<std::string, std::string> Fields::Texts(std::string_view name) {
  std::map<std::string, std::string> texts;
  const json::object* object = Object(name);
  if (object == nullptr) return texts;
  for (const auto& member : *object) {
    if (!member.value().is_string()) {
      RefuseType(std::string(name) + "." + Printable(member.key(), 64), "text");
      return {};
    }
    texts.emplace(member.key(), View(member.value().get_string()));
  }
  return texts;
}

std::vector<std::string> Fields::List(std::string_view name) {
  std::vector<std::string> list;
  const json::array* array = Array(name);
  if (array == nullptr) return list;
  for (const json::value& item : *array) {
    if (!item.is_string()) {
      RefuseType(name, "a list of texts");
      return {};
    }
    list.emplace_back(View(item.get_string()));
  }
  return list;
}

const json::object* Fields::Object(std::string_view name) {
  const json::value* value = Member(name);
  if (value == nullptr) return nullptr;
  if (value->is_object()) return &value->get_object();
  RefuseType(name, "an object");
  return nullptr;
}

const json::array* Fields::Array(std::string_view name) {
  const json::value* value = Member(name);
  if (value == nullptr) return nullptr;
  if (value->is_array()) return &value->get_array();
  RefuseType(name, "a list");
  return nullptr;
}

}  // namespace viv::http
