#include "network/socks.h"

namespace viv::network {
namespace {

constexpr std::size_t kSocksTextMax = 255;  // its length is one byte
constexpr char kSocksVersion = 5;
constexpr char kSocksPasswordVersion = 1;

enum class SocksMethod : std::uint8_t { kNone = 0, kPassword = 2, kRefused = 0xff };
enum class SocksAddress : std::uint8_t { kV4 = 1, kName = 3, kV6 = 4 };

tl::unexpected<Error> SocksError(std::string why) {
  return Fail(ErrorCode::kUnavailable, std::move(why));
}

void AppendSocksText(std::string& to, const std::string& text) {
  to += static_cast<char>(text.size());
  to += text;
}

std::string SocksReason(std::uint8_t code) {
  static constexpr const char* kReasons[] = {"",
                                             "it failed",
                                             "its rules forbid the connection",
                                             "the network is unreachable",
                                             "the host is unreachable",
                                             "the connection was refused",
                                             "the time to live ran out",
                                             "it cannot connect",
                                             "it does not know this kind of address"};
  if (code < std::size(kReasons)) return kReasons[code];
  return "it answered with code " + std::to_string(code);
}

std::string SocksRequest(const std::string& host, const Endpoint& destination) {
  std::string request = {kSocksVersion, 1 /* connect */, 0};
  if (host.empty()) {
    std::string raw = destination.address.Raw();
    request += static_cast<char>(raw.size() == 4 ? SocksAddress::kV4 : SocksAddress::kV6);
    request += raw;
  } else {
    request += static_cast<char>(SocksAddress::kName);
    AppendSocksText(request, host);
  }
  request += static_cast<char>(destination.port >> 8);
  request += static_cast<char>(destination.port);
  return request;
}

Task<Status> Authenticate(Stream& connection, const SocksProxy& proxy) {
  std::string message = {kSocksPasswordVersion};
  AppendSocksText(message, proxy.username);
  AppendSocksText(message, proxy.password);
  if (!co_await WriteFully(connection, std::move(message))) co_return SocksError("it hung up");
  std::string answer = co_await ReadFully(connection, 2);
  if (answer.size() < 2) co_return SocksError("it hung up before it took the password");
  if (answer[0] != kSocksPasswordVersion) co_return SocksError("it does not speak SOCKS5");
  if (answer[1] != 0) co_return SocksError("it refused the user name and password; check them");
  co_return Status();
}

Task<Status> NegotiateMethod(Stream& connection, const SocksProxy& proxy) {
  bool has_credentials = !proxy.username.empty() || !proxy.password.empty();
  std::string greeting = {kSocksVersion, 1, static_cast<char>(SocksMethod::kNone)};
  if (has_credentials) greeting = {kSocksVersion, 2, 0, static_cast<char>(SocksMethod::kPassword)};
  if (!co_await WriteFully(connection, std::move(greeting))) co_return SocksError("it hung up");
  std::string chosen = co_await ReadFully(connection, 2);
  if (chosen.size() < 2) co_return SocksError("it did not answer the greeting");
  if (chosen[0] != kSocksVersion) co_return SocksError("it does not speak SOCKS5");
  auto method = static_cast<SocksMethod>(chosen[1]);
  if (method == SocksMethod::kNone) co_return Status();
  if (has_credentials && method == SocksMethod::kPassword)
    co_return co_await Authenticate(connection, proxy);
  if (has_credentials) co_return SocksError("it takes no user name and password");
  co_return SocksError("it wants a user name and a password");
}

// Reads the rest of the reply after its first four bytes, so that the next byte is the
// destination's.
Task<bool> SkipBoundAddress(Stream& connection, SocksAddress kind) {
  std::size_t size = kind == SocksAddress::kV4 ? 4 : 16;
  if (kind == SocksAddress::kName) {
    std::string length = co_await ReadFully(connection, 1);
    if (length.empty()) co_return false;
    size = static_cast<std::uint8_t>(length[0]);
  }
  std::string rest = co_await ReadFully(connection, size + 2);
  co_return rest.size() == size + 2;
}

}  // namespace

Task<Status> ConnectThroughSocks(Stream& connection,
                                 const SocksProxy& proxy,
                                 std::string host,
                                 Endpoint destination,
                                 std::chrono::milliseconds timeout) {
  if (host.size() > kSocksTextMax || proxy.username.size() > kSocksTextMax ||
      proxy.password.size() > kSocksTextMax)
    co_return Fail(ErrorCode::kInvalidArgument,
                   "a host, user name or password for SOCKS5 has at most 255 bytes");
  Deadline deadline(connection, timeout);
  CO_RETURN_IF_ERROR(co_await NegotiateMethod(connection, proxy));
  std::string request = SocksRequest(host, destination);
  if (!co_await WriteFully(connection, std::move(request))) co_return SocksError("it hung up");
  std::string answer = co_await ReadFully(connection, 4);
  if (answer.size() < 4) co_return SocksError("it did not answer the request");
  if (answer[0] != kSocksVersion) co_return SocksError("it does not speak SOCKS5");
  if (answer[1] != 0) co_return SocksError(SocksReason(static_cast<std::uint8_t>(answer[1])));
  auto kind = static_cast<SocksAddress>(answer[3]);
  if (kind != SocksAddress::kV4 && kind != SocksAddress::kV6 && kind != SocksAddress::kName)
    co_return SocksError("its answer cannot be read");
  if (!co_await SkipBoundAddress(connection, kind)) co_return SocksError("its answer was cut off");
  co_return Status();
}

}  // namespace viv::network
