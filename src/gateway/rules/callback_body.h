#pragma once
// The bodies of requests to callbacks. Internal to this module.

#include <string>
#include <string_view>

#include "gateway/gateway.h"
#include "gateway/http/exchange.h"
#include "gateway/rules/credentials.h"

namespace viv::gateway {

std::string CallbackBody(const BoxIdentity& identity, const Destination& to);

// Includes the whole request, for callbacks that ask for it.
std::string FullCallbackBody(const BoxIdentity& identity,
                             const Destination& to,
                             const RequestHead& head,
                             std::string_view body,
                             bool body_truncated);

}  // namespace viv::gateway
