#pragma once
// A BoxManager over fakes, the check that its records and the fake kernel agree, and the two loops
// that let every step of an operation fail, or be the last one before a crash.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "accounts/budgets.h"
#include "accounts/fake_store.h"
#include "base/blocking_pool.h"
#include "base/run_to_end.h"
#include "boxes/box_manager.h"
#include "boxes/box_records.h"
#include "boxes/fake_box_host.h"
#include "boxes/fake_templates.h"
#include "boxes/fault_plan.h"

namespace viv::boxes {

using Documents = std::map<std::pair<std::string, std::string>, store::Document>;

// A store in memory whose writes are steps of the plan.
class FaultyStore : public accounts::FakeStore {
 public:
  explicit FaultyStore(FaultPlan& faults) : faults_(faults) {}
  Task<Status> PutDocument(store::Document document) override {
    Status taken = faults_.Take("put " + document.kind);
    if (!taken) co_return taken;
    co_return co_await FakeStore::PutDocument(std::move(document));
  }
  Task<Status> RemoveDocument(std::string kind, std::string id) override {
    Status taken = faults_.Take("remove " + kind);
    if (!taken) co_return taken;
    co_return co_await FakeStore::RemoveDocument(std::move(kind), std::move(id));
  }

 private:
  FaultPlan& faults_;
};

// What is left of a server that was killed.
struct MachineState {
  FakeKernel kernel;
  Documents documents;
};

// One run of the server on a machine.
class TestServer {
 public:
  static constexpr char kAccount[] = "mine";

  explicit TestServer(MachineState state = {}, std::size_t parked = 0)
      : store(faults), host(faults, std::move(state.kernel)), parked_(parked) {
    store.documents = std::move(state.documents);
    budgets = *accounts::Budgets::Open(store, {});
  }

  Status Open() {
    BoxManagerOptions options;
    options.parked = parked_;
    options.secret = "secret";
    options.budgets = budgets.get();
    options.now_us = [this] { return now_us; };
    auto opened = BoxManager::Open(store, host, templates, pool, std::move(options));
    if (!opened) return PassUp(std::move(opened).error());
    boxes = *std::move(opened);
    return {};
  }

  MachineState state() const { return {host.kernel(), store.documents}; }

  template <typename T>
  T Run(Task<T> task) {
    return RunToEnd(std::move(task));
  }
  void Tick() {  // one round of maintenance
    asio::io_context io;
    asio::co_spawn(io, boxes->RunMaintenance(), asio::detached);
    io.run();
  }
  void Wait(std::int64_t seconds) { now_us += seconds * 1'000'000; }

  Result<BoxPtr> Create(CreateBox request) { return Run(boxes->Create(std::move(request))); }
  static CreateBox Request(std::string name = "box") {
    CreateBox request;
    request.account_id = kAccount;
    request.template_name = "base";
    request.name = std::move(name);
    return request;
  }
  BoxPtr Named(std::string_view name) const {  // nullptr: there is none
    auto found = boxes->GetByName(kAccount, name);
    return found ? *found : nullptr;
  }
  std::string IdOf(std::string_view name) const {
    const BoxPtr box = Named(name);
    return box == nullptr ? "none" : box->id;
  }
  BoxState StateOf(std::string_view name) const { return Named(name)->state; }
  BoxHandle HandleOf(std::string_view name) const {  // as recorded
    auto found = store.documents.find({kBoxKind, IdOf(name)});
    if (found == store.documents.end()) return {};
    return ReadBoxRecord(found->second.body)->handle;
  }

  FaultPlan faults;
  FaultyStore store;
  FakeBoxHost host;
  FakeTemplates templates;
  BlockingPool pool{1};
  std::int64_t now_us = 1'790'000'000'123'456;
  std::unique_ptr<accounts::Budgets> budgets;
  std::unique_ptr<BoxManager> boxes;  // last: it uses all of the above

 private:
  const std::size_t parked_;
};

inline bool MayHaveProcesses(BoxState state) {
  return state == BoxState::kRunning || state == BoxState::kPaused;
}

// What the account is charged for these boxes.
inline accounts::Amounts ChargeFor(const std::vector<BoxPtr>& boxes) {
  accounts::Amounts sum;
  for (const BoxPtr& box : boxes) {
    const bool runs = box->state == BoxState::kRunning || box->state == BoxState::kStarting;
    sum[accounts::Budget::kBoxes] += 1;
    if (runs) sum[accounts::Budget::kRunning] += 1;
    if (runs)
      sum[accounts::Budget::kCpus] += static_cast<std::int64_t>(box->spec.limits.cpus * 1000);
    if (runs || box->state == BoxState::kPaused)
      sum[accounts::Budget::kMemoryBytes] += box->spec.limits.memory_bytes;
  }
  return sum;
}

// Where records, manager and kernel say different things, each difference in a sentence. Files
// whose removal failed may stay until the next start.
inline std::vector<std::string> Disagreements(const TestServer& server) {
  std::vector<std::string> problems = server.host.misuses();
  const FakeKernel kernel = server.host.kernel();
  const bool disk_is_low = server.boxes->frozen_for_disk() > 0;
  std::set<std::string> names, networks, folders, layers;
  std::vector<BoxPtr> boxes;
  auto need_layers = [&](const std::vector<storage::OverlayMount>& overlays) {
    for (const std::string& layer : LayersIn(overlays)) {
      if (!kernel.layers.contains(layer)) problems.push_back("the layer " + layer + " is missing");
      layers.insert(layer);
    }
  };
  for (const auto& [key, document] : server.store.documents) {
    if (key.first == kSnapshotKind) need_layers(ReadSnapshotRecord(document.body)->overlays);
    if (key.first != kBoxKind) continue;
    const BoxRecord record = *ReadBoxRecord(document.body);
    const BoxHandle& handle = record.handle;
    auto found = server.boxes->Find(record.box.id);
    if (!found) {
      problems.push_back("a record has no box");
      continue;
    }
    const Box& box = **found;
    boxes.push_back(*found);
    const std::string label = "box " + box.spec.name + " ";
    need_layers(handle.overlays);
    // The next start of a disposable box makes new files.
    const bool was_lost = MayHaveProcesses(record.box.state) && !MayHaveProcesses(box.state);
    if (!handle.folder.empty() && !(was_lost && box.spec.disposable)) {
      folders.insert(handle.folder);
      if (!kernel.folders.contains(handle.folder)) problems.push_back(label + "has no files");
    }
    if (!MayHaveProcesses(box.state)) continue;
    if (record.box.state != box.state) problems.push_back(label + "is recorded in another state");
    auto there = kernel.boxes.find(handle.name);
    if (there == kernel.boxes.end() || there->second.has_exited) {
      problems.push_back(label + "has no processes");
      continue;
    }
    names.insert(handle.name);
    networks.insert(handle.network);
    const FakeKernel::Processes& processes = there->second;
    if (processes.handle.folder != handle.folder) problems.push_back(label + "has other files");
    if (!kernel.networks.contains(handle.network)) problems.push_back(label + "has no network");
    if (processes.egress.policy != box.spec.network.egress)
      problems.push_back(label + "has another egress policy");
    if (processes.agent_setup.empty()) problems.push_back(label + "has an agent without setup");
    if (disk_is_low) continue;
    if (processes.is_frozen != (box.state == BoxState::kPaused))
      problems.push_back(label + (processes.is_frozen ? "is frozen" : "is not frozen"));
    auto folder = kernel.folders.find(handle.folder);
    if (folder != kernel.folders.end() && folder->second.limit_bytes != box.spec.disk_bytes)
      problems.push_back(label + "has another disk limit");
  }
  if (server.boxes->size() != boxes.size()) problems.push_back("a box has no record");
  const std::set<std::string> not_removed = server.host.not_removed();
  for (const auto& [name, processes] : kernel.boxes)
    if (!names.contains(name)) problems.push_back("processes without a record: " + name);
  for (const auto& [name, folder] : kernel.folders)
    if (!folders.contains(name) && !not_removed.contains(name))
      problems.push_back("files without a record: " + name);
  for (const std::string& name : kernel.networks)
    if (!networks.contains(name)) problems.push_back("a network without a record: " + name);
  for (const std::string& name : kernel.layers)
    if (!layers.contains(name) && !not_removed.contains(name))
      problems.push_back("a layer without a record: " + name);
  const accounts::Amounts used = server.budgets->UsageOf(TestServer::kAccount);
  const accounts::Amounts expected = ChargeFor(boxes);
  for (accounts::Budget budget : {accounts::Budget::kBoxes, accounts::Budget::kRunning,
                                  accounts::Budget::kCpus, accounts::Budget::kMemoryBytes})
    if (used[budget] != expected[budget])
      problems.push_back("charged " + std::to_string(used[budget]) + " instead of " +
                         std::to_string(expected[budget]) + " of " +
                         std::string(accounts::NameOf(budget).key));
  if (server.host.ending() != 0) problems.push_back("a box is still ending");
  return problems;
}

// Everything can be removed, and then nothing is left.
inline void ExpectRemovable(TestServer& server) {
  std::vector<std::string> ids;
  BoxQuery all;
  all.account_id = TestServer::kAccount;
  for (const BoxPtr& box : server.boxes->List(all).boxes) ids.push_back(box->id);
  for (const std::string& id : ids)
    EXPECT_TRUE(server.Run(server.boxes->Remove(TestServer::kAccount, id)));
  for (const TemplateInfo& it : server.boxes->ListTemplates(TestServer::kAccount)) {
    if (!it.is_snapshot) continue;
    EXPECT_TRUE(server.Run(server.boxes->RemoveTemplate(TestServer::kAccount, it.id)));
  }
  const FakeKernel kernel = server.host.kernel();
  EXPECT_TRUE(kernel.boxes.empty());
  EXPECT_TRUE(kernel.networks.empty());
  EXPECT_TRUE(server.store.documents.empty());
  const std::set<std::string> not_removed = server.host.not_removed();
  for (const auto& [name, folder] : kernel.folders) EXPECT_TRUE(not_removed.contains(name)) << name;
  for (const std::string& name : kernel.layers) EXPECT_TRUE(not_removed.contains(name)) << name;
  EXPECT_EQ(server.budgets->UsageOf(TestServer::kAccount), accounts::Amounts());
}

// The server is killed and started again on what it left.
inline void ExpectRestartAgrees(MachineState state) {
  SCOPED_TRACE("after a restart");
  TestServer next(std::move(state));
  const Status opened = next.Open();
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_THAT(Disagreements(next), ::testing::IsEmpty());
  ExpectRemovable(next);
  EXPECT_TRUE(next.host.kernel().folders.empty());
  EXPECT_TRUE(next.host.kernel().layers.empty());
}

struct Scenario {
  std::function<void(TestServer&)> prepare;
  // Fails when what was asked for did not happen. Called again after a failure, it has to succeed.
  std::function<Status(TestServer&)> operate;
};

inline constexpr std::size_t kScenarioStepsMax = 100;

// Repeats the operation, failing at its first step, its second, and so on, until none fails. All
// agrees at the latest after one round of maintenance, and the operation can be repeated.
inline void FailAtEachStep(const Scenario& scenario) {
  for (std::size_t step = 1; step <= kScenarioStepsMax; ++step) {
    TestServer server;
    ASSERT_TRUE(server.Open());
    scenario.prepare(server);
    ASSERT_THAT(Disagreements(server), ::testing::IsEmpty());
    server.faults.FailAt(step);
    Status done = scenario.operate(server);
    const std::string failed = server.faults.failed();
    server.faults.Clear();
    SCOPED_TRACE("step " + std::to_string(step) + ": " + (failed.empty() ? "none" : failed));
    if (!failed.empty()) server.Tick();  // maintenance repeats what failed
    EXPECT_THAT(Disagreements(server), ::testing::IsEmpty());
    if (failed.empty()) {
      EXPECT_TRUE(done) << done.error().message;
      ExpectRestartAgrees(server.state());
      ExpectRemovable(server);
      EXPECT_GT(step, 1U) << "the operation has no step";
      return;
    }
    if (!done) {
      const Status again = scenario.operate(server);
      EXPECT_TRUE(again) << again.error().message;
      EXPECT_THAT(Disagreements(server), ::testing::IsEmpty());
    }
    ExpectRestartAgrees(server.state());
    ExpectRemovable(server);
  }
  FAIL() << "the operation still fails";
}

// Repeats the operation, and starts another server on what the machine held before each step.
inline void CrashAtEachStep(const Scenario& scenario) {
  for (std::size_t step = 1; step <= kScenarioStepsMax; ++step) {
    TestServer server;
    ASSERT_TRUE(server.Open());
    scenario.prepare(server);
    MachineState left;
    server.faults.VisitAt(step, [&] { left = server.state(); });
    ASSERT_TRUE(scenario.operate(server));
    const bool is_over = server.faults.steps() < step;
    if (is_over) left = server.state();
    SCOPED_TRACE("a crash before step " + std::to_string(step));
    ExpectRestartAgrees(std::move(left));
    if (is_over) return;
  }
  FAIL() << "the operation has too many steps";
}

}  // namespace viv::boxes
