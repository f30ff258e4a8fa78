#include "network/netlink.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include <array>

#include "base/check.h"
#include "base/errno_error.h"
#include "base/unique_fd.h"

namespace viv::network {
namespace {

constexpr std::size_t kNetlinkBufferBytes = 64 * 1024;
constexpr int kNetlinkReadsMax = 100'000;  // of one dump; far more than any real one needs

std::size_t AlignNetlink(std::size_t size) {
  return (size + 3) & ~std::size_t{3};
}

Error NetlinkError(const char* label, int number) {
  bool missing = number == EPROTONOSUPPORT || number == EOPNOTSUPP || number == EAFNOSUPPORT;
  return {missing ? ErrorCode::kUnavailable : ErrorCode::kInternal,
          std::string("netlink: ") + label + ": " + ErrnoMessage(number)};
}

Result<UniqueFd> OpenAndSend(int protocol, const NetlinkBatch& batch) {
  UniqueFd fd(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol));
  if (!fd) return tl::unexpected(NetlinkError("open a socket", errno));
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  ssize_t sent = sendto(fd.get(), batch.bytes().data(), batch.bytes().size(), 0,
                        reinterpret_cast<const sockaddr*>(&kernel), sizeof kernel);
  if (sent < 0) return tl::unexpected(NetlinkError("send", errno));
  return fd;
}

// Reads one datagram of replies. Returns false if there is none: the kernel replies before send
// returns, so an empty queue means that there are no more.
Result<bool> ReadAnswers(int fd, std::string& buffer) {
  buffer.resize(kNetlinkBufferBytes);
  ssize_t got = recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT | MSG_TRUNC);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (got < 0) return tl::unexpected(NetlinkError("receive", errno));
  if (static_cast<std::size_t>(got) > buffer.size())
    return tl::unexpected(NetlinkError("receive", EMSGSIZE));
  buffer.resize(static_cast<std::size_t>(got));
  return true;
}

enum class AnswerKind { kData, kAcknowledged, kDone };

// Calls `each` with every message of a datagram. Stops at an error.
Status WalkAnswers(const NetlinkBatch& batch,
                   std::string_view bytes,
                   const std::function<void(AnswerKind, std::string_view)>& each) {
  while (bytes.size() >= sizeof(nlmsghdr)) {
    nlmsghdr header{};
    memcpy(&header, bytes.data(), sizeof header);
    if (header.nlmsg_len < sizeof header || header.nlmsg_len > bytes.size()) break;
    std::string_view body = bytes.substr(sizeof header, header.nlmsg_len - sizeof header);
    if (header.nlmsg_type == NLMSG_ERROR && body.size() >= sizeof(int)) {
      int number = 0;
      memcpy(&number, body.data(), sizeof number);
      if (number != 0)
        return tl::unexpected(NetlinkError(batch.LabelOf(header.nlmsg_seq), -number));
      each(AnswerKind::kAcknowledged, body);
    } else if (header.nlmsg_type == NLMSG_DONE) {
      each(AnswerKind::kDone, body);
    } else {
      each(AnswerKind::kData, body);
    }
    bytes.remove_prefix(std::min(bytes.size(), AlignNetlink(header.nlmsg_len)));
  }
  return {};
}

}  // namespace

void NetlinkBatch::Append(const void* bytes, std::size_t size) {
  bytes_.append(static_cast<const char*>(bytes), size);
  bytes_.resize(AlignNetlink(bytes_.size()));
  UpdateLength();
}

void NetlinkBatch::UpdateLength() {
  auto length = static_cast<std::uint32_t>(bytes_.size() - message_at_);
  memcpy(bytes_.data() + message_at_, &length, sizeof length);
}

void NetlinkBatch::Begin(const char* label, std::uint16_t type, std::uint16_t flags) {
  CHECK(nests_.empty());
  labels_.push_back(label);
  message_at_ = bytes_.size();
  nlmsghdr header{};
  header.nlmsg_type = type;
  header.nlmsg_flags = flags | NLM_F_REQUEST;
  header.nlmsg_seq = static_cast<std::uint32_t>(labels_.size());
  Append(&header, sizeof header);
}

void NetlinkBatch::Body(const void* bytes, std::size_t size) {
  Append(bytes, size);
}

void NetlinkBatch::Attribute(std::uint16_t type, const void* bytes, std::size_t size) {
  nlattr header{};
  header.nla_len = static_cast<std::uint16_t>(sizeof header + size);
  header.nla_type = type;
  bytes_.append(reinterpret_cast<const char*>(&header), sizeof header);
  Append(bytes, size);
}

void NetlinkBatch::Text(std::uint16_t type, std::string_view text) {
  std::string closed(text);
  Attribute(type, closed.c_str(), closed.size() + 1);
}

void NetlinkBatch::Number32(std::uint16_t type, std::uint32_t value) {
  Attribute(type, &value, sizeof value);
}

void NetlinkBatch::NetNumber16(std::uint16_t type, std::uint16_t value) {
  value = htons(value);
  Attribute(type, &value, sizeof value);
}

void NetlinkBatch::NetNumber32(std::uint16_t type, std::uint32_t value) {
  value = htonl(value);
  Attribute(type, &value, sizeof value);
}

void NetlinkBatch::NetNumber64(std::uint16_t type, std::uint64_t value) {
  value = htobe64(value);
  Attribute(type, &value, sizeof value);
}

void NetlinkBatch::OpenNest(std::uint16_t type) {
  nests_.push_back(bytes_.size());
  Attribute(type | NLA_F_NESTED, "", 0);
}

void NetlinkBatch::CloseNest() {
  CHECK(!nests_.empty());
  auto length = static_cast<std::uint16_t>(bytes_.size() - nests_.back());
  memcpy(bytes_.data() + nests_.back(), &length, sizeof length);
  nests_.pop_back();
}

const char* NetlinkBatch::LabelOf(std::uint32_t sequence) const {
  return sequence >= 1 && sequence <= labels_.size() ? labels_[sequence - 1] : "request";
}

Status SendNetlink(int protocol, const NetlinkBatch& batch) {
  ASSIGN_OR_RETURN(UniqueFd fd, OpenAndSend(protocol, batch));
  std::string buffer;
  bool acknowledged = false;
  for (int reads = 0; reads < kNetlinkReadsMax; ++reads) {
    ASSIGN_OR_RETURN(bool more, ReadAnswers(fd.get(), buffer));
    if (!more) break;
    RETURN_IF_ERROR(WalkAnswers(batch, buffer, [&](AnswerKind kind, std::string_view) {
      acknowledged |= kind == AnswerKind::kAcknowledged;
    }));
  }
  if (!acknowledged) return tl::unexpected(NetlinkError("no answer of the kernel", EPROTO));
  return {};
}

Status DumpNetlink(int protocol,
                   const NetlinkBatch& batch,
                   const std::function<void(std::string_view)>& each) {
  ASSIGN_OR_RETURN(UniqueFd fd, OpenAndSend(protocol, batch));
  std::string buffer;
  bool done = false;
  for (int reads = 0; reads < kNetlinkReadsMax && !done; ++reads) {
    ASSIGN_OR_RETURN(bool more, ReadAnswers(fd.get(), buffer));
    if (!more) break;
    RETURN_IF_ERROR(WalkAnswers(batch, buffer, [&](AnswerKind kind, std::string_view body) {
      if (kind == AnswerKind::kData) each(body);
      done |= kind == AnswerKind::kDone;
    }));
  }
  if (!done) return tl::unexpected(NetlinkError("an incomplete dump", EPROTO));
  return {};
}

}  // namespace viv::network
