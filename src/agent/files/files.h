#pragma once
// Files of the box over envd's protocol: GET and POST /files, and the service
// filesystem.Filesystem. Every call acts as the calling user, so that the kernel decides what is
// allowed.

#include <memory>

#include "agent/context.h"
#include "http/router.h"
#include "rpc/connect/schema.h"

namespace viv::agent {

class Files {
 public:
  explicit Files(Context& context);
  ~Files();
  // `router`, `schema` and this outlive the server.
  void AddTo(http::Router& router, const connect::Schema& schema);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace viv::agent
