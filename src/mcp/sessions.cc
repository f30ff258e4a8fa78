#include "mcp/sessions.h"

#include "base/ids.h"

namespace viv::mcp {
namespace {

constexpr std::size_t kNameDigits = 32;
constexpr std::size_t kSignatureDigits = 32;

}  // namespace

std::string Sessions::Signature(std::string_view lease_id, std::string_view name) const {
  return Sha256Hex(secret_ + "/" + std::string(lease_id) + "/" + std::string(name) + "/" + secret_)
      .substr(0, kSignatureDigits);
}

std::string Sessions::Make(std::string_view lease_id) const {
  std::string name = RandomHex(kNameDigits);
  return name + Signature(lease_id, name);
}

bool Sessions::IsLive(std::string_view lease_id, std::string_view session_id) const {
  if (session_id.size() != kNameDigits + kSignatureDigits) return false;
  if (!EqualsInConstantTime(session_id.substr(kNameDigits),
                            Signature(lease_id, session_id.substr(0, kNameDigits))))
    return false;
  std::lock_guard lock(mutex_);
  return !ended_.contains(std::string(session_id));
}

void Sessions::End(std::string_view session_id) {
  std::lock_guard lock(mutex_);
  if (ended_.size() >= kEndedMax)
    ended_.clear();  // the lease is the capability; this is only courtesy
  ended_.emplace(session_id);
}

}  // namespace viv::mcp
