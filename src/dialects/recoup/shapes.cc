#include "dialects/recoup/shapes.h"

#include <algorithm>

#include "base/timestamp.h"

namespace viv::recoup {
namespace {

constexpr std::string_view kSandboxPrefix = "sbx_";
constexpr std::size_t kSandboxLetters = 20;

bool IsLowerOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string IsoMs(std::int64_t micros) {
  constexpr std::size_t kUpToMilliseconds = 23;
  return TimeText(micros).substr(0, kUpToMilliseconds) + 'Z';
}

std::string SandboxIdOf(const boxes::Box& box) {
  return std::string(kSandboxPrefix) + box.id.substr(1);
}

std::optional<std::string> BoxIdOf(std::string_view sandbox_id) {
  if (sandbox_id.starts_with(kSandboxPrefix)) {
    sandbox_id.remove_prefix(kSandboxPrefix.size());
  } else if (sandbox_id.starts_with('i')) {
    sandbox_id.remove_prefix(1);
  } else {
    return std::nullopt;
  }
  if (sandbox_id.size() != kSandboxLetters ||
      !std::all_of(sandbox_id.begin(), sandbox_id.end(), IsLowerOrDigit))
    return std::nullopt;
  return 'i' + std::string(sandbox_id);
}

std::string_view SandboxStatusOf(boxes::BoxState state) {
  switch (state) {
    case boxes::BoxState::kStarting:
      return "pending";
    case boxes::BoxState::kRunning:
      return "running";
    case boxes::BoxState::kPaused:
    case boxes::BoxState::kStopped:
      return "stopped";
    case boxes::BoxState::kFailed:
      return "failed";
  }
  return "failed";
}

std::int64_t RemainingMs(const boxes::Box& box, std::int64_t now_ms) {
  const bool counts =
      box.state == boxes::BoxState::kRunning || box.state == boxes::BoxState::kStarting;
  return counts ? std::max<std::int64_t>(box.ends_at_us / 1000 - now_ms, 0) : 0;
}

json::object ShowSandbox(const boxes::Box& box, std::int64_t now_ms) {
  json::object shown{
      {"sandboxId", SandboxIdOf(box)},
      {"sandboxStatus", SandboxStatusOf(box.state)},
      {"timeout", RemainingMs(box, now_ms)},
      {"createdAt", IsoMs(box.created_at_us)},
  };
  auto run = box.spec.annotations.find(std::string(kRunAnnotation));
  if (run != box.spec.annotations.end()) shown["runId"] = run->second;
  return shown;
}

}  // namespace viv::recoup
