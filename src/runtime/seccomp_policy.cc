#include "runtime/seccomp_policy.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <deque>
#include <optional>

#include "base/text.h"

namespace viv::runtime {
namespace {

struct ErrorName {
  std::string_view name;
  int number;
};
constexpr ErrorName kPolicyErrors[] = {
    {"EPERM", EPERM},
    {"ENOSYS", ENOSYS},
    {"EACCES", EACCES},
    {"EAFNOSUPPORT", EAFNOSUPPORT},
    {"EOPNOTSUPP", EOPNOTSUPP},
    {"EPROTONOSUPPORT", EPROTONOSUPPORT},
    {"ESOCKTNOSUPPORT", ESOCKTNOSUPPORT},
};

constexpr std::uint64_t kCallNumberMax = 100'000;

using Words = std::deque<std::string_view>;

std::optional<std::string_view> TakeWord(Words& words) {
  if (words.empty()) return std::nullopt;
  std::string_view word = words.front();
  words.pop_front();
  return word;
}

std::optional<std::uint64_t> PolicyNumber(std::optional<std::string_view> word) {
  if (!word) return std::nullopt;
  int base = word->starts_with("0x") ? 16 : 10;
  std::string_view digits = base == 16 ? word->substr(2) : *word;
  std::uint64_t number = 0;
  auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (error != std::errc() || stop != digits.data() + digits.size()) return std::nullopt;
  return number;
}

// "arg0 == 1", "arg0 & 0xff == 0x10"
std::optional<ArgumentTest> TakeTest(Words& words) {
  ArgumentTest test;
  auto argument = TakeWord(words);
  if (!argument || argument->size() != 4 || !argument->starts_with("arg")) return std::nullopt;
  if (argument->back() < '0' || argument->back() > '5') return std::nullopt;
  test.argument = static_cast<unsigned>(argument->back() - '0');
  auto sign = TakeWord(words);
  if (sign == "&") {
    auto mask = PolicyNumber(TakeWord(words));
    if (!mask || TakeWord(words) != "==") return std::nullopt;
    test.kind = ArgumentTest::Kind::kMaskedEqual;
    test.mask = *mask;
  } else if (sign == "==" || sign == "!=" || sign == ">") {
    test.kind = sign == "=="  ? ArgumentTest::Kind::kEqual
                : sign == ">" ? ArgumentTest::Kind::kGreater
                              : ArgumentTest::Kind::kNotEqual;
  } else {
    return std::nullopt;
  }
  auto value = PolicyNumber(TakeWord(words));
  if (!value) return std::nullopt;
  test.value = *value;
  return test;
}

bool TakeTests(Words& words, PolicyRule& rule) {
  unsigned seen = 0;
  do {
    auto test = TakeTest(words);
    if (!test || (seen & (1U << test->argument)) != 0) return false;
    seen |= 1U << test->argument;
    rule.tests.push_back(*test);
    if (words.empty()) return true;
  } while (TakeWord(words) == "and");
  return false;
}

// The words after "deny".
std::optional<PolicyRule> ParseDenial(Words& words) {
  auto error = TakeWord(words);
  PolicyRule rule;
  for (const ErrorName& known : kPolicyErrors)
    if (error == known.name) rule.error = known.number;
  if (rule.error == 0) return std::nullopt;
  while (auto word = TakeWord(words)) {
    if (word == "if") {
      if (rule.calls.empty() || !TakeTests(words, rule)) return std::nullopt;
      return rule;
    }
    rule.calls.emplace_back(*word);
  }
  if (rule.calls.empty()) return std::nullopt;
  return rule;
}

// Whether it is a statement, taken into the policy.
bool ParseStatement(std::string_view line, Policy& policy) {
  Words words;
  for (std::string_view word : Split(line, ' '))
    if (!word.empty()) words.push_back(word);
  auto verb = TakeWord(words);
  if (verb == "newest") {
    auto number = PolicyNumber(TakeWord(words));
    if (!number || *number > kCallNumberMax || policy.newest != 0 || !words.empty()) return false;
    policy.newest = static_cast<std::uint32_t>(*number);
    return true;
  }
  if (verb != "deny") return false;
  auto rule = ParseDenial(words);
  if (rule) policy.rules.push_back(*std::move(rule));
  return rule.has_value();
}

}  // namespace

Result<Policy> ParsePolicy(std::string_view text) {
  auto fail = [](std::size_t line, std::string_view why) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("seccomp policy, line {}: {}", line, why));
  };
  Policy policy;
  std::size_t number = 0;
  bool has_reason = false;  // a comment stands above, with nothing but statements in between
  for (std::string_view line : Split(text, '\n')) {
    ++number;
    line = Trim(line);
    if (line.empty() || line.front() == '#') {
      has_reason = line.size() > 1;
      continue;
    }
    if (!has_reason) return fail(number, "a rule without its reason above it");
    if (!ParseStatement(line, policy)) return fail(number, "no rule: " + std::string(line));
  }
  if (policy.newest == 0) return fail(number, "it does not say which call is the newest it knows");
  return policy;
}

}  // namespace viv::runtime
