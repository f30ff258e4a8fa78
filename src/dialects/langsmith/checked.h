#pragma once
// Reads the members of a request's JSON and records the path of an invalid one, which the vendor's
// errors contain ("loc"). Readers of one body share one FieldErrors, which keeps the first error;
// invalid members read as empty, so that a validator reads all members and checks for errors once.
// A member that is null counts as absent.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "base/json.h"

namespace viv::langsmith {

using FieldPath =
    std::vector<std::string>;  // {"proxy_config", "rules", "0", "name"}, without "body"

// Rendered by InvalidField of errors.h.
struct FieldError {
  FieldPath where;
  std::string message;
};

template <typename T>
using Checked = tl::expected<T, FieldError>;

inline tl::unexpected<FieldError> FailField(FieldPath where, std::string message) {
  return tl::unexpected<FieldError>(FieldError{std::move(where), std::move(message)});
}

class FieldErrors {
 public:
  bool none() const { return !first_.has_value(); }
  const FieldError& first() const { return *first_; }
  void Add(FieldPath where, std::string message);

 private:
  std::optional<FieldError> first_;
};

// The members of one object; any other value is an error at `path`.
class Members {
 public:
  Members(const json::value& object, FieldPath path, FieldErrors& field_errors);

  bool Has(std::string_view name) const;  // and it is not null
  std::optional<std::string> Text(std::string_view name, std::size_t bytes_max = 4096);
  std::string RequiredText(std::string_view name, std::size_t bytes_max = 4096);  // not blank
  // Counted in characters (code points), where the vendor does.
  std::optional<std::string> TextOfCharacters(std::string_view name, std::size_t characters_max);
  std::optional<bool> Flag(std::string_view name);
  std::optional<std::int64_t> Integer(std::string_view name, std::int64_t least, std::int64_t most);
  std::vector<std::string> Texts(std::string_view name, std::size_t count_max);  // ["a"]
  std::map<std::string, std::string> Map(std::string_view name, std::size_t count_max);
  // One reader for each object; an absent one has no members.
  std::vector<Members> Objects(std::string_view name, std::size_t count_max);
  Members Object(std::string_view name);

  FieldPath At(std::string_view name) const;
  void Refuse(std::string_view name, std::string message);  // records an error of that member
  const FieldPath& path() const { return path_; }
  FieldErrors& field_errors() const { return *field_errors_; }
  const json::value& json() const { return *object_; }

 private:
  const json::value* Member(std::string_view name) const;

  const json::value* object_;  // borrowed; an empty object when it was none
  FieldPath path_;
  FieldErrors* field_errors_;
};

}  // namespace viv::langsmith
