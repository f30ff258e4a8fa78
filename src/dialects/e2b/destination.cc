#include "dialects/e2b/destination.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/network_config.h"

namespace viv::e2b {
namespace {

constexpr std::size_t kBoxIdBytes = 21;  // "i" and 20 more

std::optional<std::uint16_t> ParsePortNumber(std::string_view text) {
  std::uint16_t port = 0;
  auto read = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size() || port == 0)
    return std::nullopt;
  return port;
}

// Only what has the form of our ids, so that a server called "10-main.example.com" is reachable.
bool IsBoxId(std::string_view id) {
  return id.size() == kBoxIdBytes && id.front() == 'i' &&
         std::all_of(id.begin(), id.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

std::optional<Destination> FromHost(std::string_view host) {
  std::size_t dot = host.find('.');
  std::size_t dash = host.find('-');
  if (dot == std::string_view::npos || dash == std::string_view::npos || dash > dot)
    return std::nullopt;
  std::optional<std::uint16_t> port = ParsePortNumber(host.substr(0, dash));
  std::string id = ShortId(ToLower(host.substr(dash + 1, dot - dash - 1)));
  if (!port || !IsBoxId(id)) return std::nullopt;
  return Destination{std::move(id), *port, Destination::By::kHost};
}

}  // namespace

Result<std::optional<Destination>> DestinationOf(const http::Request& request) {
  if (auto by_host = FromHost(request.headers.Get("host"))) return by_host;
  std::string_view id = Trim(request.headers.Get("e2b-sandbox-id"));
  if (id.empty()) return std::optional<Destination>();
  Destination destination{ShortId(id), kAgentPort, Destination::By::kHeader};
  if (std::string_view text = Trim(request.headers.Get("e2b-sandbox-port")); !text.empty()) {
    std::optional<std::uint16_t> port = ParsePortNumber(text);
    if (!port) {
      return Fail(ErrorCode::kInvalidArgument,
                  "Invalid sandbox port '" + Printable(text, 16) + "' in E2b-Sandbox-Port");
    }
    destination.port = *port;
  }
  return std::optional(std::move(destination));
}

}  // namespace viv::e2b
