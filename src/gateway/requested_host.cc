#include "gateway/requested_host.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace viv::gateway {
namespace {

constexpr std::size_t kHostBytesMax = 253;

bool IsHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

bool IsAddressCharacter(char c) {
  return (c >= 'a' && c <= 'f') || (c >= '0' && c <= '9') || c == '.' || c == ':';
}

bool ReadPort(std::string_view digits, RequestedHost& into) {
  if (digits.empty()) return true;  // "host:" is "host"
  std::uint16_t port = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port == 0) return false;
  into.port = port;
  return true;
}

}  // namespace

std::optional<RequestedHost> ReadRequestedHost(std::string_view authority) {
  if (authority.size() > kHostBytesMax + 8) return std::nullopt;
  RequestedHost read;
  bool is_v6 = authority.starts_with('[');
  std::size_t end = authority.find(is_v6 ? ']' : ':');
  if (is_v6 && end == std::string_view::npos) return std::nullopt;
  read.host = ToLower(authority.substr(is_v6 ? 1 : 0, is_v6 ? end - 1 : end));
  std::string_view rest =
      end == std::string_view::npos ? std::string_view() : authority.substr(is_v6 ? end + 1 : end);
  if (!rest.empty() && (rest.front() != ':' || !ReadPort(rest.substr(1), read))) {
    return std::nullopt;
  }
  if (!is_v6 && read.host.ends_with('.')) read.host.pop_back();
  auto fits = is_v6 ? IsAddressCharacter : IsHostCharacter;
  bool sound = !read.host.empty() && read.host.size() <= kHostBytesMax &&
               std::all_of(read.host.begin(), read.host.end(), fits);
  if (!sound) return std::nullopt;
  return read;
}

}  // namespace viv::gateway
