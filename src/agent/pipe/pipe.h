#pragma once
// POST /pipe?argv=["program","argument"]&user=NAME&folder=/PATH: runs a program with the request's
// body as its standard input and answers with its standard output, both while they come. One that
// fails before it wrote anything is 422 {"code", "message"} with its standard error; one that fails
// later has its response cut, so that nobody takes it for whole. When the caller hangs up or its
// body breaks off, the program is killed.

#include <cstddef>
#include <memory>

#include "agent/context.h"
#include "http/router.h"

namespace viv::agent {

class Pipes {
 public:
  explicit Pipes(Context& context);
  ~Pipes();
  void AddTo(http::Router& router);  // it and this outlive the server
  std::size_t running() const;       // programs that have not ended

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

bool IsStreamedByPipe(const http::Request& request);

}  // namespace viv::agent
