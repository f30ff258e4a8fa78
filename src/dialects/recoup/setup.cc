#include <algorithm>

#include "base/log.h"
#include "dialects/recoup/account_row.h"
#include "dialects/recoup/auth.h"
#include "dialects/recoup/body.h"
#include "dialects/recoup/errors.h"
#include "dialects/recoup/new_box.h"
#include "dialects/recoup/runs.h"
#include "dialects/recoup/shapes.h"

namespace viv::recoup {
namespace {

// The snapshot that this run created before the server was killed.
std::optional<std::string> FindSetupSnapshot(const Context& context,
                                             const std::string& account_id,
                                             const std::string& name) {
  for (const boxes::TemplateInfo& info : context.boxes.ListTemplates(account_id)) {
    const auto& names = info.names;
    const bool named = std::any_of(names.begin(), names.end(), [&name](const std::string& its) {
      return its == name || its.starts_with(name + ":");
    });
    if (info.is_snapshot && named) return info.id;
  }
  return std::nullopt;
}

// Created once, even if the run is restarted: box and snapshot are found by their names.
Task<Result<std::string>> SnapshotForSetup(Context& context,
                                           std::string account_id,
                                           std::string name) {
  std::optional<std::string> made = FindSetupSnapshot(context, account_id, name);
  auto box = context.boxes.GetByName(account_id, name);
  if (!made) {
    if (!box) {
      boxes::CreateBox wanted = NewBoxFor(account_id);
      wanted.name = name;
      box = co_await context.boxes.Create(std::move(wanted));
      if (!box) co_return PassUp(box.error(), "create a sandbox");
    }
    auto ready = co_await context.boxes.Connect(account_id, (*box)->id, kBoxSeconds);
    if (!ready) co_return PassUp(ready.error(), "start the sandbox");
    auto snapshot = co_await context.boxes.Snapshot(account_id, (*box)->id, name);
    if (!snapshot) co_return PassUp(snapshot.error(), "take a snapshot");
    made = snapshot->id;
  }
  if (box) {
    Status removed = co_await context.boxes.Remove(account_id, (*box)->id);
    if (!removed && removed.error().code != ErrorCode::kNotFound)
      co_return PassUp(removed.error(), "remove the sandbox");
  }
  co_return *made;
}

Task<Result<std::string>> ExecuteSetup(Context& context, std::string account_id, std::string name) {
  CO_RETURN_IF_ERROR(co_await context.repositories.Make(account_id), "make the repository");
  auto template_id = co_await SnapshotForSetup(context, account_id, name);
  if (!template_id) co_return PassUp(template_id.error());
  AccountRow row = FindOrMakeAccountRow(context, account_id);
  AccountRow before = row;
  std::string snapshot_id = SnapshotIdOf(*template_id);
  row.SetSnapshot(snapshot_id, context.clock() * 1000);
  CO_RETURN_IF_ERROR(co_await SaveAccountRow(context, row), "store the snapshot");
  if (before.snapshot_id != snapshot_id) co_await RemoveSetupSnapshot(context, before);
  co_return snapshot_id;
}

}  // namespace

Task<http::Response> SetUpAccount(Context& context, http::Request& request) {
  BodyFields fields(request);
  std::optional<std::string> account_uuid = fields.MaybeEmptyText("account_id");
  if (!fields.ok()) co_return fields.failure();
  auto account_id = AccountOf(context, request, account_uuid);
  if (!account_id) co_return AccountFailure(account_id.error());
  TaskRun run = NewRun(context, *account_id, kSetupTask);
  run.payload = json::object{{"accountId", run.account_uuid}};
  Status started = co_await StartRun(context, run);
  if (!started) co_return FailureOf(started.error());
  json::object body{{"status", "success"}, {"runId", run.id}};
  co_return http::Json(200, WriteJson(body));
}

Task<void> RunSetup(Context& context, TaskRun run) {
  if (!co_await MarkExecuting(context, run)) co_return;
  auto snapshot = co_await ExecuteSetup(context, run.account_id, SetupSnapshotName(run.id));
  RunOutcome end;
  if (snapshot) {
    end.status = "COMPLETED";
    end.output = json::object{{"snapshotId", *snapshot}};
  } else {
    end.status = "FAILED";
    end.error = snapshot.error().message;
    // The failed box is of no use to anyone.
    auto box = context.boxes.GetByName(run.account_id, SetupSnapshotName(run.id));
    if (box) {
      Status ignored = co_await context.boxes.Remove(run.account_id, (*box)->id);
    }
  }
  co_await MarkEnded(context, run, std::move(end));
}

}  // namespace viv::recoup
