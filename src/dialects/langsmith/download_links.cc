#include "dialects/langsmith/download_links.h"

#include <algorithm>

#include "base/text.h"
#include "base/timestamp.h"
#include "dialects/langsmith/agent_call.h"
#include "dialects/langsmith/body.h"
#include "dialects/langsmith/checked.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/signed_token.h"
#include "http/error_page.h"

namespace viv::langsmith {
namespace {

constexpr std::size_t kLinkPathBytesMax = 4096;
constexpr std::size_t kContentTypeBytesMax = 255;
constexpr std::int64_t kLinkSecondsMax = 100LL * 366 * 86'400;  // longer than anybody waits

// The content security policy of files, which browsers load from our own origin: scripts and forms
// are disabled.
constexpr std::string_view kFileSecurityPolicy =
    "default-src 'none'; img-src 'self' data:; media-src 'self'; object-src 'self'; "
    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

struct FileLink {
  std::string path;
  std::string content_type;
  std::string disposition;
  std::optional<std::int64_t> seconds;
};

// "type/subtype" and perhaps parameters: nothing that ends a header.
bool IsContentType(std::string_view text) {
  std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

Checked<FileLink> ReadFileLink(const json::value& body) {
  FieldErrors field_errors;
  Members members(body, {}, field_errors);
  FileLink link;
  link.path = members.RequiredText("path", kLinkPathBytesMax);
  if (link.path.find('\0') != std::string::npos)
    members.Refuse("path", "must not contain a zero byte");
  link.content_type = members.Text("content_type", kContentTypeBytesMax).value_or("");
  if (members.Has("content_type") && !IsContentType(link.content_type))
    members.Refuse("content_type", R"(must be a media type such as "text/plain")");
  link.disposition = members.Text("content_disposition", 32).value_or("");
  if (members.Has("content_disposition") && link.disposition != "attachment" &&
      link.disposition != "inline")
    members.Refuse("content_disposition", R"(must be "attachment" or "inline")");
  link.seconds = members.Integer("expires_in_seconds", 1, kLinkSecondsMax);
  if (!field_errors.none()) return tl::unexpected(field_errors.first());
  return link;
}

http::Response LinkRefused(const http::Request& request,
                           int status,
                           std::string_view type,
                           std::string message) {
  if (http::IsBrowserNavigation(request))
    return http::ErrorPage(status, message, "Ask whoever sent you the link for a new one.");
  return Failure(status, type, std::move(message));
}

// The URL has the name of the file, which a browser uses to save it. The token is not part of the
// path, because paths are logged.
std::string AddressOfLink(const std::string& origin,
                          std::string_view path,
                          std::string_view token) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.empty() || name == "." || name == "..") name = "file";
  return origin + "/_dl/" + PercentEncode(name) + "?token=" + std::string(token);
}

void AppendQuery(std::string& target, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  target += target.find('?') == std::string::npos ? '?' : '&';
  target += std::string(name) + '=' + PercentEncode(value);
}

}  // namespace

Task<http::Response> MakeDownloadLink(Context& context, http::Request& request) {
  auto box = FindBox(context, request.identity.account_id, request.Parameter("name"));
  if (!box) co_return FailureOf(box.error());
  auto body = ReadBody(request, Body::kRequired);
  if (!body) co_return std::move(body.error());
  Checked<FileLink> link = ReadFileLink(*body);
  if (!link) co_return RenderFieldError(link.error());
  json::object claims;
  claims["sub"] = (*box)->id;
  claims["path"] = link->path;
  if (!link->content_type.empty()) claims["content_type"] = link->content_type;
  if (!link->disposition.empty()) claims["content_disposition"] = link->disposition;
  json::object response;
  response["expires_at"] = nullptr;
  if (link->seconds) {
    const std::int64_t end_s = TokenEnd(context.clock(), *link->seconds);
    claims["exp"] = end_s;
    response["expires_at"] = TimeText(end_s * 1'000'000);
  }
  const std::string token = SignToken(context.sealer, TokenPurpose::kDownload, std::move(claims));
  response["download_url"] = AddressOfLink(OriginOf(context, request), link->path, token);
  response["token"] = token;
  co_return http::Json(200, WriteJson(response));
}

Task<http::Response> FollowDownloadLink(Context& context, http::Request& request) {
  auto claims =
      OpenToken(context.sealer, TokenPurpose::kDownload, request.Query("token").value_or(""));
  if (!claims) co_return LinkRefused(request, 403, "Forbidden", "Download link is not valid");
  if (IsTokenExpired(*claims, context.clock()))
    co_return LinkRefused(request, 410, "LinkExpired", "Download link has expired");
  auto box = context.boxes.Find(FindString(*claims, "sub"));
  if (!box)
    co_return LinkRefused(request, 404, "ResourceNotFound", "The file's sandbox does not exist");
  std::string target = "/dataplane/download";
  AppendQuery(target, "path", FindString(*claims, "path"));
  AppendQuery(target, "content_type", FindString(*claims, "content_type"));
  AppendQuery(target, "content_disposition", FindString(*claims, "content_disposition"));
  http::Response response =
      co_await CallAgent(context, request, *std::move(box), std::move(target));
  response.headers.Set("Content-Security-Policy", std::string(kFileSecurityPolicy));
  response.headers.Set("X-Content-Type-Options", "nosniff");
  response.headers.Set("Referrer-Policy", "no-referrer");  // the URL is the credential
  co_return response;
}

}  // namespace viv::langsmith
