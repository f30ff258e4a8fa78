#include "dialects/recoup/runs.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include "base/log.h"
#include "base/task_group.h"

namespace viv::recoup {
namespace {

constexpr std::size_t kRunsPerAccountMax = 1000;
constexpr std::size_t kOutputPerAccountMax = 64 << 20;  // it is held in memory

// The runs that are being executed. Used on one thread only.
class ActiveRuns {
 public:
  bool Add(const std::string& id) { return ids_.insert(id).second; }
  void Remove(const std::string& id) { ids_.erase(id); }

 private:
  std::set<std::string> ids_;
};

// Owned by the coroutine of a run: when it ends, for whatever reason, the run is no longer active.
class ActiveRunGuard {
 public:
  ActiveRunGuard(std::shared_ptr<ActiveRuns> runs, std::string id)
      : runs_(std::move(runs)), id_(std::move(id)) {}
  ActiveRunGuard(const ActiveRunGuard&) = delete;
  ActiveRunGuard& operator=(const ActiveRunGuard&) = delete;
  ~ActiveRunGuard() { runs_->Remove(id_); }

 private:
  std::shared_ptr<ActiveRuns> runs_;  // shared: the group may end before the last run does
  std::string id_;
};

Task<void> ExecuteStoredRun(Context& context, std::string id) {
  accounts::DocumentTable::EntryPtr entry = context.runs.Find(id);
  if (entry == nullptr) co_return;
  auto run = ReadRun(*entry);
  if (!run) {
    log::Error("recoup.run_unreadable", {{"run", id}});
    co_return;
  }
  if (run->is_finished()) co_return;
  if (run->task == kSetupTask) {
    co_await RunSetup(context, *std::move(run));
  } else {
    co_await RunCommand(context, *std::move(run));
  }
}

// A run that is interrupted by the end of the server stays recorded as it is, and the next server
// continues it.
Task<void> ExecuteRun(Context& context, std::shared_ptr<ActiveRuns> active_runs, std::string id) {
  ActiveRunGuard guard(std::move(active_runs), id);
  try {
    co_await ExecuteStoredRun(context, id);
  } catch (const boost::system::system_error& error) {
    if (error.code() != asio::error::operation_aborted) throw;
  }
}

// Wakes the executing coroutine when a run is queued, until it goes out of scope.
class QueueWakeup {
 public:
  QueueWakeup(RunQueue& queue, std::shared_ptr<asio::steady_timer> timer) : queue_(queue) {
    queue_.SetWake([timer] { asio::post(timer->get_executor(), [timer] { timer->cancel(); }); });
  }
  QueueWakeup(const QueueWakeup&) = delete;
  QueueWakeup& operator=(const QueueWakeup&) = delete;
  ~QueueWakeup() { queue_.SetWake(nullptr); }

 private:
  RunQueue& queue_;
};

bool IsRunFinished(const accounts::DocumentTable::Entry& entry) {
  std::string_view status = FindString(entry.body, "status");
  return status != "QUEUED" && status != "EXECUTING";
}

std::size_t OutputBytes(const accounts::DocumentTable::Entry& entry) {
  const json::value* output = Find(entry.body, "output");
  if (output == nullptr) return 0;
  return FindString(*output, "stdout").size() + FindString(*output, "stderr").size();
}

// Removes the oldest finished runs until `more` runs and all output fit the limits.
Task<Status> DropOldRuns(Context& context, std::string account_id, std::size_t more) {
  std::vector<accounts::DocumentTable::EntryPtr> over = context.runs.List(account_id);
  std::size_t count = over.size() + more;
  std::erase_if(over, [](const auto& entry) { return !IsRunFinished(*entry); });
  std::sort(over.begin(), over.end(), [](const auto& a, const auto& b) {
    return FindString(a->body, "created_at") < FindString(b->body, "created_at");
  });
  std::size_t bytes = 0;
  for (const auto& entry : over) bytes += OutputBytes(*entry);
  for (const auto& entry : over) {
    if (count <= kRunsPerAccountMax && bytes <= kOutputPerAccountMax) break;
    CO_RETURN_IF_ERROR(co_await context.runs.Remove(entry->id), "make room for a run");
    --count;
    bytes -= OutputBytes(*entry);
  }
  if (count > kRunsPerAccountMax)
    co_return Fail(ErrorCode::kLimitExceeded,
                   "too many runs are under way: wait until some of them have ended");
  co_return Status();
}

}  // namespace

TaskRun NewRun(const Context& context, const std::string& account_id, std::string_view task) {
  TaskRun run;
  run.id = NewRunId();
  run.account_id = account_id;
  run.account_uuid = context.accounts.UuidOf(account_id);
  run.task = task;
  run.created_at_us = run.updated_at_us = context.clock() * 1000;
  return run;
}

Task<Status> StartRun(Context& context, TaskRun run) {
  CO_RETURN_IF_ERROR(co_await DropOldRuns(context, run.account_id, 1));
  CO_RETURN_IF_ERROR(co_await context.runs.Put(WriteRun(run)), "store the run");
  context.run_queue.Push(run.id);
  co_return Status();
}

Task<bool> MarkExecuting(Context& context, TaskRun& run) {
  run.status = "EXECUTING";
  run.updated_at_us = context.clock() * 1000;
  if (!run.started_at_us) run.started_at_us = run.updated_at_us;
  Status kept = co_await context.runs.Put(WriteRun(run));
  if (!kept) log::Error("recoup.run_not_kept", {{"run", run.id}, {"error", kept.error().message}});
  co_return kept.has_value();
}

Task<void> MarkEnded(Context& context, TaskRun& run, RunOutcome end) {
  run.status = std::move(end.status);
  run.output = std::move(end.output);
  run.error = std::move(end.error);
  run.updated_at_us = context.clock() * 1000;
  run.finished_at_us = run.updated_at_us;
  run.stdout_saved = run.stderr_saved = OutputTail();  // they are in the output
  Status kept = co_await context.runs.Put(WriteRun(run));
  if (!kept) {
    log::Error("recoup.run_not_kept", {{"run", run.id}, {"error", kept.error().message}});
    co_return;
  }
  log::Info("recoup.run_ended", {{"run", run.id}, {"status", run.status}});
  Status dropped = co_await DropOldRuns(context, run.account_id, 0);
  if (!dropped) log::Warn("recoup.runs_stay", {{"error", dropped.error().message}});
}

Task<void> ExecuteRuns(Context& context) {
  auto executor = co_await asio::this_coro::executor;
  auto active_runs = std::make_shared<ActiveRuns>();
  TaskGroup tasks(executor);
  auto timer = std::make_shared<asio::steady_timer>(executor);
  QueueWakeup wakeup(context.run_queue, timer);
  std::vector<std::string> ids;
  for (const auto& entry : context.runs.All())
    if (!IsRunFinished(*entry)) ids.push_back(entry->id);
  for (;;) {
    for (std::string& id : ids)
      if (active_runs->Add(id)) tasks.Spawn("recoup run", ExecuteRun(context, active_runs, id));
    ids = context.run_queue.Take();
    if (!ids.empty()) continue;
    // A push after Take cancels the timer on this thread, so not before the wait has begun.
    timer->expires_at(std::chrono::steady_clock::time_point::max());
    co_await timer->async_wait(asio::as_tuple(asio::use_awaitable));
    auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) co_return;
  }
}

}  // namespace viv::recoup
