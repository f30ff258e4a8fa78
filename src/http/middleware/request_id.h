#pragma once
// Gives each request an id, for the logs of both sides: the client's X-Request-Id when it is sane,
// else a new one. The response repeats it.

#include "http/message.h"

namespace viv::http {

Middleware RequestId();

}  // namespace viv::http
