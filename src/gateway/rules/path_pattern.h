#pragma once
// Globs of request paths. "*" stands for any run of characters, "/" too; every other character
// stands for itself, "?" as well: a path has none.
//
// One origin takes "/public/%2e%2e/admin" or "/public;x/..;/admin" for /admin where another does
// not, so a path is read twice: literally (escapes decoded, but for those that would change its
// shape) and as loosely as any origin might (decoded to the end, "\" as "/", parameters after ";"
// cut off, empty segments dropped). A pattern fits when it fits both; a path with dot segments, a
// broken escape, a control character or no UTF-8 fits none.

#include <optional>
#include <string>
#include <string_view>

namespace viv::gateway {

class RequestPath {
 public:
  // `raw` as sent, without the query; outlives this.
  explicit RequestPath(std::string_view raw);

  bool Matches(std::string_view pattern) const;

 private:
  std::string_view raw_;
  bool plain_;  // both readings are `raw_` itself
  std::optional<std::string> literal_, loose_;
};

// In time linear in the two of them.
bool GlobMatches(std::string_view pattern, std::string_view text);

}  // namespace viv::gateway
