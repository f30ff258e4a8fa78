#pragma once
// Queries this machine's resolvers on behalf of boxes. Every query has its own socket, random port
// and random id, and only a reply that repeats the question is accepted, so that nobody who does
// not see the query can forge a reply. Lives on one thread.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "base/result.h"
#include "base/task.h"
#include "network/address.h"
#include "network/dns_message.h"

namespace viv::network {

// "HOST[:PORT]", "[V6]:PORT" or a bare IPv6 address.
Result<Endpoint> ParseResolver(const std::string& text);
// The nameservers that a resolv.conf lists.
std::vector<Endpoint> ReadResolvConf(const std::string& path);

class Resolver {
 public:
  struct Options {
    // Empty: those of `resolv_conf`, which is read again when it changes.
    std::vector<Endpoint> servers;
    std::string resolv_conf = "/etc/resolv.conf";
    std::chrono::milliseconds udp_timeout{2'000};
    std::chrono::milliseconds tcp_timeout{3'000};
    std::size_t questions_max = 512;  // at once
  };

  Resolver(asio::io_context& context, Options options);

  Task<Result<DnsReply>> Resolve(DnsQuestion question);

 private:
  std::vector<Endpoint> Servers();
  Task<Result<DnsReply>> QueryServer(Endpoint server, DnsQuestion question);
  Task<Result<DnsReply>> QueryOverUdp(Endpoint server, DnsQuestion question);
  Task<Result<DnsReply>> QueryOverTcp(Endpoint server, DnsQuestion question);

  asio::io_context& context_;
  Options options_;
  std::size_t queries_ = 0;
  std::vector<Endpoint> read_servers_;
  std::int64_t read_change_ns_ = -1;  // the mtime of resolv_conf when it was read
};

}  // namespace viv::network
