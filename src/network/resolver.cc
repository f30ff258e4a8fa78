#include "network/resolver.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <charconv>
#include <fstream>

#include "base/check.h"
#include "base/text.h"
#include "network/stream.h"

namespace viv::network {
namespace {

constexpr std::uint16_t kDnsPort = 53;
constexpr int kQueryAttemptsMax = 3;  // of one question, over all servers
constexpr int kStrayAnswersMax = 64;  // after that many, somebody is guessing
constexpr std::size_t kResolvConfServersMax = 3;

std::uint16_t RandomId() {
  std::uint16_t id = 0;
  CHECK(getrandom(&id, sizeof id, 0) == sizeof id);
  return id;
}

bool IsReplyTo(const DnsReply& reply, std::uint16_t id, const DnsQuestion& question) {
  return reply.id == id && reply.question.type == question.type &&
         SameDnsName(reply.question.name, question.name);
}

// Counts a query while it runs, however it ends.
class QueryCount {
 public:
  explicit QueryCount(std::size_t& count) : count_(count) { ++count_; }
  ~QueryCount() { --count_; }
  QueryCount(const QueryCount&) = delete;
  QueryCount& operator=(const QueryCount&) = delete;

 private:
  std::size_t& count_;
};

bool IsFinal(const DnsReply& reply) {
  return reply.code == DnsCode::kNoError || reply.code == DnsCode::kNoName;
}

}  // namespace

Result<Endpoint> ParseResolver(const std::string& text) {
  auto bad = [&] {
    return Fail(ErrorCode::kInvalidArgument,
                "resolver " + text + ": give an address, or an address and a port as in " +
                    "192.0.2.1:53 or [2001:db8::1]:53");
  };
  if (auto bare = ParseAddress(text)) return Endpoint{*bare, kDnsPort};
  std::string_view host = text, port;
  std::size_t colon = text.rfind(':');
  if (colon != std::string::npos) {
    host = host.substr(0, colon);
    port = std::string_view(text).substr(colon + 1);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  auto address = ParseAddress(host);
  std::uint16_t number = 0;
  auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (!address || error != std::errc() || end != port.data() + port.size() || number == 0)
    return bad();
  return Endpoint{*address, number};
}

std::vector<Endpoint> ReadResolvConf(const std::string& path) {
  std::vector<Endpoint> servers;
  std::ifstream file(path);
  std::string line;
  while (servers.size() < kResolvConfServersMax && std::getline(file, line)) {
    std::string_view rest = Trim(line);
    constexpr std::string_view kWord = "nameserver";
    if (!rest.starts_with(kWord)) continue;
    rest.remove_prefix(kWord.size());
    if (rest.empty() || (rest.front() != ' ' && rest.front() != '\t')) continue;
    if (auto address = ParseAddress(Trim(rest))) servers.push_back({*address, kDnsPort});
  }
  return servers;
}

Resolver::Resolver(asio::io_context& context, Options options)
    : context_(context), options_(std::move(options)) {}

std::vector<Endpoint> Resolver::Servers() {
  if (!options_.servers.empty()) return options_.servers;
  struct stat found {};
  if (stat(options_.resolv_conf.c_str(), &found) != 0) return read_servers_;
  std::int64_t change_ns = found.st_mtim.tv_sec * 1'000'000'000LL + found.st_mtim.tv_nsec;
  if (change_ns != read_change_ns_) read_servers_ = ReadResolvConf(options_.resolv_conf);
  read_change_ns_ = change_ns;
  return read_servers_;
}

Task<Result<DnsReply>> Resolver::Resolve(DnsQuestion question) {
  if (queries_ >= options_.questions_max)
    co_return Fail(ErrorCode::kLimitExceeded, "too many questions are being asked");
  QueryCount count(queries_);
  std::vector<Endpoint> servers = Servers();
  Result<DnsReply> reply =
      Fail(ErrorCode::kUnavailable, "no resolver is configured; name one in /etc/resolv.conf");
  for (std::size_t i = 0; i < kQueryAttemptsMax && !servers.empty(); ++i) {
    auto next = co_await QueryServer(servers[i % servers.size()], question);
    // A reply of a server that cannot answer is better than none, but another server may know more.
    if (next || !reply) reply = std::move(next);
    if (reply && IsFinal(*reply)) break;
    if (reply && i + 1 >= servers.size()) break;
  }
  co_return reply;
}

Task<Result<DnsReply>> Resolver::QueryServer(Endpoint server, DnsQuestion question) {
  auto reply = co_await QueryOverUdp(server, question);
  if (!reply || !reply->truncated) co_return reply;
  co_return co_await QueryOverTcp(server, question);
}

Task<Result<DnsReply>> Resolver::QueryOverUdp(Endpoint server, DnsQuestion question) {
  ASSIGN_OR_CO_RETURN(UniqueFd fd, OpenUdpTo(server));
  Stream stream = AdoptStream(context_, std::move(fd));
  std::uint16_t id = RandomId();
  std::string message = WriteDnsQuery(id, question);
  if (send(stream.native_handle(), message.data(), message.size(), MSG_NOSIGNAL) < 0)
    co_return Fail(ErrorCode::kUnavailable, "send a question to the resolver");
  Deadline deadline(stream, options_.udp_timeout);
  std::string buffer(4096, '\0');
  for (int strays = 0; strays < kStrayAnswersMax;) {
    ssize_t got = recv(stream.native_handle(), buffer.data(), buffer.size(), 0);
    if (got < 0 && errno != EAGAIN && errno != EINTR)
      co_return Fail(ErrorCode::kUnavailable, "the resolver cannot be reached");
    if (got < 0) {
      if (!co_await WaitReadable(stream)) break;
      continue;
    }
    auto reply = ParseDnsReply(std::string_view(buffer).substr(0, static_cast<std::size_t>(got)));
    if (reply && IsReplyTo(*reply, id, question)) co_return reply;
    ++strays;
  }
  co_return Fail(ErrorCode::kUnavailable, "the resolver did not answer");
}

Task<Result<DnsReply>> Resolver::QueryOverTcp(Endpoint server, DnsQuestion question) {
  ASSIGN_OR_CO_RETURN(Stream stream, co_await DialOut(context_, server, options_.tcp_timeout));
  Deadline deadline(stream, options_.tcp_timeout);
  std::uint16_t id = RandomId();
  std::string message = WriteDnsQuery(id, question);
  std::string framed = {static_cast<char>(message.size() >> 8), static_cast<char>(message.size())};
  framed += message;
  if (!co_await WriteFully(stream, std::move(framed)))
    co_return Fail(ErrorCode::kUnavailable, "send a question to the resolver by TCP");
  std::string length = co_await ReadFully(stream, 2);
  if (length.size() < 2) co_return Fail(ErrorCode::kUnavailable, "the resolver hung up");
  std::size_t size = static_cast<std::size_t>(static_cast<std::uint8_t>(length[0])) << 8 |
                     static_cast<std::uint8_t>(length[1]);
  std::string bytes = co_await ReadFully(stream, size);
  auto reply = ParseDnsReply(bytes);
  if (reply && (!IsReplyTo(*reply, id, question) || reply->truncated))
    co_return Fail(ErrorCode::kUnavailable, "the resolver answered another question");
  co_return reply;
}

}  // namespace viv::network
