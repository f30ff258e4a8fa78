#pragma once
// The body of a create, read and checked whole before anything is made.

#include "base/result.h"
#include "http/message.h"
#include "sandbox/boxes.h"
#include "sandbox/secrets.h"

namespace viv::e2b {

inline constexpr std::int64_t kTimeoutMaxSeconds = 86'400;
inline constexpr std::int64_t kTimeoutDefault = 300;
inline constexpr std::int64_t kTimeoutDefaultOld = 15;  // of the older operations

enum class CreateVersion { kOne, kTwo };

// What may be a secret in it is sealed.
Result<sandbox::CreateBox> ReadCreateRequest(const http::Request& request,
                                             CreateVersion version,
                                             const sandbox::Secrets& sealer);

}  // namespace viv::e2b
