#include "engine/limits/work.h"

#include <utility>

namespace viv::engine {
namespace {

constexpr int kStepsPerProgress = 200;
constexpr std::int64_t kBytesPerCheck = 256 << 10;

constinit thread_local Work* current_work = nullptr;

int OnProgressOfThread(void*) {
  Work* work = current_work;
  return work == nullptr || work->SpendSteps(kStepsPerProgress) ? 0 : 1;
}

bool IsSet(Work::Flag flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

}  // namespace

Work::Work(const WorkLimits& limits, Flag cancelled, Flag also_cancelled)
    : limits_(limits), cancelled_(cancelled), also_cancelled_(also_cancelled) {
  if (limits.time_max) deadline_ = std::chrono::steady_clock::now() + *limits.time_max;
}

void Work::CheckClockAndFlags() {
  ended_ = ended_ || IsSet(cancelled_) || IsSet(also_cancelled_) ||
           (deadline_ && std::chrono::steady_clock::now() > *deadline_);
}

bool Work::Check() {
  CheckClockAndFlags();
  return (outer_ == nullptr || outer_->Check()) && !ended_;
}

bool Work::SpendSteps(std::int64_t steps) {
  steps_ += steps;
  if (steps_ > limits_.steps_max) ended_ = true;
  CheckClockAndFlags();
  return (outer_ == nullptr || outer_->SpendSteps(steps)) && !ended_;
}

bool Work::SpendBytes(std::size_t bytes) {
  bytes_ += static_cast<std::int64_t>(bytes);
  if (bytes_ > limits_.bytes_max) ended_ = true;
  if (bytes_ >= check_at_) {
    check_at_ = bytes_ + kBytesPerCheck;
    CheckClockAndFlags();
  }
  return (outer_ == nullptr || outer_->SpendBytes(bytes)) && !ended_;
}

WorkScope::WorkScope(Work& work)
    : outer_(current_work), memory_(work.limits_.memory_bytes_max, ChargeWork) {
  work.outer_ = outer_;
  current_work = &work;
}

WorkScope::~WorkScope() {
  current_work = outer_;
}

WithoutLimits::WithoutLimits() : outer_(std::exchange(current_work, nullptr)) {}

WithoutLimits::~WithoutLimits() {
  current_work = outer_;
}

Work* CurrentWork() {
  return current_work;
}

bool ChargeWork(std::size_t bytes) {
  return current_work == nullptr || current_work->SpendBytes(bytes);
}

bool CheckWork() {
  return current_work == nullptr || current_work->Check();
}

void InstallWorkLimits(sqlite3* handle) {
  sqlite3_progress_handler(handle, kStepsPerProgress, OnProgressOfThread, nullptr);
}

}  // namespace viv::engine
