#pragma once
// One line per request, once its response is known: method, path, status, duration, id. Never a
// body, a header or a query string, where secrets travel.

#include "http/message.h"

namespace viv::http {

Middleware AccessLog();

}  // namespace viv::http
