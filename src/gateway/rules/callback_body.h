#pragma once
// What a callback is told about a request. Internal to this module.

#include <string>
#include <string_view>

#include "gateway/gateway.h"
#include "gateway/http/exchange.h"
#include "gateway/rules/credentials.h"

namespace viv::gateway {

std::string CallbackBody(const BoxIdentity& identity, const Destination& to);

// With all of the request, for callbacks that ask for it.
std::string FullCallbackBody(const BoxIdentity& identity,
                             const Destination& to,
                             const RequestHead& head,
                             std::string_view body,
                             bool body_truncated);

}  // namespace viv::gateway
