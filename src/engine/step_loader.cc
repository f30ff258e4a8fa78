#include "engine/step_loader.h"

#include <algorithm>

namespace viv::engine {
namespace {

struct Word {
  std::string_view key;
  Step::Kind kind;
};

constexpr Word kPlainWords[] = {
    {"require", Step::Kind::kRequire}, {"refuse", Step::Kind::kRefuse},
    {"fail", Step::Kind::kFail},       {"let", Step::Kind::kLet},
    {"run", Step::Kind::kRun},         {"each", Step::Kind::kEach},
    {"when", Step::Kind::kWhen},       {"progress", Step::Kind::kProgress},
    {"log", Step::Kind::kLog},
};

}  // namespace

void StepLoader::LoadProcedures(const Yaml& procedures) {
  procedures.ForEachMember(
      [&](const std::string& name, const Yaml& steps) { procedures_.emplace(name, steps); });
  // Each is expanded once even if nothing uses it, so that its mistakes are found.
  for (const auto& [name, steps] : std::map(procedures_)) {
    in_use_ = {name};
    LoadSteps(steps);
  }
  in_use_.clear();
}

Sql StepLoader::MakeSql(std::string text, std::string location) {
  return Sql{.text = std::move(text), .location = std::move(location), .slot = statement_count_++};
}

Sql StepLoader::LoadSql(const Yaml& text) {
  return MakeSql(text.Text(), text.location());
}

Steps StepLoader::LoadSteps(const Yaml& list) {
  Steps steps;
  list.ForEachItem([&](const Yaml& item) { LoadStep(item, steps); });
  return steps;
}

void StepLoader::LoadStep(const Yaml& item, Steps& steps) {
  item.AllowOnly({"require", "refuse",    "fail",  "let",      "run",      "each",   "when",
                  "query",   "guest_sql", "use",   "progress", "log",      "error",  "do",
                  "else",    "text",      "sorts", "as",       "database", "schema", "access"});
  if (item["use"].exists()) return UseProcedure(item["use"], steps);
  if (item["query"].exists()) return steps.push_back(LoadQuery(item));
  if (item["guest_sql"].exists()) return steps.push_back(LoadGuestSql(item));
  for (const Word& word : kPlainWords) {
    Yaml text = item[word.key];
    if (!text.exists()) continue;
    Step step;
    step.kind = word.kind;
    step.error = item["error"].Text("");
    bool needs_error = step.kind == Step::Kind::kRequire || step.kind == Step::Kind::kRefuse;
    if (needs_error && step.error.empty())
      item.ThrowError("'" + std::string(word.key) + "' needs an error text");
    bool has_body = step.kind == Step::Kind::kEach || step.kind == Step::Kind::kWhen;
    if (has_body != item["do"].exists()) {
      item.ThrowError(has_body ? "'do' is missing" : "'do' belongs to 'each' and 'when'");
    }
    step.sql = step.kind == Step::Kind::kWhen
                   ? MakeSql("SELECT (" + text.Text() + ")", text.location())
                   : LoadSql(text);
    step.body = LoadSteps(item["do"]);
    step.otherwise = LoadSteps(item["else"]);
    return steps.push_back(std::move(step));
  }
  item.ThrowError(
      "a step needs one of require, refuse, fail, let, run, each, when, query, guest_sql, "
      "progress, log or use");
}

void StepLoader::UseProcedure(const Yaml& name, Steps& steps) {
  auto found = procedures_.find(name.Text());
  if (found == procedures_.end()) name.ThrowError("there is no procedure '" + name.Text() + "'");
  if (std::find(in_use_.begin(), in_use_.end(), found->first) != in_use_.end()) {
    name.ThrowError("procedure '" + found->first + "' uses itself");
  }
  in_use_.push_back(found->first);
  for (Step& step : LoadSteps(found->second)) steps.push_back(std::move(step));
  in_use_.pop_back();
}

Step StepLoader::LoadQuery(const Yaml& item) {
  Step step;
  step.kind = Step::Kind::kQuery;
  step.target = item["query"].Text();
  if (!app_.queries.contains(step.target))
    item["query"].ThrowError("there is no query '" + step.target + "'");
  step.as = item["as"].Text("found");
  step.error = item["error"].Text("");
  step.sql = MakeSql("SELECT (" + item["text"].Text() + "), (" + item["sorts"].Text("NULL") + ")",
                     item["text"].location());
  return step;
}

Step StepLoader::LoadGuestSql(const Yaml& item) {
  Step step;
  step.kind = Step::Kind::kGuestSql;
  step.as = item["as"].Text("outcome");
  step.error = item["error"].Text("");
  std::string access = item["access"].Text("read");
  if (access != "read" && access != "write") item["access"].ThrowError("access is read or write");
  step.read_only = access == "read";
  step.sql = MakeSql("SELECT (" + item["guest_sql"].Text() + "), (" +
                         item["database"].Text("NULL") + "), (" + item["schema"].Text("NULL") + ")",
                     item["guest_sql"].location());
  return step;
}

}  // namespace viv::engine
