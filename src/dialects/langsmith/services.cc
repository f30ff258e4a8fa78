#include "base/timestamp.h"
#include "dialects/langsmith/body.h"
#include "dialects/langsmith/checked.h"
#include "dialects/langsmith/context.h"
#include "dialects/langsmith/download_links.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/service_access.h"
#include "dialects/langsmith/service_frames.h"
#include "dialects/langsmith/service_grants.h"
#include "dialects/langsmith/signed_token.h"

namespace viv::langsmith {
namespace {

constexpr std::int64_t kPortMax = 65'535;
constexpr std::int64_t kServiceSeconds = 600;
constexpr std::int64_t kServiceSecondsMax = 86'400;
constexpr std::size_t kEmbedOriginsMax = 5;
constexpr std::int64_t kUsPerSecond = 1'000'000;

struct SharePort {
  enum class Access { kToken, kRestricted, kWorkspace, kOff };
  std::uint16_t port = 0;
  std::int64_t seconds = kServiceSeconds;
  Access access = Access::kToken;
  std::optional<std::vector<std::string>> embed_origins;  // nothing: not said
};

SharePort::Access ReadAccess(Members& members) {
  std::optional<std::string> access = members.Text("access", 32);
  if (!access) return SharePort::Access::kToken;
  if (*access == "restricted") return SharePort::Access::kRestricted;
  if (*access == "workspace") return SharePort::Access::kWorkspace;
  if (*access == "off") return SharePort::Access::kOff;
  members.Refuse("access",
                 R"(must be "restricted", "workspace" or "off"; leave it out for a token)");
  return SharePort::Access::kToken;
}

std::vector<std::string> ReadEmbedOrigins(Members& members) {
  std::vector<std::string> origins;
  for (const std::string& given : members.Texts("embed_origins", kEmbedOriginsMax)) {
    std::optional<std::string> origin = EmbedOrigin(given);
    if (!origin) {
      members.Refuse(
          "embed_origins",
          R"(must be origins of pages, as "https://app.example.com" or "https://a:8443")");
      return {};
    }
    origins.push_back(*std::move(origin));
  }
  return origins;
}

Checked<SharePort> ReadSharePort(const json::value& body) {
  FieldErrors field_errors;
  Members members(body, {}, field_errors);
  SharePort share;
  auto port = members.Integer("port", 1, kPortMax);
  if (!port) members.Refuse("port", "is required: a number from 1 to 65535");
  share.port = static_cast<std::uint16_t>(port.value_or(0));
  share.access = ReadAccess(members);
  auto seconds = members.Integer("expires_in_seconds", 1, kServiceSecondsMax);
  const bool by_login = share.access == SharePort::Access::kRestricted ||
                        share.access == SharePort::Access::kWorkspace;
  if (seconds && by_login)
    members.Refuse("expires_in_seconds", "does not apply with access: such a link does not expire");
  share.seconds = seconds.value_or(kServiceSeconds);
  if (members.Has("embed_origins")) share.embed_origins = ReadEmbedOrigins(members);
  if (!field_errors.none()) return tl::unexpected(field_errors.first());
  return share;
}

void ShowEmbedOrigins(const Grant& grant, json::object& shown) {
  if (!grant.embed_origins || grant.embed_origins->empty()) return;
  shown["embed_origins"] = json::array(grant.embed_origins->begin(), grant.embed_origins->end());
}

Task<http::Response> ShareByToken(Context& context,
                                  http::Request& request,
                                  Grant grant,
                                  std::int64_t seconds) {
  std::optional<Grant> before = FindGrant(context, grant.service);
  if (before && IsByLogin(*before)) {
    co_return Failure(409, "Conflict",
                      "port " + std::to_string(grant.service.port) +
                          R"( is shared by login: send access "off" before asking for a token)");
  }
  const std::int64_t end_s = TokenEnd(context.clock(), seconds);
  grant.expires_at_us = end_s * kUsPerSecond;
  const Service service = grant.service;
  Result<Grant> kept = co_await SaveGrant(context, std::move(grant));
  if (!kept) co_return FailureOf(kept.error());
  const std::string url = UrlOfService(context, request, service);
  const std::string token = MintServiceToken(context, *kept, end_s);
  json::object response;
  response["browser_url"] = url + std::string(kServiceLogin.substr(1)) + "?token=" + token;
  response["service_url"] = url;
  response["token"] = token;
  response["expires_at"] = TimeText(end_s * kUsPerSecond);
  ShowEmbedOrigins(*kept, response);
  co_return http::Json(200, WriteJson(response));
}

Task<http::Response> ShareByLogin(Context& context, http::Request& request, Grant grant) {
  Result<Grant> kept = co_await SaveGrant(context, std::move(grant));
  if (!kept) co_return FailureOf(kept.error());
  const std::string url = UrlOfService(context, request, kept->service);
  json::object response;
  response["browser_url"] = url;
  response["service_url"] = url;
  response["access"] = json::string(NameOfAccess(kept->access));
  ShowEmbedOrigins(*kept, response);
  co_return http::Json(200, WriteJson(response));
}

// Stops sharing by login and shares by token again.
Task<http::Response> SwitchToToken(Context& context,
                                   http::Request& request,
                                   Grant grant,
                                   std::int64_t seconds) {
  std::optional<Grant> before = FindGrant(context, grant.service);
  if (before && IsByLogin(*before)) {
    Status removed = co_await RemoveGrant(context, grant.service);
    if (!removed) co_return FailureOf(removed.error());
  }
  co_return co_await ShareByToken(context, request, std::move(grant), seconds);
}

Task<http::Response> ShareService(Context& context, http::Request& request) {
  auto box = FindBox(context, request.identity.account_id, request.Parameter("name"));
  if (!box) co_return FailureOf(box.error());
  auto body = ReadBody(request, Body::kRequired);
  if (!body) co_return std::move(body.error());
  Checked<SharePort> share = ReadSharePort(*body);
  if (!share) co_return RenderFieldError(share.error());
  Grant grant;
  grant.service = {(*box)->id, share->port};
  grant.account_id = (*box)->account_id;
  grant.created_at_us = context.clock() * 1000;
  grant.embed_origins = std::move(share->embed_origins);
  switch (share->access) {
    case SharePort::Access::kOff:
      co_return co_await SwitchToToken(context, request, std::move(grant), share->seconds);
    case SharePort::Access::kToken:
      co_return co_await ShareByToken(context, request, std::move(grant), share->seconds);
    case SharePort::Access::kRestricted:
      grant.access = Grant::Access::kRestricted;
      break;
    case SharePort::Access::kWorkspace:
      grant.access = Grant::Access::kWorkspace;
      break;
  }
  co_return co_await ShareByLogin(context, request, std::move(grant));
}

// All on one page: a box shares no more ports than fit there.
Task<http::Response> ListServices(Context& context, http::Request& request) {
  auto box = FindBox(context, request.identity.account_id, request.Parameter("name"));
  if (!box) co_return FailureOf(box.error());
  co_await SweepGrants(context, request.identity.account_id);
  json::array items;
  for (const Grant& grant : GrantsOfBox(context, **box)) {
    json::object item;
    item["access"] = json::string(NameOfAccess(grant.access));
    item["port"] = grant.service.port;
    item["created_at"] = TimeText(grant.created_at_us);
    item["created_by"] = grant.account_id;
    ShowEmbedOrigins(grant, item);
    if (grant.expires_at_us != 0) item["expires_at"] = TimeText(grant.expires_at_us);
    items.push_back(std::move(item));
  }
  json::object response;
  response["items"] = std::move(items);
  response["next_cursor"] = nullptr;
  co_return http::Json(200, WriteJson(response));
}

// The one port of the query, 0 for every one; nothing when it is no port.
std::optional<std::uint16_t> PortOfQuery(const http::Request& request) {
  std::optional<std::string> text = request.Query("port");
  if (!text) return 0;
  std::int64_t port = 0;
  for (char c : *text) {
    if (c < '0' || c > '9' || port > kPortMax) return std::nullopt;
    port = port * 10 + (c - '0');
  }
  if (port < 1 || port > kPortMax) return std::nullopt;
  return static_cast<std::uint16_t>(port);
}

Task<http::Response> UnshareServices(Context& context, http::Request& request) {
  auto box = FindBox(context, request.identity.account_id, request.Parameter("name"));
  if (!box) co_return FailureOf(box.error());
  std::optional<std::uint16_t> port = PortOfQuery(request);
  if (!port) co_return InvalidField({"port"}, "must be a number from 1 to 65535");
  for (const Grant& grant : GrantsOfBox(context, **box)) {
    if (*port != 0 && grant.service.port != *port) continue;
    Status removed = co_await RemoveGrant(context, grant.service);
    if (!removed) co_return FailureOf(removed.error());
  }
  co_return http::Empty(204);
}

}  // namespace

http::RouteTable<Context> ServiceRoutes() {
  static constexpr http::RouteEntry<Context> kServiceRoutes[] = {
      {"POST", "/boxes/{name}/service-url", ShareService},
      {"GET", "/boxes/{name}/service-urls", ListServices},
      {"DELETE", "/boxes/{name}/service-urls", UnshareServices},
      {"POST", "/boxes/{name}/download-url", MakeDownloadLink},
  };
  return kServiceRoutes;
}

}  // namespace viv::langsmith
