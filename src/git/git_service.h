#pragma once
// Reads from a request which service of git's smart HTTP protocol the client wants, and whether it
// asks for the advertisement of refs. The dumb protocol, which reads a repository's files, is not
// supported.

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace viv::git {

struct GitService {
  std::string name;         // "upload-pack" or "receive-pack"
  bool advertises = false;  // the request is for the advertisement of refs
  std::string protocol;     // the client's Git-Protocol header

  bool receives() const { return name == "receive-pack"; }
  // The packets that precede git's own advertisement.
  std::string Prologue() const;
};

// `rest` is the path behind the repository's own. kNotFound for anything else than a service,
// kInvalidArgument for a body that is of another type.
Result<GitService> GitServiceOf(const http::Request& request, std::string_view rest);

http::Response GitResponse(const GitService& service);  // its head
http::Response GitFailure(const Error& error);          // git shows the text to its user

}  // namespace viv::git
