#include "worlds/faults.h"

#include "base/text.h"

namespace viv::worlds {
namespace {

constexpr std::int64_t kLatencyMsMax = 60'000;
constexpr std::size_t kRulesMax = 100;

Result<std::int64_t> ReadCount(const json::value& rule,
                               std::string_view name,
                               std::int64_t fallback,
                               std::int64_t max) {
  const json::value* value = Find(rule, name);
  if (value == nullptr) return fallback;
  if (!value->is_int64() || value->get_int64() < 0 || value->get_int64() > max) {
    return Fail(ErrorCode::kInvalidArgument, std::string(name) + ": a whole number from 0 to " +
                                                 std::to_string(max) + " is expected");
  }
  return value->get_int64();
}

}  // namespace

Result<Faults::Rule> Faults::ReadRule(const json::value& value) {
  if (!value.is_object()) return Fail(ErrorCode::kInvalidArgument, "an object is expected");
  for (const auto& member : value.get_object()) {
    bool known = false;
    for (std::string_view name : {"tool", "error", "status", "retry_after_s", "latency_ms", "every",
                                  "times", "rate_limit"}) {
      known = known || name == std::string_view(member.key());
    }
    if (!known)
      return Fail(ErrorCode::kInvalidArgument,
                  "unknown member '" + std::string(member.key()) + "'");
  }
  Rule rule;
  const json::value* tool = Find(value, "tool");
  if (tool == nullptr || !tool->is_string())
    return Fail(ErrorCode::kInvalidArgument, "tool: a name or pattern is expected");
  rule.tool = std::string(tool->get_string());
  if (const json::value* error = Find(value, "error")) {
    if (!error->is_string()) return Fail(ErrorCode::kInvalidArgument, "error: text is expected");
    rule.effect.error = std::string(error->get_string());
  }
  ASSIGN_OR_RETURN(std::int64_t status, ReadCount(value, "status", 0, 599));
  if (status != 0) rule.effect.status = static_cast<int>(status);
  if (status != 0 && status < 400)
    return Fail(ErrorCode::kInvalidArgument, "status: 400 to 599 is expected");
  ASSIGN_OR_RETURN(rule.effect.retry_after_s, ReadCount(value, "retry_after_s", 0, 86'400));
  ASSIGN_OR_RETURN(rule.effect.latency_ms, ReadCount(value, "latency_ms", 0, kLatencyMsMax));
  ASSIGN_OR_RETURN(rule.every, ReadCount(value, "every", 1, 1'000'000));
  if (rule.every == 0) return Fail(ErrorCode::kInvalidArgument, "every: at least 1 is expected");
  if (Find(value, "times") != nullptr) {
    ASSIGN_OR_RETURN(rule.times, ReadCount(value, "times", 0, 1'000'000'000));
  }
  if (const json::value* limit = Find(value, "rate_limit")) {
    ASSIGN_OR_RETURN(rule.after, ReadCount(*limit, "calls", 0, 1'000'000'000), "rate_limit");
    ASSIGN_OR_RETURN(rule.effect.retry_after_s, ReadCount(*limit, "retry_after_s", 1, 86'400),
                     "rate_limit");
    if (!rule.effect.error && !rule.effect.status)
      rule.effect.error =
          "rate_limited: retry after " + std::to_string(rule.effect.retry_after_s) + " seconds";
  }
  if (!rule.effect.error && !rule.effect.status && rule.effect.latency_ms == 0) {
    return Fail(ErrorCode::kInvalidArgument,
                "one of error, status, latency_ms or rate_limit is expected");
  }
  return rule;
}

Status Faults::Set(const json::value& document) {
  const json::value* list = Find(document, "faults");
  if (list == nullptr || !list->is_array())
    return Fail(ErrorCode::kInvalidArgument, "faults: a list is expected");
  if (list->get_array().size() > kRulesMax)
    return Fail(ErrorCode::kInvalidArgument, "faults: at most 100");
  std::vector<Rule> rules;
  for (std::size_t i = 0; i < list->get_array().size(); ++i) {
    ASSIGN_OR_RETURN(Rule rule, ReadRule(list->get_array()[i]),
                     "faults[" + std::to_string(i) + "]");
    rules.push_back(std::move(rule));
  }
  std::lock_guard lock(mutex_);
  rules_ = std::move(rules);
  document_ = json::object{{"faults", *list}};
  return {};
}

json::value Faults::Describe() const {
  std::lock_guard lock(mutex_);
  return document_;
}

FaultEffect Faults::Next(std::string_view tool) {
  FaultEffect all;
  std::lock_guard lock(mutex_);
  for (Rule& rule : rules_) {
    if (!MatchesGlob(rule.tool, tool)) continue;
    ++rule.seen;
    bool due = rule.seen > rule.after && (rule.seen - rule.after) % rule.every == 0 &&
               (!rule.times || rule.done < *rule.times);
    if (!due) continue;
    ++rule.done;
    all.latency_ms += rule.effect.latency_ms;
    if (!all.error && !all.status) {
      all.error = rule.effect.error;
      all.status = rule.effect.status;
      all.retry_after_s = rule.effect.retry_after_s;
    }
  }
  all.latency_ms = std::min(all.latency_ms, kLatencyMsMax);
  return all;
}

}  // namespace viv::worlds
