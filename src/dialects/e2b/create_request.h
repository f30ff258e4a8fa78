#pragma once
// The body of a create request, which is checked completely before anything is created.

#include "accounts/sealer.h"
#include "base/result.h"
#include "boxes/boxes.h"
#include "http/fields.h"
#include "http/message.h"

namespace viv::e2b {

inline constexpr std::int64_t kTimeoutMaxSeconds = 86'400;
inline constexpr std::int64_t kTimeoutDefault = 300;
inline constexpr std::int64_t kTimeoutDefaultOld = 15;  // of the older operations

enum class CreateVersion { kOne, kTwo };

// Of a create and of whatever else starts a sandbox: one that would end at once is refused.
std::int64_t ReadTimeout(http::Fields& fields, std::int64_t fallback);

// What may be a secret in it is sealed.
Result<boxes::CreateBox> ReadCreateRequest(const http::Request& request,
                                           CreateVersion version,
                                           const accounts::Sealer& sealer);

}  // namespace viv::e2b
