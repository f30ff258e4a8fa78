#pragma once
// What a request says, read member by member with the place of a mistake kept: the vendor names it
// ("loc"). Readers of one body share one FieldErrors; the first that is found counts, and later
// answers are empty, so that a validator reads all it wants and asks once. A member that is null is
// as good as absent.

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

// For InvalidField of errors.h: InvalidField(wrong.where, wrong.message).
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

// The members of one object; anything else is a mistake at `place`.
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
  // Each as a reader of its own; absent ones have no members.
  std::vector<Members> Objects(std::string_view name, std::size_t count_max);
  Members Object(std::string_view name);

  FieldPath At(std::string_view name) const;
  void Refuse(std::string_view name, std::string message);  // a mistake in that member
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
