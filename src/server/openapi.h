#pragma once
// The descriptions of what is served, an OpenAPI document for each dialect: /openapi/klavis.json
// and so on, without a key. tests/e2e/openapi holds them against the routes there are and against
// answers.

#include "http/middleware/auth.h"
#include "http/router.h"

namespace viv::server {

// GET /openapi: their names; GET /openapi/{document}: one of them.
void AddOpenApi(http::Router& router);

// GET /api/viv/routes: every route of `router`, for the operator. It outlives the routes.
void AddRouteListing(http::Router& router, const http::KeyLookup& keys);

}  // namespace viv::server
