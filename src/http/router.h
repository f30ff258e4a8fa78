#pragma once
// Finds the handler for a method and path. A pattern's segments are literals or "{name}"
// parameters; "{name...}" as the last segment takes the rest of the path, also an empty one. A
// literal is preferred to a parameter at every segment, and a parameter to a rest, whatever the
// order of registration; where the preferred branch has no match, the next one is tried. Immutable
// once the server runs; lookups take no lock and no allocation but the parameters.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message.h"

namespace viv::http {

class Router {
 public:
  Router();
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  // A malformed pattern, or a method and pattern given twice, is our own bug and aborts.
  void Add(std::string_view method, std::string_view pattern, Handler handler);

  // Everything registered in `routes` again under `prefix` ("/klavis").
  void Mount(std::string_view prefix, const Router& routes);

  // What is registered, in that order, for whoever lists or checks it.
  struct Listed {
    std::string method;
    std::string pattern;
  };
  std::vector<Listed> List() const;

  struct Match {
    const Handler* handler = nullptr;          // nullptr: no such path, or not with this method
    std::vector<std::string> allowed_methods;  // when the path exists but not the method
    std::vector<std::pair<std::string, std::string>> parameters;  // decoded
  };
  // A trailing slash is ignored. HEAD finds GET. Literals are compared as sent; parameters are
  // decoded segment by segment, and one with a broken escape matches nothing.
  Match Find(std::string_view method, std::string_view path) const;

 private:
  struct Node;
  struct Route {
    std::string method;
    std::string pattern;
    Handler handler;
  };
  struct Search;
  std::unique_ptr<Node> root_;
  std::vector<Route> routes_;  // as registered, for Mount
};

// A handler that sends each request to its route; 404 and 405 come from `errors`. `router` outlives
// it.
Handler Dispatch(const Router& router, ErrorRenderer errors);

}  // namespace viv::http
