#pragma once
// Globs of request paths. "*" matches any run of characters, including "/"; every other character
// matches itself, also "?", which paths do not contain.
//
// One origin reads "/public/%2e%2e/admin" or "/public;x/..;/admin" as /admin where another does
// not, so a path is parsed twice: literally (escapes are decoded, except those that would change
// its structure) and as loosely as any origin might (decoded completely, "\" as "/", parameters
// after ";" removed, empty segments removed). A pattern has to match both. A path with dot
// segments, an invalid escape, a control character or invalid UTF-8 matches no pattern.

#include <optional>
#include <string>
#include <string_view>

namespace viv::gateway {

class RequestPath {
 public:
  // `raw` is as sent, without the query; it outlives this.
  explicit RequestPath(std::string_view raw);

  bool Matches(std::string_view pattern) const;

 private:
  std::string_view raw_;
  bool plain_;  // both parsed forms equal `raw_`
  std::optional<std::string> literal_, loose_;
};

// Takes time linear in both.
bool GlobMatches(std::string_view pattern, std::string_view text);

}  // namespace viv::gateway
