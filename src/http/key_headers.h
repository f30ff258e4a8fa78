#pragma once
// Finds keys of this server in requests that are relayed to a guest: a client may send its key with
// every request, and no guest may learn it. Headers without a key of ours pass, for the guest's own
// programs.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace viv::http {

// The names of those headers of which at least one carries a key: X-API-Key, X-Service-Key, and
// Authorization in any of its forms.
std::vector<std::string> HeadersWithKeys(const Request& request,
                                         const std::function<bool(std::string_view)>& is_key);

}  // namespace viv::http
