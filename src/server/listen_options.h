#pragma once
// Where and how the server listens, as the settings say.

#include "base/result.h"
#include "http/server.h"
#include "server/settings.h"

namespace viv::server {

// kInvalidArgument for settings that contradict each other.
Status CheckListenSettings(const Settings& settings, const Address& address);

// Of settings that were checked.
http::ServerOptions ListenOptions(const Settings& settings, const Address& address);

// Whether the main address speaks TLS.
bool IsSecure(const Settings& settings);

}  // namespace viv::server
