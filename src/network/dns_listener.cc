// The DNS listener, and DNS over TCP.

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "network/dns_message.h"
#include "network/egress_listener.h"

namespace viv::network {
namespace {

constexpr int kDatagramsPerBatch = 64;
constexpr auto kDatagramBatchPause = std::chrono::milliseconds(5);
constexpr std::size_t kDatagramMax = 4096;
constexpr int kQuestionsPerConnectionMax = 100;
constexpr auto kDnsConnectionIdle = std::chrono::seconds(10);

// A question with the two addresses of its packet. The reply must leave from the address to which
// the question was sent, or the kernel cannot undo the redirection.
struct Datagram {
  std::string bytes;
  SocketAddress sender;
  in6_pktinfo packet_info{};
  bool has_packet_info = false;
};

enum class ReceiveResult { kGot, kEmpty, kClosed };

ReceiveResult ReceiveDatagram(int fd, Datagram& datagram) {
  datagram.bytes.resize(kDatagramMax);
  iovec data{datagram.bytes.data(), datagram.bytes.size()};
  alignas(cmsghdr) char control[256];
  msghdr message{};
  message.msg_name = &datagram.sender.storage;
  message.msg_namelen = sizeof datagram.sender.storage;
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got = recvmsg(fd, &message, MSG_DONTWAIT);
  if (got < 0)
    return errno == EBADF || errno == ENOTSOCK ? ReceiveResult::kClosed : ReceiveResult::kEmpty;
  datagram.bytes.resize((message.msg_flags & MSG_TRUNC) != 0 ? 0 : static_cast<std::size_t>(got));
  datagram.sender.size = message.msg_namelen;
  for (cmsghdr* at = CMSG_FIRSTHDR(&message); at != nullptr; at = CMSG_NXTHDR(&message, at)) {
    if (at->cmsg_level != IPPROTO_IPV6 || at->cmsg_type != IPV6_PKTINFO) continue;
    memcpy(&datagram.packet_info, CMSG_DATA(at), sizeof datagram.packet_info);
    datagram.has_packet_info = true;
  }
  return ReceiveResult::kGot;
}

// A reply that does not fit into the socket's buffer is lost, as datagrams are; the guest asks
// again.
void SendAnswer(int fd, Datagram& question, std::string& answer) {
  iovec data{answer.data(), answer.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(in6_pktinfo))] = {};
  msghdr message{};
  message.msg_name = &question.sender.storage;
  message.msg_namelen = question.sender.size;
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (question.has_packet_info) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* from = CMSG_FIRSTHDR(&message);
    from->cmsg_level = IPPROTO_IPV6;
    from->cmsg_type = IPV6_PKTINFO;
    from->cmsg_len = CMSG_LEN(sizeof question.packet_info);
    question.packet_info.ipi6_ifindex = 0;
    memcpy(CMSG_DATA(from), &question.packet_info, sizeof question.packet_info);
  }
  sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

Task<void> AnswerDatagram(std::shared_ptr<Box> box, std::unique_ptr<Datagram> datagram) {
  std::string bytes = std::move(datagram->bytes);
  std::string answer = co_await AnswerDns(box, std::move(bytes), kDnsUdpMax);
  if (answer.empty() || box->closed()) co_return;
  SendAnswer(box->dns_listener.native_handle(), *datagram, answer);
}

enum class ReceiveBatchResult { kEmpty, kMore, kClosed };

ReceiveBatchResult ReceiveBatch(const std::shared_ptr<Box>& box) {
  for (int i = 0; i < kDatagramsPerBatch; ++i) {
    if (box->closed()) return ReceiveBatchResult::kClosed;
    auto datagram = std::make_unique<Datagram>();
    switch (ReceiveDatagram(box->dns_listener.native_handle(), *datagram)) {
      case ReceiveResult::kEmpty:
        return ReceiveBatchResult::kEmpty;
      case ReceiveResult::kClosed:
        return ReceiveBatchResult::kClosed;
      case ReceiveResult::kGot:
        asio::co_spawn(box->loop.context(), AnswerDatagram(box, std::move(datagram)),
                       asio::detached);
    }
  }
  return ReceiveBatchResult::kMore;
}

// Counts a DNS connection of a box while it is served.
class DnsConnectionCount {
 public:
  explicit DnsConnectionCount(Box& box) : box_(box) { ++box_.dns_connections; }
  ~DnsConnectionCount() { --box_.dns_connections; }
  DnsConnectionCount(const DnsConnectionCount&) = delete;
  DnsConnectionCount& operator=(const DnsConnectionCount&) = delete;

 private:
  Box& box_;
};

// Answers one length-prefixed question; false ends the connection.
Task<bool> ServeDnsQuestion(std::shared_ptr<Flow> flow) {
  Deadline deadline(flow->guest, kDnsConnectionIdle);
  std::string length = co_await ReadFully(flow->guest, 2);
  if (length.size() < 2) co_return false;
  std::size_t size = static_cast<std::size_t>(static_cast<std::uint8_t>(length[0])) << 8 |
                     static_cast<std::uint8_t>(length[1]);
  if (size > kDatagramMax) co_return false;
  std::string question = co_await ReadFully(flow->guest, size);
  if (question.size() < size) co_return false;
  std::string answer = co_await AnswerDns(flow->box, std::move(question), kDnsMessageMax);
  if (answer.empty()) co_return false;
  std::string framed = {static_cast<char>(answer.size() >> 8), static_cast<char>(answer.size())};
  framed += answer;
  co_return co_await WriteFully(flow->guest, std::move(framed));
}

}  // namespace

Task<void> ServeDnsListener(std::shared_ptr<Box> box) {
  int on = 1;
  setsockopt(box->dns_listener.native_handle(), IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
  for (;;) {
    ReceiveBatchResult result = ReceiveBatch(box);
    if (result == ReceiveBatchResult::kClosed) co_return;
    if (result == ReceiveBatchResult::kEmpty) {
      if (!co_await WaitReadable(box->dns_listener)) co_return;
      continue;
    }
    box->dns_pause.expires_after(kDatagramBatchPause);
    co_await box->dns_pause.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

Task<void> ServeDnsConnection(std::shared_ptr<Flow> flow) {
  if (flow->box->dns_connections >= kDnsConnectionsPerBoxMax) {
    flow->box->counters.refused.fetch_add(1, std::memory_order_relaxed);
    co_return flow->Abort();
  }
  DnsConnectionCount count(*flow->box);
  for (int i = 0; i < kQuestionsPerConnectionMax; ++i)
    if (!co_await ServeDnsQuestion(flow)) co_return;
}

}  // namespace viv::network
