#pragma once
// The policy of system calls as text: see seccomp.policy for its form. Parsing knows nothing of the
// kernel's numbers; seccomp_filter.h turns rules into a filter.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv::runtime {

struct ArgumentTest {
  enum class Kind { kEqual, kNotEqual, kGreater, kMaskedEqual };
  unsigned argument = 0;  // 0 to 5
  Kind kind = Kind::kEqual;
  std::uint64_t mask = 0;
  std::uint64_t value = 0;

  bool operator==(const ArgumentTest&) const = default;
};

struct PolicyRule {
  int error = 0;
  std::vector<std::string> calls;   // names, or numbers
  std::vector<ArgumentTest> tests;  // all must hold; each of another argument
};

struct Policy {
  std::uint32_t newest = 0;  // higher numbers are refused with ENOSYS
  std::vector<PolicyRule> rules;
};

Result<Policy> ParsePolicy(std::string_view text);

// The text of seccomp.policy, which is built in.
std::string_view BoxPolicyText();

}  // namespace viv::runtime
