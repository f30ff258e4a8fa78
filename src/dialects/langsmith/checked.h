#pragma once
// What a request says, read member by member with the place of a mistake kept: the vendor names it
// ("loc"). Readers of one body share one Mistakes; the first that is found counts, and later
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

using Place = std::vector<std::string>;  // {"proxy_config", "rules", "0", "name"}, without "body"

// For InvalidField of errors.h: InvalidField(wrong.where, wrong.message).
struct WrongField {
  Place where;
  std::string message;
};

template <typename T>
using Checked = tl::expected<T, WrongField>;

inline tl::unexpected<WrongField> Wrong(Place where, std::string message) {
  return tl::unexpected<WrongField>(WrongField{std::move(where), std::move(message)});
}

class Mistakes {
 public:
  bool none() const { return !first_.has_value(); }
  const WrongField& first() const { return *first_; }
  void Add(Place where, std::string message);

 private:
  std::optional<WrongField> first_;
};

// The members of one object; anything else is a mistake at `place`.
class Members {
 public:
  Members(const json::value& object, Place place, Mistakes& mistakes);

  bool Has(std::string_view name) const;  // and it is not null
  std::optional<std::string> Text(std::string_view name, std::size_t bytes_max = 4096);
  std::string RequiredText(std::string_view name, std::size_t bytes_max = 4096);  // not blank
  // Counted in characters (code points), where the vendor does.
  std::optional<std::string> Words(std::string_view name, std::size_t characters_max);
  std::optional<bool> Flag(std::string_view name);
  std::optional<std::int64_t> Integer(std::string_view name, std::int64_t least, std::int64_t most);
  std::vector<std::string> Texts(std::string_view name, std::size_t count_max);  // ["a"]
  std::map<std::string, std::string> Map(std::string_view name, std::size_t count_max);
  // Each as a reader of its own; absent ones have no members.
  std::vector<Members> Objects(std::string_view name, std::size_t count_max);
  Members Object(std::string_view name);

  Place At(std::string_view name) const;
  void Refuse(std::string_view name, std::string message);  // a mistake in that member
  const Place& place() const { return place_; }
  Mistakes& mistakes() const { return *mistakes_; }
  const json::value& json() const { return *object_; }

 private:
  const json::value* Member(std::string_view name) const;

  const json::value* object_;  // borrowed; an empty object when it was none
  Place place_;
  Mistakes* mistakes_;
};

}  // namespace viv::langsmith
