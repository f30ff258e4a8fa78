#pragma once
// What a git client asks for, read from its request: one of the two services of the smart protocol,
// announced or used. The dumb protocol, which reads a repository's files, is not spoken.

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace viv::git {

struct GitService {
  std::string name;         // "upload-pack" or "receive-pack"
  bool advertises = false;  // tells what there is, before anything is asked
  std::string protocol;     // the client's Git-Protocol header

  bool receives() const { return name == "receive-pack"; }
  // What stands before git's own announcement.
  std::string Prologue() const;
};

// `rest` is the path behind the repository's own. kNotFound for anything else than a service,
// kInvalidArgument for a body that is of another type.
Result<GitService> GitServiceOf(const http::Request& request, std::string_view rest);

http::Response GitResponse(const GitService& service);  // its head
http::Response GitFailure(const Error& error);          // git shows the text to its user

}  // namespace viv::git
