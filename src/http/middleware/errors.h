#pragma once
// Makes an escaping exception a 500 of the dialect's shape. It stands inside the middlewares that
// look at the answer (log, metrics, request id), so that they see this one too.

#include "http/message.h"

namespace viv::http {

Middleware Errors(ErrorRenderer render);

}  // namespace viv::http
