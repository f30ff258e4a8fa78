#pragma once
// Prints the findings of viv doctor as they are made: one line each, with advice if it is needed.

#include <fmt/format.h>

#include <string>

namespace viv::cli {

enum class Verdict { kGood, kWarn, kBad };

class DoctorReport {
 public:
  void Add(Verdict verdict,
           const std::string& what,
           const std::string& finding,
           const std::string& advice = "") {
    constexpr const char* kMarks[] = {"ok  ", "warn", "FAIL"};
    fmt::print("{}  {:<18} {}\n", kMarks[static_cast<int>(verdict)], what, finding);
    if (!advice.empty()) fmt::print("                         → {}\n", advice);
    if (verdict == Verdict::kBad) ++failures_;
  }
  int failures() const { return failures_; }

 private:
  int failures_ = 0;
};

// doctor_storage.cc: whether boxes can be held to their share of the disk. Needs root.
struct StorageToCheck {
  std::string data;      // the data folder, which may not be there yet
  std::string existing;  // the nearest folder above that is
};
void CheckStorage(DoctorReport& report, const StorageToCheck& where);

// doctor_local.cc: whether local sandboxes have what their tools need.
void CheckLocal(DoctorReport& report, const std::string& tools);

}  // namespace viv::cli
