#pragma once
// Rewrites requests to a guest and its responses. Tokens, keys and our cookie are removed from
// requests; a guest's cookies and redirects are restricted to its own address.

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
  std::string user_id;    // of the user who signed in; empty: a token was used
  bool keep_keys = true;  // Authorization and X-Api-Key are passed to the guest
};
void RewriteRequest(http::Request& request, const RequestRewrite& guest);

// The same for responses. `origin` is our address as the client uses it: "http://host:port".
struct ResponseRewrite {
  std::string prefix;
  std::string origin;
};
void RewriteResponse(http::Response& response, const ResponseRewrite& guest);

// Removes headers that affect our whole origin, such as cookies.
void DropOriginWideHeaders(http::Response& response);

}  // namespace viv::langsmith
