#pragma once
// Boxes of this API run for half an hour, then are stopped and kept for a while, so that they are
// still listed.

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "dialects/recoup/context.h"

namespace viv::recoup {

inline constexpr std::int64_t kBoxSeconds = 30 * 60;

boxes::CreateBox NewBoxFor(const std::string& account_id);

// From the account's snapshot while it has one; where that fails, from the plain template.
Task<Result<boxes::BoxPtr>> CreateFromSnapshot(Context& context, boxes::CreateBox box);

}  // namespace viv::recoup
