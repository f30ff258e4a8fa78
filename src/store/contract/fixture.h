#pragma once
// What the tests of a store share: the fixture of the contract, records to write, and ways to wait.

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "store/store.h"

namespace viv::store {

// A place for data that is empty at first. Open again after the store was destroyed: the same data.
class StoreFactory {
 public:
  virtual ~StoreFactory() = default;
  virtual Result<std::unique_ptr<Store>> Open() = 0;
};

using MakeStoreFactory = std::function<std::unique_ptr<StoreFactory>()>;

// Lives until the program ends: a store's thread may still be leaving `post` when `run` returns.
inline asio::io_context& ContextOfThisThread() {
  static std::mutex mutex;
  static std::deque<asio::io_context> contexts;
  thread_local asio::io_context* mine = nullptr;
  if (mine == nullptr) {
    std::lock_guard lock(mutex);
    mine = &contexts.emplace_back();
  }
  return *mine;
}

// Runs the task to its end on this thread.
template <typename T>
T Wait(Task<T> task) {
  asio::io_context& context = ContextOfThisThread();
  context.restart();
  auto value = asio::co_spawn(context, std::move(task), asio::use_future);
  context.run();
  return value.get();
}

inline auto Fields(const Sandbox& it) {
  return std::tie(it.id, it.kind, it.server, it.email, it.state, it.account_id, it.lease_id,
                  it.expires_at_us, it.benchmark, it.image, it.tags_json, it.settings_json,
                  it.error, it.created_at_us, it.updated_at_us);
}

template <typename T>
bool FailedWith(const Result<T>& result, ErrorCode code) {
  return !result && result.error().code == code;
}

// A request of alice; `number` makes its id, email and lease, and is its time.
inline SandboxStore::AcquireRequest Request(const std::string& server, int number) {
  const std::string suffix = std::to_string(number);
  SandboxStore::AcquireRequest request;
  request.lease.id = "id-" + server + "-" + suffix;
  request.lease.server = server;
  request.lease.email = "user" + suffix + "@" + server + ".test";
  request.lease.account_id = "alice";
  request.lease.lease_id = "lease-" + server + "-" + suffix;
  request.lease.tags_json = "null";
  request.lease.settings_json = "{}";
  request.lease.created_at_us = number;
  request.lease.updated_at_us = number;
  return request;
}

// The row as a release leaves it.
inline Sandbox Released(const Sandbox& held, std::int64_t now_us) {
  Sandbox idle = held;
  idle.state = SandboxState::kIdle;
  idle.account_id.clear();
  idle.lease_id.clear();
  idle.expires_at_us.reset();
  idle.updated_at_us = now_us;
  return idle;
}

class StoreContract : public ::testing::TestWithParam<MakeStoreFactory> {
 protected:
  StoreContract() : factory_(GetParam()()) { Reopen(); }

  void Reopen() {
    store_.reset();
    auto opened = factory_->Open();
    EXPECT_TRUE(opened) << opened.error().message;
    if (opened) store_ = *std::move(opened);
  }
  Store& store() { return *store_; }

  SandboxPtr MustAcquire(SandboxStore::AcquireRequest request) {
    auto acquired = Wait(store().Acquire(std::move(request)));
    EXPECT_TRUE(acquired) << acquired.error().message;
    return acquired ? *acquired : nullptr;
  }
  Result<SandboxPtr> Acquire(SandboxStore::AcquireRequest request) {
    return Wait(store().Acquire(std::move(request)));
  }
  Status Update(Sandbox sandbox, std::string lease_id) {
    return Wait(store().Update(std::move(sandbox), std::move(lease_id)));
  }
  Status Release(const SandboxPtr& held, std::int64_t now_us) {
    return Update(Released(*held, now_us), held->lease_id);
  }

  std::map<std::string, Sandbox> Snapshot() {
    std::map<std::string, Sandbox> rows;
    store().ForEachSandbox([&rows](const Sandbox& row) { rows[row.id] = row; });
    return rows;
  }
  // What memory shows is what the disk has.
  void ExpectTheSameAfterReopen() {
    auto before = Snapshot();
    Reopen();
    auto after = Snapshot();
    ASSERT_EQ(before.size(), after.size());
    for (const auto& [id, row] : before) EXPECT_EQ(Fields(row), Fields(after[id])) << id;
  }

 private:
  std::unique_ptr<StoreFactory> factory_;
  std::unique_ptr<Store> store_;
};

}  // namespace viv::store
