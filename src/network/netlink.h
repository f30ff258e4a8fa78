#pragma once
// Requests to the kernel over netlink: builds a batch of labelled messages in memory, sends it at
// once and reads the replies. Links, addresses, routes, nft rules, conntrack and sock_diag all use
// it. The socket is opened in the calling thread's network namespace for one call. Unlike
// libnftables, this works with high descriptor numbers.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv::network {

class NetlinkBatch {
 public:
  // Starts a message. Errors name it by `label`. NLM_F_REQUEST is implied.
  void Begin(const char* label, std::uint16_t type, std::uint16_t flags);
  void Body(const void* bytes, std::size_t size);  // the fixed header after nlmsghdr

  void Attribute(std::uint16_t type, const void* bytes, std::size_t size);
  void Text(std::uint16_t type, std::string_view text);       // with its terminating zero
  void Number32(std::uint16_t type, std::uint32_t value);     // in host order, as rtnetlink expects
  void NetNumber16(std::uint16_t type, std::uint16_t value);  // in network order, as nft expects
  void NetNumber32(std::uint16_t type, std::uint32_t value);
  void NetNumber64(std::uint16_t type, std::uint64_t value);

  // Attributes until CloseNest are nested in this one.
  void OpenNest(std::uint16_t type);
  void CloseNest();

  const std::string& bytes() const { return bytes_; }
  const char* LabelOf(std::uint32_t sequence) const;

 private:
  void Append(const void* bytes, std::size_t size);
  void UpdateLength();

  std::string bytes_;
  std::size_t message_at_ = 0;
  std::vector<std::size_t> nests_;
  std::vector<const char*> labels_;  // of sequence numbers 1, 2, …
};

// Sends the batch to that protocol (NETLINK_ROUTE, …) and waits for the acknowledgement of each
// message that requested one. The error names the message; it is kUnavailable if this kernel lacks
// the facility.
Status SendNetlink(int protocol, const NetlinkBatch& batch);

// Sends a dump request and passes each reply, without its nlmsghdr, to `each`.
Status DumpNetlink(int protocol,
                   const NetlinkBatch& batch,
                   const std::function<void(std::string_view)>& each);

}  // namespace viv::network
