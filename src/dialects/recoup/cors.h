#pragma once
// Browsers of any origin may call: the answers carry no cookies, and a key has to be sent by hand.

#include "http/message.h"

namespace viv::recoup {

http::Middleware Cors();
void AllowAnyOrigin(http::Response& response);
http::Handler Preflight(int status);  // what OPTIONS is answered

}  // namespace viv::recoup
