// What strangers send to a service, line by line: the host, the target, a cookie, a token, and what
// a hostile guest answers: a cookie and a redirection. A foreign token never opens anything, a
// route's prefix is part of its path, and nothing of the guest leaves its address.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.h"
#include "dialects/langsmith/service_address.h"
#include "dialects/langsmith/service_headers.h"
#include "dialects/langsmith/signed_token.h"
#include "fuzz_target.h"

namespace {

constexpr std::size_t kLines = 6;

std::array<std::string, kLines> LinesOf(std::string_view text) {
  std::array<std::string, kLines> lines;
  for (std::string& line : lines) {
    std::size_t end = text.find('\n');
    line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

void Hold(bool promise) {
  if (!promise) std::abort();
}

void CheckGuest(const std::string& cookie, const std::string& location) {
  viv::http::Response answer;
  answer.headers.Add("Set-Cookie", cookie);
  answer.headers.Add("Location", location);
  viv::langsmith::ResponseRewrite guest{.prefix = "/_svc/u/1", .origin = "http://h"};
  viv::langsmith::RewriteResponse(answer, guest);
  std::string_view sent = answer.headers.Get("location");
  bool is_path = sent.starts_with('/') && !sent.starts_with("//");
  Hold(!is_path || sent.starts_with(guest.prefix));
  bool is_first = true;
  for (std::string_view part : viv::Split(answer.headers.Get("set-cookie"), ';')) {
    std::string_view name = viv::Trim(part.substr(0, part.find('=')));
    if (is_first) Hold(name != viv::langsmith::kServiceCookie);
    if (!is_first) Hold(!viv::EqualsIgnoreCase(name, "domain"));
    is_first = false;
  }
}

}  // namespace

FUZZ_TARGET(langsmith_service)(const std::uint8_t* data, std::size_t size) {
  using namespace viv;
  const auto [host, target, cookie, token, guest_cookie, location] =
      LinesOf(std::string_view(reinterpret_cast<const char*>(data), size));
  static const accounts::Sealer server_sealer("not in any corpus");
  Hold(!langsmith::OpenToken(server_sealer, langsmith::TokenPurpose::kService, token));
  Hold(!langsmith::OpenToken(server_sealer, langsmith::TokenPurpose::kDownload, token));
  http::Request request;
  request.path = target.substr(0, target.find('?'));
  request.headers.Add("Host", host);
  request.headers.Add("Cookie", cookie);
  if (auto route = langsmith::ServiceRouteOf("sbx.example:1", request)) {
    Hold(request.path.starts_with(route->prefix));
    Hold(route->service.port != 0 && !route->service.box_id.empty());
  }
  (void)langsmith::ServiceCookies(request);
  langsmith::RewriteRequest(request, langsmith::RequestRewrite{});
  Hold(langsmith::ServiceCookies(request).empty());
  CheckGuest(guest_cookie, location);
  return 0;
}
