#pragma once
// What the routes of hosted and local sandboxes have in common.

#include "dialects/klavis/local_context.h"
#include "http/middleware/auth.h"

namespace viv::klavis {

http::Response RenderAuthFailure(http::AuthFailure failure);

}  // namespace viv::klavis
