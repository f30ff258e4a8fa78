#pragma once
// Requests to the kernel over netlink, written by hand: a batch of labelled messages is built in
// memory, sent at once, and its answers are read. Links, addresses, routes, nft rules, connection
// tracking and socket diagnosis all speak this. The socket lives in the calling thread's network
// namespace for the length of one call; unlike libnftables nothing here minds high descriptors.

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
  // Starts a message; `label` is what an error will call it. NLM_F_REQUEST is implied.
  void Begin(const char* label, std::uint16_t type, std::uint16_t flags);
  void Body(const void* bytes, std::size_t size);  // the fixed header after nlmsghdr

  void Attribute(std::uint16_t type, const void* bytes, std::size_t size);
  void Text(std::uint16_t type, std::string_view text);       // with its closing zero
  void Number32(std::uint16_t type, std::uint32_t value);     // host order, as routes want it
  void NetNumber16(std::uint16_t type, std::uint16_t value);  // network order, as nft wants it
  void NetNumber32(std::uint16_t type, std::uint32_t value);
  void NetNumber64(std::uint16_t type, std::uint64_t value);

  // Attributes until CloseNest lie inside this one.
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

// Sends the batch to that protocol (NETLINK_ROUTE, …) and waits for the kernel's verdict on each
// message that asked for one. The error names the message and is kUnavailable when this kernel
// lacks the facility.
Status SendNetlink(int protocol, const NetlinkBatch& batch);

// Sends a dump request and gives each answer (its bytes after nlmsghdr) to `each`.
Status DumpNetlink(int protocol,
                   const NetlinkBatch& batch,
                   const std::function<void(std::string_view)>& each);

}  // namespace viv::network
