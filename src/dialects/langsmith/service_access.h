#pragma once
// Who may use a service: the bearer of a token for exactly this box and port, created since the
// port was last shared by token, in a header or in a browser's cookie; and if the port is shared by
// login, whoever has a key of the owner ("restricted"), or of any account of the owner's
// organization ("workspace").

#include <string>
#include <string_view>

#include "dialects/langsmith/context.h"
#include "dialects/langsmith/service_address.h"
#include "dialects/langsmith/service_grants.h"
#include "http/message.h"

namespace viv::langsmith {

// For a stored grant.
std::string MintServiceToken(const Context& context, const Grant& grant, std::int64_t end_s);

enum class TokenCheck { kGood, kExpired, kBad };
struct CheckedToken {
  TokenCheck check = TokenCheck::kBad;
  std::int64_t seconds_left = 0;  // of a good one
};
CheckedToken CheckServiceToken(const Context& context,
                               const Service& service,
                               std::string_view token);

struct Admission {
  TokenCheck check = TokenCheck::kBad;  // kBad: the request has no valid credential
  std::string user_id;                  // who signed in; empty with a token
  bool by_login = false;                // signing in would help
};
Admission Admit(const Context& context, const ServiceRoute& route, const http::Request& request);

// Whether the request contains a key of this server, which must not reach a guest.
bool CarriesOurKey(const Context& context, const http::Request& request);

}  // namespace viv::langsmith
