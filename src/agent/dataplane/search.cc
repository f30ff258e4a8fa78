#include "agent/dataplane/search.h"

#include <algorithm>
#include <cstdint>

#include "agent/files/fs_user.h"
#include "agent/files/yield.h"

namespace viv::agent {
namespace {

using SearchClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kSearchSlice{5};
constexpr std::chrono::seconds kSearchTime{20};  // clients wait for a minute

// True when the search is done. A slice makes several steps, because changing the fsuid takes a few
// system calls.
ErrnoOr<bool> RunOneSlice(const std::function<bool()>& step) {
  SearchClock::time_point end = SearchClock::now() + kSearchSlice;
  do {
    if (step()) return true;
  } while (SearchClock::now() < end);
  return false;
}

}  // namespace

Task<bool> RunInSlices(User user, std::function<bool()> step) {
  SearchClock::time_point end = SearchClock::now() + kSearchTime;
  for (;;) {
    ErrnoOr<bool> done = RunAsUser(user, [&] { return RunOneSlice(step); });
    if (!done) co_return false;
    if (*done) co_return true;
    if (SearchClock::now() >= end) co_return false;
    co_await Yield();
  }
}

std::size_t SearchLimit(http::Fields& fields, std::size_t usual, std::size_t most) {
  std::int64_t wanted =
      fields.Integer("limit", 1, INT64_MAX).value_or(static_cast<std::int64_t>(usual));
  return std::min(static_cast<std::size_t>(wanted), most);
}

}  // namespace viv::agent
