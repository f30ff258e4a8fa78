#pragma once
// Calls a running server: its URL, the key, and readable errors when a call fails.

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "http/client.h"

namespace viv::cli {

struct Remote {
  std::string url = "http://127.0.0.1:7373";
  std::string key;    // empty: read from DATA/key
  std::string data;   // the server's data folder
  bool json = false;  // answers are printed as JSON, for programs
};

// A request with the key in it; `body` is JSON.
Result<http::ClientRequest> RequestTo(const Remote& remote,
                                      const std::string& method,
                                      const std::string& path,
                                      const std::string& body = "");

// One call of the server; the answer's JSON (null when it has no body), or what went wrong and what
// to do about it: kNotFound, kConflict, kUnavailable when none answers, else kInvalidArgument.
Result<json::value> CallServer(const Remote& remote,
                               const std::string& method,
                               const std::string& path,
                               const std::string& body = "");

// A page of a list.
struct ServerPage {
  json::value body;
  std::string next;  // the token of the next page; empty at the end
};
Result<ServerPage> CallServerForPage(const Remote& remote, const std::string& path);

}  // namespace viv::cli
