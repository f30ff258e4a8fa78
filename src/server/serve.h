#pragma once
// viv serve: builds every component, connects them, and runs until it is told to stop.

#include "base/result.h"
#include "server/settings.h"

namespace viv::server {

Status Serve(const Settings& settings);

}  // namespace viv::server
