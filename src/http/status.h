#pragma once
// The status that says what an error means, where a dialect has no other wish.

#include "base/result.h"

namespace viv::http {

int StatusOf(ErrorCode code);

}  // namespace viv::http
