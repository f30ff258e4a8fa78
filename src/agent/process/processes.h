#pragma once
// The service process.Process: starts commands and terminals, keeps their output, and reports their
// end to every reader. A slow or lost reader never delays a process or another reader.

#include <cstddef>
#include <memory>

#include "agent/context.h"
#include "http/router.h"
#include "rpc/connect/schema.h"

namespace viv::agent {

class Processes {
 public:
  explicit Processes(Context& context);
  ~Processes();
  // `router`, `schema` and this outlive the server.
  void AddTo(http::Router& router, const connect::Schema& schema);
  std::size_t running() const;  // processes that have not ended

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace viv::agent
