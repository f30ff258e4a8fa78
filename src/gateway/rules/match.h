#pragma once
// Which rule or callback of a plan is for a request. Hosts are found by binary search over all that
// the plan names, so ten thousand rules cost little more than one; "*.example.com" is for every
// name below example.com, however deep, and not for example.com itself. Of all that fit, the first
// in the plan's order is the one. How paths are compared stands in path_pattern.h. Any thread.

#include <cstddef>
#include <memory>
#include <string_view>

#include "gateway/rules/plan.h"
#include "http/message.h"

namespace viv::gateway {

class Matcher {
 public:
  explicit Matcher(const Plan& plan);  // outlives this; its hosts are in lower case
  ~Matcher();

  // `host` in lower case, without port and trailing dot; `path` as sent, without the query. A host
  // whose first rule adds nothing to any request is not named: it shields it from all others.
  bool MatchesHost(std::string_view host) const;
  const HeaderRule* RuleFor(std::string_view host,
                            std::string_view path,
                            const http::Headers& headers = {}) const;
  const Callback* CallbackFor(std::string_view host) const;  // when no rule is

 private:
  struct Index;
  std::unique_ptr<Index> index_;
};

}  // namespace viv::gateway
