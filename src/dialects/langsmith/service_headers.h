#pragma once
// What of a request a guest gets to see, and what of its answer a browser may obey. Tokens, keys
// and our cookie stay here; a guest's cookies and redirections stay within its own address.

#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace viv::langsmith {

inline constexpr std::string_view kServiceTokenHeader = "X-Langsmith-Sandbox-Service-Token";
inline constexpr std::string_view kServiceCookie = "viv_service";

// The values of our cookie; more than a few are not looked at.
std::vector<std::string> ServiceCookies(const http::Request& request);

struct RequestRewrite {
  std::string prefix;     // before the guest's paths, as its clients write them; may be empty
  std::string user_id;    // of who signed in; empty: a token opened the door
  bool keep_keys = true;  // Authorization and X-Api-Key are the guest's own business
};
void RewriteRequest(http::Request& request, const RequestRewrite& guest);

// The same for what comes back. `origin` is how the client calls us: "http://host:port".
struct ResponseRewrite {
  std::string prefix;
  std::string origin;
};
void RewriteResponse(http::Response& response, const ResponseRewrite& guest);

// Takes out what would change more of our origin than one answer: cookies and the like.
void DropOriginWideHeaders(http::Response& response);

}  // namespace viv::langsmith
