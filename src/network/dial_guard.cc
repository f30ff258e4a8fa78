#include "network/dial_guard.h"

#include <utility>

#include "base/text.h"
#include "network/policy.h"
#include "network/stream.h"

namespace viv::network {
namespace {

bool NamesLoopback(std::string_view entry) {
  return entry.starts_with("127.") || entry.starts_with("::1") || entry.starts_with("[::1]");
}

bool IsLoopbackOrUnspecified(const Address& address) {
  if (address.IsV4()) return address.bytes[12] == 127 || address.bytes[12] == 0;
  return address == ParseAddress("::1") || address == ParseAddress("::");
}

}  // namespace

struct DialGuard::Opened {
  bool all = false;
  Rules any, loopback;
};

DialGuard::DialGuard() : DialGuard(*Compile({})) {}

Result<DialGuard> DialGuard::Compile(const std::vector<std::string>& open_private) {
  Policy any{open_private, {}, false};
  Policy loopback{{}, {}, false};
  for (const std::string& entry : open_private)
    if (NamesLoopback(entry)) loopback.allow.push_back(entry);
  auto opened = std::make_shared<Opened>();
  ASSIGN_OR_RETURN(opened->any, Rules::Compile(any));
  ASSIGN_OR_RETURN(opened->loopback, Rules::Compile(loopback));
  return DialGuard(std::move(opened));
}

DialGuard DialGuard::AllButMetadata() {
  auto opened = std::make_shared<Opened>();
  opened->all = true;
  return DialGuard(std::move(opened));
}

bool DialGuard::Allows(const Endpoint& endpoint) const {
  const auto& [address, port] = endpoint;
  if (address.IsMetadata()) return false;
  if (opened_->all) return true;
  if (IsLoopbackOrUnspecified(address)) return opened_->loopback.Allows("", address, port);
  if (!address.IsPrivate() && !IsAddressOfThisMachine(address)) return true;
  return opened_->any.Allows("", address, port);
}

Status DialGuard::Check(std::string_view address, std::uint16_t port) const {
  const auto parsed = ParseAddress(address);
  if (parsed && Allows({*parsed, port})) return {};
  return Fail(ErrorCode::kPermissionDenied,
              Printable(address) + " is a private address, which this server does not connect to");
}

bool DialGuard::OpensSomePort(const Address& address) const {
  return opened_->all || opened_->any.AllowsSomePort(address);
}

}  // namespace viv::network
