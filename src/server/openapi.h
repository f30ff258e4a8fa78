#pragma once
// Serves an OpenAPI document for each dialect, without a key: /openapi/klavis.json and so on.
// tests/e2e/openapi compares them with the routes and with responses.

#include "http/middleware/auth.h"
#include "http/router.h"

namespace viv::server {

// GET /openapi: their names; GET /openapi/{document}: one of them.
void AddOpenApi(http::Router& router);

// GET /api/viv/routes: every route of `router`, for the operator. It outlives the routes.
void AddRouteListing(http::Router& router, const http::KeyLookup& keys);

}  // namespace viv::server
