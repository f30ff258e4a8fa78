#pragma once
// Reads a JSON body member by member. The first member of a wrong type is remembered, and every
// later read returns nothing: a handler reads all the members it needs and checks once whether that
// worked. A null counts as an absent member.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "http/message.h"

namespace viv::http {

class Fields {
 public:
  enum class Body { kRequired, kOptional };  // optional: an empty one is {}
  Fields(const Request& request, Body need);
  // The members of an object within a body; `path` names it in messages ("network").
  Fields(const json::value& object, std::string path);

  bool ok() const { return status_.has_value(); }
  const Error& error() const { return status_.error(); }
  const Status& status() const { return status_; }

  std::optional<std::string> Text(std::string_view name);
  std::optional<bool> Flag(std::string_view name);
  std::optional<std::int64_t> Integer(std::string_view name);
  // Refused outside of [least, most].
  std::optional<std::int64_t> Integer(std::string_view name, std::int64_t least, std::int64_t most);
  std::map<std::string, std::string> Texts(std::string_view name);  // {"a": "b"}
  std::vector<std::string> List(std::string_view name);             // ["a"]
  const json::object* Object(std::string_view name);
  const json::array* Array(std::string_view name);

  void Refuse(std::string message);
  // The same about one member, whose name is put before the message.
  void RefuseField(std::string_view name, std::string_view message);
  // The path of the member that was refused first: "files.0.url"; empty when it was the body.
  const std::string& field() const { return field_; }

 private:
  const json::value* Member(std::string_view name);
  void RefuseType(std::string_view name, std::string_view wanted);
  std::string Named(std::string_view name) const;

  json::value body_;
  std::string path_;
  Status status_;
  std::string field_;
};

}  // namespace viv::http
