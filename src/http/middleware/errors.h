#pragma once
// Turns an uncaught exception into a 500 of the dialect's shape. It comes after the middlewares
// that look at the response (log, metrics, request id), so that they see this response too.

#include "http/message.h"

namespace viv::http {

Middleware Errors(ErrorRenderer render);

}  // namespace viv::http
