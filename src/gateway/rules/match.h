#pragma once
// Finds the rule or callback of a plan for a request. Hosts are found by binary search, so ten
// thousand rules cost little more than one. "*.example.com" matches every name below example.com at
// any depth, but not example.com itself. The first match in the plan's order wins. path_pattern.h
// says how paths are compared. Thread-safe.

#include <cstddef>
#include <memory>
#include <string_view>

#include "gateway/rules/plan.h"
#include "http/message.h"

namespace viv::gateway {

class Matcher {
 public:
  explicit Matcher(const Plan& plan);  // the plan outlives this; its hosts are in lower case
  ~Matcher();

  // `host` is in lower case, without port and trailing dot; `path` is as sent, without the query. A
  // host whose first rule adds nothing to any request does not match, because that rule hides all
  // later ones.
  bool MatchesHost(std::string_view host) const;
  const HeaderRule* RuleFor(std::string_view host,
                            std::string_view path,
                            const http::Headers& headers = {}) const;
  const Callback* CallbackFor(std::string_view host) const;  // used if no rule matches

 private:
  struct Index;
  std::unique_ptr<Index> index_;
};

}  // namespace viv::gateway
