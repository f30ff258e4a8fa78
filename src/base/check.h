#pragma once
// CHECK(holds) states what our own code guarantees; a false one is our bug and aborts with its
// place. Never use it on what a user can send.

namespace viv {

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace viv

#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::viv::CheckFailed(#condition, __FILE__, __LINE__))
