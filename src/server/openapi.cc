#include "server/openapi.h"

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/version.h"
#include "dialects/dashboard/context.h"

namespace viv {

extern const std::string_view kOpenApiKlavis;
extern const std::string_view kOpenApiE2b;
extern const std::string_view kOpenApiLangsmith;
extern const std::string_view kOpenApiRecoup;
extern const std::string_view kOpenApiViv;

}  // namespace viv

namespace viv::server {
namespace {

struct OpenApiDocument {
  std::string_view name;
  const std::string_view& text;
};

constexpr OpenApiDocument kDocuments[] = {{"klavis.json", kOpenApiKlavis},
                                          {"e2b.json", kOpenApiE2b},
                                          {"langsmith.json", kOpenApiLangsmith},
                                          {"recoup.json", kOpenApiRecoup},
                                          {"viv.json", kOpenApiViv}};
constexpr std::string_view kVersionPlaceholder = "VIV_VERSION";

// The document with the program's own version in it.
std::string WithVersion(std::string_view text) {
  std::string out(text);
  if (std::size_t at = out.find(kVersionPlaceholder); at != std::string::npos)
    out.replace(at, kVersionPlaceholder.size(), Version());
  return out;
}

Task<http::Response> ListDocuments(http::Request& /*request*/) {
  json::array names;
  for (const OpenApiDocument& document : kDocuments)
    names.emplace_back("/openapi/" + std::string(document.name));
  co_return http::Json(200, WriteJson(json::object{{"documents", std::move(names)}}));
}

Task<http::Response> ShowDocument(http::Request& request) {
  for (const OpenApiDocument& document : kDocuments)
    if (document.name == request.Parameter("document"))
      co_return http::Json(200, WithVersion(document.text));
  co_return dashboard::Failure(404, "not_found", "GET /openapi lists the documents there are");
}

Task<http::Response> ListRoutes(const http::Router& router, const http::Request& request) {
  if (!dashboard::IsOperator(request))
    co_return dashboard::Failure(403, "permission_denied",
                                 "the routes are the operator's: use the server's own key");
  json::array list;
  for (const http::Router::Listed& route : router.List())
    list.push_back({{"method", route.method}, {"path", route.pattern}});
  co_return http::Json(200, WriteJson(json::object{{"routes", std::move(list)}}));
}

}  // namespace

void AddOpenApi(http::Router& router) {
  router.Add("GET", "/openapi", ListDocuments);
  router.Add("GET", "/openapi/{document}", ShowDocument);
}

void AddRouteListing(http::Router& router, const http::KeyLookup& keys) {
  http::Middleware auth = http::Auth(keys, [](http::AuthFailure) {
    return dashboard::Failure(401, "unauthenticated",
                              "Send your key as 'Authorization: Bearer KEY' or 'X-API-Key: KEY'");
  });
  router.Add("GET", "/api/viv/routes",
             auth([&router](http::Request& request) { return ListRoutes(router, request); }));
}

}  // namespace viv::server
