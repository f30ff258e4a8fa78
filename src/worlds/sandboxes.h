#pragma once
// The domain's interface to worlds: acquiring, using and releasing sandboxes. A sandbox is a pooled
// account with a name of its own; a lease binds it to a caller, and everything that happens in it
// belongs to the lease. When a call returns, its effect is durable. A sandbox of another account is
// treated as missing. Thread-safe.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "accounts/budgets.h"
#include "base/clock.h"
#include "base/fair_pool.h"
#include "base/json.h"
#include "base/result.h"
#include "base/task.h"
#include "engine/catalogue.h"
#include "engine/world.h"
#include "store/store.h"
#include "worlds/worlds.h"

namespace viv::worlds {

struct SandboxLimits {
  std::size_t sandboxes_per_server_max =
      100'000;  // pooled accounts of one app; further acquires find none idle
  std::int64_t inline_steps = 200'000;  // a call that needs more moves off the connection's thread
  std::int64_t call_steps_max = 500'000'000;   // SQLite virtual-machine steps of one call
  std::chrono::milliseconds inline_time{200};  // as inline_steps, within functions, too
  std::int64_t operation_memory_bytes = std::int64_t{1} << 30;  // that its statements hold
  std::chrono::milliseconds operation_time{60'000};  // of a call, a dump, a diff, a verify …
  accounts::Budgets* budgets =
      nullptr;  // of the accounts; outlives what it is given to; nullptr: none
};

struct AcquireOptions {
  std::string account_id;
  std::string server;
  std::string benchmark;                    // empty: none
  std::optional<std::string> email;         // a particular pooled account
  json::value tags;                         // null, an object or a list
  std::optional<std::int64_t> ttl_seconds;  // nullopt: never expires
};

// Which sandbox, and for whom. `server` may be empty: any.
struct SandboxRef {
  std::string account_id;
  std::string server;
  std::string sandbox_id;
};

class Sandboxes {
 public:
  Sandboxes(store::Store& store,
            engine::Catalogue& catalogue,
            Worlds& worlds,
            FairPool& pool,
            SandboxLimits limits);

  Task<Result<store::SandboxPtr>> Acquire(AcquireOptions options);
  Result<store::SandboxPtr> Get(const SandboxRef& ref) const;

  struct Released {
    store::SandboxPtr sandbox;
    bool skipped = false;  // `instance_id` named an earlier lease
  };
  Task<Result<Released>> Release(SandboxRef ref, std::optional<std::string> instance_id);
  Task<Status> Reset(SandboxRef ref);
  Task<Result<engine::LoadReport>> Initialize(SandboxRef ref,
                                              engine::World::StartFrom start,
                                              json::value document);
  Task<Result<json::value>> Dump(SandboxRef ref, engine::DumpForm form);
  Task<Result<json::value>> Save(SandboxRef ref);  // the full document with the whole state
  Task<Result<json::value>> Diff(SandboxRef ref);
  Task<Result<json::value>> Verify(SandboxRef ref, json::array expectations);
  Task<Result<store::SandboxPtr>> Fork(SandboxRef ref);
  Task<Status> SetFaults(SandboxRef ref, json::value document);
  Task<Result<json::value>> GetFaults(SandboxRef ref);
  Task<Status> SetClock(SandboxRef ref, engine::ClockMode mode, std::optional<std::int64_t> now_ms);
  Task<Result<engine::WorldState>> Clock(SandboxRef ref);

  using ListQuery = store::SandboxStore::ListQuery;
  using Page = store::SandboxStore::Page;
  Page List(const ListQuery& query) const { return store_.ListSandboxes(query); }

  // For MCP: the lease is the capability. kNotFound once it has ended.
  Result<store::SandboxPtr> FindLease(std::string_view lease_id) const;
  // The world behind a lease. One that cannot be read makes its sandbox `error`, until it is reset
  // or released.
  Task<Result<LiveWorldPtr>> Open(store::SandboxPtr sandbox);
  // `cancelled` outlives the call.
  Task<Result<engine::ToolResult>> Call(LiveWorldPtr live,
                                        std::string tool,
                                        json::object arguments,
                                        const std::atomic<bool>& cancelled);

  // Releases the leases that have expired. Called periodically.
  Task<std::size_t> ReleaseExpired();

  // Cancels running and later calls, because the server stops.
  void CancelCalls() { stopping_ = true; }

  engine::Catalogue& catalogue() { return catalogue_; }

 private:
  store::Sandbox NewLease(const engine::LoadedApp& loaded, const AcquireOptions& options) const;
  Task<Result<store::SandboxPtr>> TakeLease(store::SandboxStore::AcquireRequest request);
  Task<Status> EndLease(store::SandboxPtr sandbox, store::Sandbox idle_record);
  std::optional<Result<engine::ToolResult>> CallInline(LiveWorld& live,
                                                       const std::string& tool,
                                                       const json::object& arguments);
  template <typename Work>
  auto RunLocked(LiveWorld& live, Work& work) -> decltype(work(std::declval<engine::World&>()));
  template <typename Work>
  auto WithWorld(SandboxRef ref, Work work) -> Task<decltype(work(std::declval<engine::World&>()))>;

  store::Store& store_;
  engine::Catalogue& catalogue_;
  Worlds& worlds_;
  FairPool& pool_;  // for worlds only, so that they do not delay boxes
  SandboxLimits limits_;
  std::atomic<bool> stopping_{false};
};

}  // namespace viv::worlds
