// Pauses, resumes, stops and resets boxes, and resumes them for traffic.

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"
#include "base/shielded.h"
#include "boxes/box_manager.h"
#include "boxes/box_manager_budget.h"

namespace viv::boxes {
namespace {

constexpr std::int64_t kWokenSecondsMin = 300;
constexpr std::chrono::milliseconds kPortRetry{20};
constexpr int kPortTriesMax = 500;

bool MayTrafficWake(const Box& box) {
  switch (box.spec.wake) {
    case WakeOnTraffic::kNever:
      return false;
    case WakeOnTraffic::kPaused:  // the sender of a request does not expect a restart
      return box.state == BoxState::kPaused;
    case WakeOnTraffic::kAlways:
      return box.state == BoxState::kPaused || box.state == BoxState::kStopped;
  }
  return false;
}

// The handle of a box without processes: only its files are left. Without a folder, the next start
// creates one.
BoxHandle StoppedHandle(const BoxHandle& handle, const BoxSpec& spec) {
  BoxHandle files;
  if (!spec.disposable) files.folder = handle.folder;
  files.overlays = handle.overlays;
  return files;
}

}  // namespace

Task<Status> BoxManager::Pause(std::string account_id, std::string id, Memory memory) {
  co_return co_await Shielded(DoPause(std::move(account_id), std::move(id), memory));
}

Task<Status> BoxManager::DoPause(std::string account_id, std::string id, Memory memory) {
  ASSIGN_OR_CO_RETURN(LockedBox locked, co_await LockBox(std::move(account_id), std::move(id)));
  co_return co_await PauseLocked(locked, memory);
}

Task<Status> BoxManager::PauseLocked(LockedBox& locked, Memory memory) {
  if (locked.box->state != BoxState::kRunning || locked.entry->live == nullptr)
    co_return Fail(ErrorCode::kConflict, "box " + locked.box->id + " is already paused");
  Box box = *locked.box;
  LiveBox& live = *locked.entry->live;
  if (memory == Memory::kKeep) {
    auto freeze = [&live] { return live.cgroup->Freeze(); };
    CO_RETURN_IF_ERROR(co_await pool_.Run(freeze), "pause");
    box.state = BoxState::kPaused;
    box.stopped_at_us = box.updated_at_us = NowUs();
    AddEvent(*locked.entry, "Sandbox paused");
    Status kept = co_await Commit(locked.entry, std::move(box));
    if (!kept) std::ignore = ThawRunning(*locked.entry);
    co_return kept;
  }
  // The record of a stopped box does not name its processes, so that they end even if the server
  // crashes from here on.
  box.state = BoxState::kStopped;
  box.stopped_at_us = box.updated_at_us = NowUs();
  std::unique_ptr<LiveBox> ending = std::move(locked.entry->live);
  locked.entry->handle = StoppedHandle(ending->handle, box.spec);
  AddEvent(*locked.entry, "Sandbox stopped");
  Status kept = co_await Commit(locked.entry, std::move(box));
  if (!kept) {
    locked.entry->live = std::move(ending);
    co_return kept;
  }
  co_await EndProcesses(locked.entry, std::move(ending), locked.box->spec);
  co_return Status();
}

Task<void> BoxManager::EndProcesses(BoxEntryPtr entry,
                                    std::unique_ptr<LiveBox> live,
                                    const BoxSpec& spec) {
  const auto files = spec.disposable ? BoxHost::Files::kRemove : BoxHost::Files::kKeep;
  co_await End(std::move(live), files, entry->layers);
}

Task<Result<Boxes::Connected>> BoxManager::Connect(std::string account_id,
                                                   std::string id,
                                                   std::int64_t timeout_seconds) {
  co_return co_await Shielded(DoConnect(std::move(account_id), std::move(id), timeout_seconds));
}

Task<Result<Boxes::Connected>> BoxManager::DoConnect(std::string account_id,
                                                     std::string id,
                                                     std::int64_t timeout_seconds) {
  ASSIGN_OR_CO_RETURN(LockedBox locked, co_await LockBox(std::move(account_id), std::move(id)));
  Connected connected;
  connected.was_running = locked.box->state == BoxState::kRunning;
  if (!connected.was_running) {
    ASSIGN_OR_CO_RETURN(connected.box, co_await Wake(locked, timeout_seconds));
    co_return connected;
  }
  CO_RETURN_IF_ERROR(co_await CompleteResume(locked));
  locked.entry->active_at_us = NowUs();
  Box box = *locked.box;
  const std::int64_t ends_at_us = EndTime(box.spec, NowUs(), timeout_seconds);
  connected.box = locked.box;
  if (ends_at_us <= box.ends_at_us) co_return connected;
  box.ends_at_us = ends_at_us;
  connected.box = std::make_shared<const Box>(box);
  CO_RETURN_IF_ERROR(co_await Commit(locked.entry, std::move(box)));
  co_return connected;
}

// A box that cannot be woken becomes failed if it survives exits; otherwise it stays as it is.
Task<Result<BoxPtr>> BoxManager::Wake(LockedBox& locked, std::int64_t timeout_seconds) {
  CO_RETURN_IF_ERROR(
      ChargeToRun(*locked.entry, *locked.box));  // an exhausted budget is no failure of the box
  ScopedChargeUpdate charge_update(*this, locked.entry);
  auto woken = co_await DoWake(locked, timeout_seconds);
  if (woken || !locked.box->spec.survives_exit) co_return woken;
  log::Warn("box.not_woken", {{"box", locked.box->id}, {"error", woken.error().message}});
  if (locked.entry->live == nullptr)
    std::ignore = co_await FailLocked(locked, woken.error().message);
  co_return woken;
}

// The record is written first: whatever happens here, the next start of the server thaws a box that
// is recorded as running.
Task<Result<BoxPtr>> BoxManager::DoWake(LockedBox& locked, std::int64_t timeout_seconds) {
  Box box = *locked.box;
  const bool frozen = box.state == BoxState::kPaused && locked.entry->live != nullptr;
  if (locked.entry->frozen_for_disk) CO_RETURN_IF_ERROR(CheckDiskSpace());
  box.state = BoxState::kRunning;
  box.message.clear();
  box.stopped_at_us = 0;
  box.started_at_us = box.updated_at_us = NowUs();
  box.ends_at_us = EndTime(box.spec, box.started_at_us, timeout_seconds);
  locked.entry->active_at_us = box.started_at_us;
  AddEvent(*locked.entry, "Sandbox resumed");
  if (frozen) {
    CO_RETURN_IF_ERROR(co_await Commit(locked.entry, box));
    locked.entry->thaw_due = true;
    locked.box = index_.Find(box.id).box;
    CO_RETURN_IF_ERROR(co_await CompleteResume(locked), "resume");
  } else {
    CO_RETURN_IF_ERROR(co_await RestartProcesses(locked, box), "start again");
    locked.entry->setup_due = false;
  }
  log::Info("box.woken", {{"box", box.id}, {"memory", frozen}});
  locked.box = std::make_shared<const Box>(std::move(box));
  co_return locked.box;
}

Status BoxManager::ThawRunning(BoxEntry& entry) {
  Status thawed = entry.live->cgroup->Thaw();
  entry.thaw_due = !thawed;
  return thawed;
}

// Does what is left to do of a resume: thaws the box and sends its latest settings to the agent.
Task<Status> BoxManager::CompleteResume(LockedBox& locked) {
  BoxEntry& entry = *locked.entry;
  if (entry.live == nullptr || entry.frozen_for_disk) co_return Status();
  if (entry.thaw_due) {
    auto thaw = [&entry] { return ThawRunning(entry); };
    CO_RETURN_IF_ERROR(co_await pool_.Run(thaw));
  }
  if (!entry.setup_due) co_return Status();
  CO_RETURN_IF_ERROR(co_await SetUp(*entry.live, *locked.box));
  entry.setup_due = false;
  co_return Status();
}

// The box has no processes then; its files are kept unless it is disposable.
Task<Status> BoxManager::FailLocked(LockedBox& locked, std::string message) {
  Box box = *locked.box;
  box.state = BoxState::kFailed;
  box.message = std::move(message);
  box.stopped_at_us = box.updated_at_us = NowUs();
  std::unique_ptr<LiveBox> ending = std::move(locked.entry->live);
  const BoxHandle handle = locked.entry->handle;
  if (ending != nullptr) locked.entry->handle = StoppedHandle(ending->handle, box.spec);
  AddEvent(*locked.entry, "Sandbox failed: " + box.message);
  Status kept = co_await Commit(locked.entry, std::move(box));
  if (!kept) {  // the record still names the processes
    locked.entry->live = std::move(ending);
    locked.entry->handle = handle;
    co_return kept;
  }
  if (ending != nullptr) co_await EndProcesses(locked.entry, std::move(ending), locked.box->spec);
  co_return kept;
}

Task<Status> BoxManager::RestartProcesses(LockedBox& locked, const Box& box) {
  CO_RETURN_IF_ERROR(CheckDiskSpace());
  BoxHost::StartRequest request;
  request.overlays = locked.entry->handle.overlays;
  request.folder = locked.entry->handle.folder;
  request.limits = box.spec.limits;
  request.disk_bytes = box.spec.disk_bytes;
  request.egress = EgressOf(box);
  ASSIGN_OR_CO_RETURN(locked.entry->live, co_await StartOnPool(std::move(request)));
  Status ready = co_await SetUp(*locked.entry->live, box);
  if (ready) ready = co_await Commit(locked.entry, box);
  if (!ready) {
    // Files that this start made are in no record.
    const auto files =
        locked.entry->handle.folder.empty() ? BoxHost::Files::kRemove : BoxHost::Files::kKeep;
    co_await End(std::move(locked.entry->live), files, locked.entry->layers);
    co_return ready;
  }
  exits_.Add(locked.entry->live->pidfd.get(), locked.entry->live->handle.name);
  co_return Status();
}

Task<Status> BoxManager::Reset(std::string account_id, std::string id) {
  co_return co_await Shielded(DoReset(std::move(account_id), std::move(id)));
}

// One write to the record replaces the old processes and files by the new ones. The old ones are
// ended after the response, or by the next start of the server.
Task<Status> BoxManager::DoReset(std::string account_id, std::string id) {
  CO_RETURN_IF_ERROR(CheckDiskSpace());
  ASSIGN_OR_CO_RETURN(LockedBox locked, co_await LockBox(std::move(account_id), std::move(id)));
  BoxEntry& entry = *locked.entry;
  if (locked.box->state != BoxState::kRunning) CO_RETURN_IF_ERROR(ChargeToRun(entry, *locked.box));
  ScopedChargeUpdate charge_update(*this, locked.entry);
  StartPoint from;
  from.parked_key = entry.parked_key;
  from.limits.cpus = -1;  // matches no parked box, so that the limits of this box are applied
  from.disk_bytes = -1;
  from.overlays = entry.live != nullptr ? entry.live->handle.overlays : entry.handle.overlays;
  ASSIGN_OR_CO_RETURN(std::unique_ptr<LiveBox> live, co_await TakeOrStart(from, *locked.box));
  Box box = *locked.box;
  box.state = BoxState::kRunning;
  box.message.clear();
  box.stopped_at_us = 0;
  box.started_at_us = box.updated_at_us = NowUs();
  std::swap(entry.live, live);
  AddEvent(entry, "Sandbox reset");
  if (Status kept = co_await Commit(locked.entry, box); !kept) {
    std::swap(entry.live, live);
    co_await End(std::move(live), BoxHost::Files::kRemove, entry.layers);
    co_return kept;
  }
  exits_.Add(entry.live->pidfd.get(), entry.live->handle.name);
  const std::string old_folder = std::exchange(entry.handle, entry.live->handle).folder;
  entry.active_at_us = box.started_at_us;
  entry.setup_due = false;
  if (live != nullptr) {
    exits_.Remove(live->handle.name);
    ::syscall(SYS_pidfd_send_signal, live->pidfd.get(), SIGKILL, nullptr, 0);
  }
  log::Info("box.reset", {{"box", box.id}});
  auto executor = co_await asio::this_coro::executor;
  asio::co_spawn(executor, EndReplaced(std::move(live), old_folder, entry.layers), asio::detached);
  co_return Status();
}

Task<void> BoxManager::EndReplaced(std::unique_ptr<LiveBox> live,
                                   std::string folder,
                                   BoxLayers::Reference layer_reference) {
  if (live != nullptr) {
    co_await End(std::move(live), BoxHost::Files::kRemove, std::move(layer_reference));
    co_return;
  }
  if (folder.empty()) co_return;
  auto work = [this, &folder] { return host_.RemoveFiles(folder); };
  Status removed = co_await pool_.Run(work);
  if (!removed)
    log::Error("box.files_left", {{"folder", folder}, {"error", removed.error().message}});
}

// Returns the box once it runs: it is resumed if traffic may wake it, and one that is starting is
// waited for.
Task<Result<BoxIndex::Found>> BoxManager::EnsureRunning(std::string id) {
  BoxIndex::Found found = index_.Find(id);
  if (found.box == nullptr) co_return Fail(ErrorCode::kNotFound, "box " + id + " does not exist");
  found.entry->active_at_us = NowUs();
  if (found.entry->frozen_for_disk)
    co_return Fail(ErrorCode::kLimitExceeded,
                   "box " + id + " stands still: the disk of this server is almost full");
  if (found.box->state == BoxState::kRunning) co_return found;
  if (!MayTrafficWake(*found.box) && found.box->state != BoxState::kStarting)
    co_return Fail(ErrorCode::kConflict, "box " + id + " does not run");
  ASSIGN_OR_CO_RETURN(LockedBox locked, co_await LockBox("", id));
  if (locked.box->state != BoxState::kRunning) {
    if (!MayTrafficWake(*locked.box))
      co_return Fail(ErrorCode::kConflict, "box " + id + " does not run");
    const std::int64_t seconds = std::max(kWokenSecondsMin, locked.box->spec.timeout_seconds);
    auto woken = co_await Wake(locked, seconds);
    if (!woken) co_return PassUp(std::move(woken).error());
  }
  co_return index_.Find(id);
}

Task<Result<UniqueFd>> BoxManager::DialAgent(std::string id) {
  ASSIGN_OR_CO_RETURN(BoxIndex::Found found, co_await Shielded(EnsureRunning(std::move(id))));
  co_return host_.DialAgent(*found.handle);
}

Task<Result<UniqueFd>> BoxManager::DialPort(std::string id, std::uint16_t port) {
  ASSIGN_OR_CO_RETURN(BoxIndex::Found found, co_await Shielded(EnsureRunning(std::move(id))));
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (int tries = 1;; ++tries) {
    auto connection = host_.DialPort(*found.handle, port);
    // A listener with a full accept queue gets the time that TCP would give it.
    const bool queued = !connection && connection.error().code == ErrorCode::kUnavailable;
    if (!queued && !connection && connection.error().code == ErrorCode::kNotFound)
      co_return Fail(ErrorCode::kUnavailable, connection.error().message);  // the box exists
    if (!queued || tries == kPortTriesMax) co_return connection;
    timer.expires_after(kPortRetry);
    auto [stopped] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    if (stopped) co_return connection;
  }
}

}  // namespace viv::boxes
