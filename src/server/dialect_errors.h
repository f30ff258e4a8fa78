#pragma once
// Chooses in whose shape an error is rendered that arises before an operation is called, or because
// it failed: an unknown path, a wrong method, a body that is too large, an exception. The dialects'
// own route tables say whose a path is: first the dialect that has a route of this path, with
// whatever method; then the only dialect that has routes below the path's first segments. Immutable
// once the server runs.

#include <memory>
#include <string>
#include <string_view>

#include "http/message.h"
#include "http/router.h"

namespace viv::server {

class DialectErrors {
 public:
  using Render = http::Response (*)(int status, std::string message, const http::Request& request);

  // `domain` is that of boxes' own host names. `other` renders what no dialect has.
  DialectErrors(std::string domain, Render other);
  ~DialectErrors();
  DialectErrors(const DialectErrors&) = delete;
  DialectErrors& operator=(const DialectErrors&) = delete;

  // Errors at the routes of `routes`, mounted at `prefix`, are rendered by `render`, which is one
  // function for each dialect.
  void Add(std::string_view prefix, const http::Router& routes, Render render);

  http::Response operator()(int status, std::string message, const http::Request& request) const;

 private:
  struct Node;
  Render Find(const http::Request& request) const;

  const std::string domain_;
  const Render other_;
  std::unique_ptr<Node> root_;
};

}  // namespace viv::server
