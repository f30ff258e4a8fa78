#include <algorithm>
#include <charconv>

#include "base/log.h"
#include "dialects/recoup/auth.h"
#include "dialects/recoup/context.h"
#include "dialects/recoup/errors.h"
#include "dialects/recoup/run_record.h"

namespace viv::recoup {
namespace {

constexpr std::size_t kRunsShown = 20;
constexpr std::size_t kRunsShownMax = 100;

http::Response ShowRuns(json::array runs) {
  json::object body{{"status", "success"}, {"runs", std::move(runs)}};
  return http::Json(200, WriteJson(body));
}

// The caller's own, or one of an account it may act for.
http::Response ShowOneRun(const Context& context,
                          const http::Request& request,
                          const std::string& id) {
  accounts::DocumentTable::EntryPtr entry = context.runs.Find(id);
  if (entry == nullptr ||
      !context.accounts.MayActFor(request.identity.account_id, entry->account_id))
    return Failure(404, "Task run not found");
  auto run = ReadRun(*entry);
  if (!run) return FailureOf(run.error());
  return ShowRuns({ShowRun(*run, RunDetail::kWhole)});
}

http::Response ShowNewestRuns(const Context& context,
                              const std::string& account_id,
                              std::size_t limit) {
  std::vector<accounts::DocumentTable::EntryPtr> entries = context.runs.List(account_id);
  // Times are kept as text of one width, which sorts as they do.
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return FindString(a->body, "created_at") > FindString(b->body, "created_at");
  });
  if (entries.size() > limit) entries.resize(limit);
  json::array shown;
  for (const auto& entry : entries) {
    auto run = ReadRun(*entry);
    if (run) {
      shown.push_back(ShowRun(*run, RunDetail::kListed));
    } else {
      log::Error("recoup.run_unreadable", {{"run", entry->id}});
    }
  }
  return ShowRuns(std::move(shown));
}

// Nothing when it is no number of the range.
std::optional<std::size_t> ReadRunLimit(const http::Request& request) {
  std::optional<std::string> text = request.Query("limit");
  if (!text) return kRunsShown;
  std::size_t limit = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), limit);
  if (error != std::errc() || end != text->data() + text->size() || limit < 1 ||
      limit > kRunsShownMax)
    return std::nullopt;
  return limit;
}

}  // namespace

Task<http::Response> ListRuns(Context& context, http::Request& request) {
  auto account_id = AccountOfQuery(context, request);
  if (!account_id) co_return AccountFailure(account_id.error());
  std::optional<std::size_t> limit = ReadRunLimit(request);
  if (!limit) co_return InvalidField("limit", "limit: a whole number from 1 to 100 is expected");
  std::optional<std::string> id = request.Query("runId");
  if (id && id->empty()) co_return InvalidField("runId", "runId: the id of a run is expected");
  if (id) co_return ShowOneRun(context, request, *id);
  co_return ShowNewestRuns(context, *account_id, *limit);
}

}  // namespace viv::recoup
