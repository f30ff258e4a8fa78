// Drives BoxManager over FakeBoxHost through every transition of a box. Each transition is repeated
// with a fault at every step of host and store, and with a crash at every step.

#include "boxes/box_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "boxes/box_manager_test_support.h"

namespace viv::boxes {
namespace {

using ::testing::IsEmpty;
constexpr const char* kMine = TestServer::kAccount;

Status Outcome(bool happened, const std::string& what) {
  if (happened) return {};
  return Fail(ErrorCode::kInternal, what);
}

template <typename T>
Status StatusOf(const Result<T>& result) {
  if (!result) return PassUp(result.error());
  return {};
}

void CreateOne(TestServer& server, const CreateBox& request) {
  auto created = server.Create(request);
  ASSERT_TRUE(created) << created.error().message;
}

void Nothing(TestServer&) {}
void OneBox(TestServer& server) {
  CreateOne(server, TestServer::Request());
}

void OnePausedBox(TestServer& server) {
  OneBox(server);
  ASSERT_TRUE(server.Run(server.boxes->Pause(kMine, server.IdOf("box"), Boxes::Memory::kKeep)));
}

void OneStoppedBox(TestServer& server) {
  OneBox(server);
  ASSERT_TRUE(server.Run(server.boxes->Pause(kMine, server.IdOf("box"), Boxes::Memory::kDrop)));
}

Status ConnectBox(TestServer& server) {
  auto connected = server.Run(server.boxes->Connect(kMine, server.IdOf("box"), 300));
  RETURN_IF_ERROR(StatusOf(connected));
  return Outcome(server.StateOf("box") == BoxState::kRunning, "does not run");
}

// Both loops are one test each, so that a report names the transition and the kind of failure.
struct NamedScenario {
  std::string name;
  Scenario scenario;
};
void PrintTo(const NamedScenario& it, std::ostream* out) {
  *out << it.name;
}

CreateBox WithTimeout(OnTimeout on_timeout) {
  CreateBox request = TestServer::Request();
  request.on_timeout = on_timeout;
  request.timeout_seconds = 60;
  return request;
}

Status TickPastEnd(TestServer& server) {
  server.Wait(61);
  server.Tick();
  return {};
}

std::vector<NamedScenario> AllScenarios() {
  std::vector<NamedScenario> all;
  auto add = [&all](std::string name, std::function<void(TestServer&)> prepare,
                    std::function<Status(TestServer&)> operate) {
    all.push_back({std::move(name), {std::move(prepare), std::move(operate)}});
  };

  add("Create", Nothing,
      [](TestServer& s) -> Status { return StatusOf(s.Create(TestServer::Request())); });
  add("CreateDisposable", Nothing, [](TestServer& s) -> Status {
    CreateBox request = TestServer::Request();
    request.disposable = true;
    return StatusOf(s.Create(request));
  });
  // A box that was recorded and did not start is failed; connecting starts it.
  add("CreateRecorded", Nothing, [](TestServer& s) -> Status {
    if (s.Named("box") != nullptr) return ConnectBox(s);
    CreateBox request = TestServer::Request();
    request.return_when = CreateBox::ReturnWhen::kRecorded;
    RETURN_IF_ERROR(StatusOf(s.Create(request)));
    return Outcome(s.StateOf("box") == BoxState::kRunning, s.Named("box")->message);
  });
  add(
      "ConnectToOneThatNeverStarted",
      [](TestServer& s) {
        CreateBox request = TestServer::Request();
        request.return_when = CreateBox::ReturnWhen::kRecorded;
        s.faults.FailAt(2);
        ASSERT_TRUE(s.Create(request));
        s.faults.Clear();
        ASSERT_EQ(s.StateOf("box"), BoxState::kFailed);
      },
      ConnectBox);
  add("PauseKeepingMemory", OneBox, [](TestServer& s) -> Status {
    RETURN_IF_ERROR(s.Run(s.boxes->Pause(kMine, s.IdOf("box"), Boxes::Memory::kKeep)));
    return Outcome(s.StateOf("box") == BoxState::kPaused, "is not paused");
  });
  add("PauseDroppingMemory", OneBox, [](TestServer& s) -> Status {
    RETURN_IF_ERROR(s.Run(s.boxes->Pause(kMine, s.IdOf("box"), Boxes::Memory::kDrop)));
    return Outcome(s.StateOf("box") == BoxState::kStopped, "is not stopped");
  });
  add(
      "StopDisposable",
      [](TestServer& s) {
        CreateBox request = TestServer::Request();
        request.disposable = true;
        CreateOne(s, request);
      },
      [](TestServer& s) -> Status {
        RETURN_IF_ERROR(s.Run(s.boxes->Pause(kMine, s.IdOf("box"), Boxes::Memory::kDrop)));
        return Outcome(s.StateOf("box") == BoxState::kStopped, "is not stopped");
      });
  add("ResumePaused", OnePausedBox, ConnectBox);
  add("StartStopped", OneStoppedBox, ConnectBox);
  add(
      "StartStoppedThatSurvivesExit",
      [](TestServer& s) {
        CreateBox request = TestServer::Request();
        request.survives_exit = true;
        CreateOne(s, request);
        ASSERT_TRUE(s.Run(s.boxes->Pause(kMine, s.IdOf("box"), Boxes::Memory::kDrop)));
      },
      ConnectBox);
  add(
      "StartDisposableAgain",
      [](TestServer& s) {
        CreateBox request = TestServer::Request();
        request.disposable = true;
        CreateOne(s, request);
        ASSERT_TRUE(s.Run(s.boxes->Pause(kMine, s.IdOf("box"), Boxes::Memory::kDrop)));
      },
      ConnectBox);
  // The agent was frozen when the variables changed; it gets them when the box is resumed.
  add(
      "ResumeWithChangedVariables",
      [](TestServer& s) {
        OnePausedBox(s);
        auto change = [](const Box&) -> Result<BoxChange> {
          BoxChange variables;
          variables.variables.emplace()["COLOUR"] = "green";
          return variables;
        };
        ASSERT_TRUE(s.Run(s.boxes->Update(kMine, s.IdOf("box"), change)));
      },
      [](TestServer& s) -> Status {
        RETURN_IF_ERROR(ConnectBox(s));
        const FakeKernel kernel = s.host.kernel();
        const std::string& setup = kernel.boxes.at(s.HandleOf("box").name).agent_setup;
        return Outcome(setup.find("green") != std::string::npos, "the agent has old variables");
      });
  add("ConnectExtendsTheEnd", OneBox, [](TestServer& s) -> Status {
    const std::int64_t end_us = s.now_us + 900'000'000;
    auto connected = s.Run(s.boxes->Connect(kMine, s.IdOf("box"), 900));
    RETURN_IF_ERROR(StatusOf(connected));
    return Outcome(s.Named("box")->ends_at_us == end_us, "has another end");
  });
  add("SetTimeout", OneBox, [](TestServer& s) -> Status {
    const std::int64_t end_us = s.now_us + 20'000'000;
    RETURN_IF_ERROR(s.Run(s.boxes->SetTimeout(kMine, s.IdOf("box"), 20, Boxes::Extend::kSet)));
    return Outcome(s.Named("box")->ends_at_us == end_us, "has another end");
  });
  add(
      "TimeoutKills", [](TestServer& s) { CreateOne(s, WithTimeout(OnTimeout::kKill)); },
      [](TestServer& s) -> Status {
        RETURN_IF_ERROR(TickPastEnd(s));
        return Outcome(s.Named("box") == nullptr, "is still there");
      });
  add(
      "TimeoutPauses", [](TestServer& s) { CreateOne(s, WithTimeout(OnTimeout::kPause)); },
      [](TestServer& s) -> Status {
        RETURN_IF_ERROR(TickPastEnd(s));
        return Outcome(s.StateOf("box") == BoxState::kPaused, "is not paused");
      });
  add(
      "TimeoutStops", [](TestServer& s) { CreateOne(s, WithTimeout(OnTimeout::kStop)); },
      [](TestServer& s) -> Status {
        RETURN_IF_ERROR(TickPastEnd(s));
        return Outcome(s.StateOf("box") == BoxState::kStopped, "is not stopped");
      });
  add(
      "IdleStops",
      [](TestServer& s) {
        CreateBox request = TestServer::Request();
        request.timeout_seconds = 0;
        request.idle_seconds = 30;
        CreateOne(s, request);
      },
      [](TestServer& s) -> Status {
        s.Wait(31);
        s.Tick();
        return Outcome(s.StateOf("box") == BoxState::kStopped, "is not stopped");
      });
  add(
      "StoppedIsRemovedInTheEnd",
      [](TestServer& s) {
        CreateBox request = TestServer::Request();
        request.keep_stopped_seconds = 30;
        CreateOne(s, request);
        ASSERT_TRUE(s.Run(s.boxes->Pause(kMine, s.IdOf("box"), Boxes::Memory::kDrop)));
      },
      [](TestServer& s) -> Status {
        s.Wait(31);
        s.Tick();
        return Outcome(s.Named("box") == nullptr, "is still there");
      });
  add("UpdateNetwork", OneBox, [](TestServer& s) -> Status {
    auto change = [](const Box&) -> Result<BoxChange> {
      BoxChange network;
      network.network.emplace();
      network.network->egress.internet = false;
      return network;
    };
    return StatusOf(s.Run(s.boxes->Update(kMine, s.IdOf("box"), change)));
  });
  add(
      "UpdateName", [](TestServer& s) { CreateOne(s, TestServer::Request("old")); },
      [](TestServer& s) -> Status {
        auto change = [](const Box&) -> Result<BoxChange> {
          BoxChange name;
          name.name = "new";
          return name;
        };
        RETURN_IF_ERROR(StatusOf(s.Run(s.boxes->Update(kMine, s.IdOf("old"), change))));
        return Outcome(s.Named("old") == nullptr && s.Named("new") != nullptr, "has another name");
      });
  add("Reset", OneBox, [](TestServer& s) -> Status {
    const std::string before = s.HandleOf("box").folder;
    RETURN_IF_ERROR(s.Run(s.boxes->Reset(kMine, s.IdOf("box"))));
    return Outcome(s.HandleOf("box").folder != before, "has its old files");
  });
  add("ResetStopped", OneStoppedBox, [](TestServer& s) -> Status {
    const std::string before = s.HandleOf("box").folder;
    RETURN_IF_ERROR(s.Run(s.boxes->Reset(kMine, s.IdOf("box"))));
    return Outcome(s.HandleOf("box").folder != before, "has its old files");
  });
  auto fork = [](TestServer& s) -> Status {
    auto forks = s.Run(s.boxes->Fork(kMine, s.IdOf("box"), 2, 300));
    RETURN_IF_ERROR(StatusOf(forks));
    for (const auto& it : *forks) RETURN_IF_ERROR(StatusOf(it));
    return {};
  };
  add("Fork", OneBox, fork);
  add("ForkStopped", OneStoppedBox, fork);
  auto snapshot = [](TestServer& s) -> Status {
    return StatusOf(s.Run(s.boxes->Snapshot(kMine, s.IdOf("box"), "photo")));
  };
  add("Snapshot", OneBox, snapshot);
  add("SnapshotPaused", OnePausedBox, snapshot);
  add(
      "CreateFromSnapshot",
      [](TestServer& s) {
        OneBox(s);
        ASSERT_TRUE(s.Run(s.boxes->Snapshot(kMine, s.IdOf("box"), "photo")));
        ASSERT_TRUE(s.Run(s.boxes->Remove(kMine, s.IdOf("box"))));
      },
      [](TestServer& s) -> Status {
        CreateBox request = TestServer::Request("copy");
        request.template_name = "photo";
        return StatusOf(s.Create(request));
      });
  add(
      "RemoveSnapshot",
      [](TestServer& s) {
        OneBox(s);
        ASSERT_TRUE(s.Run(s.boxes->Snapshot(kMine, s.IdOf("box"), "photo")));
      },
      [](TestServer& s) -> Status { return s.Run(s.boxes->RemoveTemplate(kMine, "photo")); });
  add("Remove", OneBox,
      [](TestServer& s) -> Status { return s.Run(s.boxes->Remove(kMine, s.IdOf("box"))); });
  add("RemovePaused", OnePausedBox,
      [](TestServer& s) -> Status { return s.Run(s.boxes->Remove(kMine, s.IdOf("box"))); });
  add("RemoveStopped", OneStoppedBox,
      [](TestServer& s) -> Status { return s.Run(s.boxes->Remove(kMine, s.IdOf("box"))); });
  return all;
}

class TransitionTest : public ::testing::TestWithParam<NamedScenario> {};

TEST_P(TransitionTest, LeavesRecordsAndKernelInAgreementWhereverItFails) {
  FailAtEachStep(GetParam().scenario);
}

TEST_P(TransitionTest, LeavesWhatTheNextServerPutsInOrderWhereverItCrashes) {
  CrashAtEachStep(GetParam().scenario);
}

INSTANTIATE_TEST_SUITE_P(BoxManager,
                         TransitionTest,
                         ::testing::ValuesIn(AllScenarios()),
                         [](const auto& it) { return it.param.name; });

class BoxManagerTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(server_.Open()); }
  void ExpectAgreement() { EXPECT_THAT(Disagreements(server_), IsEmpty()); }

  TestServer server_;
};

TEST_F(BoxManagerTest, FindsABoxByIdAndNameForItsAccountOnly) {
  OneBox(server_);
  const std::string id = server_.IdOf("box");
  EXPECT_TRUE(server_.boxes->Get(kMine, id));
  EXPECT_EQ(server_.boxes->Get("other", id).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(server_.boxes->GetByName("other", "box").error().code, ErrorCode::kNotFound);
  BoxQuery query;
  query.account_id = kMine;
  EXPECT_EQ(server_.boxes->List(query).boxes.size(), 1U);
  query.account_id = "other";
  EXPECT_TRUE(server_.boxes->List(query).boxes.empty());
}

TEST_F(BoxManagerTest, RefusesANameThatIsTaken) {
  OneBox(server_);
  EXPECT_EQ(server_.Create(TestServer::Request()).error().code, ErrorCode::kConflict);
  ExpectAgreement();
}

TEST_F(BoxManagerTest, RemovesABoxWhoseFirstProcessExits) {
  for (std::size_t step = 1;; ++step) {
    SCOPED_TRACE(step);
    OneBox(server_);
    server_.host.LoseProcess(server_.HandleOf("box").name);
    server_.faults.FailAt(step);
    server_.Tick();
    const bool has_failed = !server_.faults.failed().empty();
    server_.faults.Clear();
    server_.Tick();  // what failed is done now
    EXPECT_EQ(server_.Named("box"), nullptr);
    ExpectAgreement();
    if (!has_failed || HasFailure()) return;
  }
}

TEST_F(BoxManagerTest, KeepsAFailedBoxThatSurvivesTheExitOfItsProcess) {
  for (std::size_t step = 1;; ++step) {
    SCOPED_TRACE(step);
    CreateBox request = TestServer::Request();
    request.survives_exit = true;
    CreateOne(server_, request);
    server_.host.LoseProcess(server_.HandleOf("box").name);
    server_.faults.FailAt(step);
    server_.Tick();
    const bool has_failed = !server_.faults.failed().empty();
    server_.faults.Clear();
    server_.Tick();
    EXPECT_EQ(server_.StateOf("box"), BoxState::kFailed);
    ExpectAgreement();
    EXPECT_TRUE(ConnectBox(server_));
    ExpectAgreement();
    ASSERT_TRUE(server_.Run(server_.boxes->Remove(kMine, server_.IdOf("box"))));
    if (!has_failed || HasFailure()) return;
  }
}

TEST_F(BoxManagerTest, KeepsABoxThatRunsACommandFromStoppingAsIdle) {
  CreateBox request = TestServer::Request();
  request.idle_seconds = 30;
  CreateOne(server_, request);
  server_.host.ChangeKernel([](FakeKernel& kernel) { kernel.boxes.begin()->second.commands = 1; });
  server_.Wait(31);
  server_.Tick();
  EXPECT_EQ(server_.StateOf("box"), BoxState::kRunning);
  server_.host.ChangeKernel([](FakeKernel& kernel) { kernel.boxes.begin()->second.commands = 0; });
  server_.Wait(31);
  server_.Tick();
  EXPECT_EQ(server_.StateOf("box"), BoxState::kStopped);
  ExpectAgreement();
}

// A running, a paused and a stopped box, a box that is recorded as starting, and a snapshot.
MachineState StateWithBoxes() {
  TestServer server;
  EXPECT_TRUE(server.Open());
  for (const char* name : {"running", "paused", "stopped", "starting"}) {
    CreateBox request = TestServer::Request(name);
    request.survives_exit = true;
    CreateOne(server, request);
  }
  EXPECT_TRUE(server.Run(server.boxes->Pause(kMine, server.IdOf("paused"), Boxes::Memory::kKeep)));
  EXPECT_TRUE(server.Run(server.boxes->Pause(kMine, server.IdOf("stopped"), Boxes::Memory::kDrop)));
  EXPECT_TRUE(server.Run(server.boxes->Snapshot(kMine, server.IdOf("running"), "photo")));
  MachineState state = server.state();
  store::Document& document = state.documents.at({kBoxKind, server.IdOf("starting")});
  BoxRecord record = *ReadBoxRecord(document.body);
  record.box.state = BoxState::kStarting;
  record.handle = {};
  document.body = WriteBoxRecord(record);
  return state;
}

TEST(BoxManagerAdoptionTest, TakesOverBoxesAndEndsWhatHasNoRecord) {
  TestServer server(StateWithBoxes());
  ASSERT_TRUE(server.Open());
  EXPECT_EQ(server.StateOf("running"), BoxState::kRunning);
  EXPECT_EQ(server.StateOf("paused"), BoxState::kPaused);
  EXPECT_EQ(server.StateOf("stopped"), BoxState::kStopped);
  EXPECT_EQ(server.StateOf("starting"), BoxState::kFailed);
  EXPECT_THAT(Disagreements(server), IsEmpty());
}

TEST(BoxManagerAdoptionTest, AgreesAfterOneRoundOfMaintenanceWhateverStepFails) {
  MachineState state = StateWithBoxes();
  // An earlier server was killed while it paused one box and while it held the other for the disk.
  for (auto& [name, box] : state.kernel.boxes) box.is_frozen = !box.is_frozen;
  for (auto& [name, folder] : state.kernel.folders) folder.limit_bytes = 1;
  for (std::size_t step = 1; step < kScenarioStepsMax; ++step) {
    TestServer server(state);
    server.faults.FailAt(step);
    ASSERT_TRUE(server.Open());
    const std::string failed = server.faults.failed();
    server.faults.Clear();
    SCOPED_TRACE(failed);
    server.Tick();
    EXPECT_THAT(Disagreements(server), IsEmpty());
    for (const char* name : {"running", "paused", "stopped", "starting"})
      EXPECT_TRUE(server.Run(server.boxes->Connect(kMine, server.IdOf(name), 300))) << name;
    EXPECT_THAT(Disagreements(server), IsEmpty());
    if (failed.empty()) return;
  }
}

TEST(BoxManagerAdoptionTest, StopsABoxWhoseProcessesAreGone) {
  MachineState state = StateWithBoxes();
  state.kernel.boxes.clear();  // as after a reboot
  state.kernel.networks.clear();
  TestServer server(std::move(state));
  ASSERT_TRUE(server.Open());
  EXPECT_EQ(server.StateOf("running"), BoxState::kStopped);
  EXPECT_EQ(server.StateOf("paused"), BoxState::kStopped);
  EXPECT_THAT(Disagreements(server), IsEmpty());
  EXPECT_TRUE(server.Run(server.boxes->Connect(kMine, server.IdOf("running"), 300)));
  EXPECT_THAT(Disagreements(server), IsEmpty());
}

class DiskTest : public BoxManagerTest {
 protected:
  void SetFree(std::int64_t bytes) {
    server_.host.ChangeKernel([bytes](FakeKernel& kernel) { kernel.space.host_bytes = bytes; });
  }
  void WriteInAll() {
    server_.host.ChangeKernel([](FakeKernel& kernel) {
      for (auto& [name, box] : kernel.boxes) box.written_bytes += 1 << 20;
    });
  }
  static constexpr std::int64_t kLow = 900LL << 20, kCritical = 100LL << 20, kAmple = 50LL << 30;
};

TEST_F(DiskTest, FreezesBoxesThatWriteAndThawsThemWhenThereIsRoom) {
  for (std::size_t step = 1;; ++step) {
    SCOPED_TRACE(step);
    OneBox(server_);
    SetFree(kLow);
    server_.Tick();  // counts what is written so far
    EXPECT_EQ(server_.boxes->frozen_for_disk(), 0U);
    WriteInAll();
    server_.Tick();
    EXPECT_EQ(server_.boxes->frozen_for_disk(), 1U);
    EXPECT_TRUE(server_.host.kernel().boxes.begin()->second.is_frozen);
    EXPECT_EQ(server_.Create(TestServer::Request("other")).error().code, ErrorCode::kUnavailable);
    EXPECT_EQ(server_.boxes->Problems().size(), 1U);
    ExpectAgreement();
    SetFree(kAmple);
    server_.faults.FailAt(step);
    server_.Tick();
    const bool has_failed = !server_.faults.failed().empty();
    server_.faults.Clear();
    server_.Tick();
    EXPECT_EQ(server_.boxes->frozen_for_disk(), 0U);
    EXPECT_THAT(server_.boxes->Problems(), IsEmpty());
    ExpectAgreement();
    ASSERT_TRUE(server_.Run(server_.boxes->Remove(kMine, server_.IdOf("box"))));
    if (!has_failed || HasFailure()) return;
  }
}

TEST_F(DiskTest, FreezesAllBoxesWhenTheReserveItselfIsUsed) {
  for (std::size_t step = 1;; ++step) {
    SCOPED_TRACE(step);
    OneBox(server_);
    server_.faults.FailAt(step);
    SetFree(kCritical);
    server_.Tick();
    const bool has_failed = !server_.faults.failed().empty();
    server_.faults.Clear();
    server_.Tick();
    EXPECT_EQ(server_.boxes->frozen_for_disk(), 1U);
    SetFree(kAmple);
    server_.Tick();
    EXPECT_EQ(server_.boxes->frozen_for_disk(), 0U);
    ExpectAgreement();
    ASSERT_TRUE(server_.Run(server_.boxes->Remove(kMine, server_.IdOf("box"))));
    if (!has_failed || HasFailure()) return;
  }
}

TEST_F(BoxManagerTest, ABoxStartsOnlyWhenItsEarlierProcessesHaveEnded) {
  OneBox(server_);
  server_.host.HoldEndings();
  asio::io_context io;
  Status stopped = Fail(ErrorCode::kInternal, "has not returned");
  auto on_end = [&stopped](std::exception_ptr, Status result) { stopped = std::move(result); };
  asio::co_spawn(io, server_.boxes->Pause(kMine, server_.IdOf("box"), Boxes::Memory::kDrop),
                 on_end);
  while (server_.host.ending() == 0) io.run_one();
  EXPECT_EQ(server_.boxes->ending(), 1U);
  EXPECT_FALSE(stopped);
  server_.host.FinishEndings();
  io.run();
  EXPECT_TRUE(stopped);
  EXPECT_TRUE(ConnectBox(server_));
  ExpectAgreement();
}

TEST_F(BoxManagerTest, FinishesWhatItBeganForACallerThatWentAway) {
  asio::io_context io;
  asio::cancellation_signal hang_up;
  auto on_end = [](std::exception_ptr, Result<BoxPtr>) {};
  server_.faults.HoldAt(1);  // the start of the processes
  asio::co_spawn(io, server_.boxes->Create(TestServer::Request()),
                 asio::bind_cancellation_slot(hang_up.slot(), on_end));
  std::thread caller([&io] { io.run(); });
  server_.faults.WaitUntilHeld();
  asio::post(io, [&hang_up] { hang_up.emit(asio::cancellation_type::all); });
  server_.faults.LetGo();
  caller.join();
  EXPECT_NE(server_.Named("box"), nullptr);
  ExpectAgreement();
}

// A slow start holds the box's lock; whoever connects meanwhile gets the box once it runs.
TEST_F(BoxManagerTest, WhoConnectsToABoxThatIsStartingWaitsForIt) {
  CreateBox request = TestServer::Request();
  request.return_when = CreateBox::ReturnWhen::kRecorded;
  asio::io_context io;
  std::optional<Result<Boxes::Connected>> connected;
  auto on_connected = [&connected](std::exception_ptr, Result<Boxes::Connected> result) {
    connected = std::move(result);
  };
  auto on_created = [&](std::exception_ptr, Result<BoxPtr> created) {
    ASSERT_TRUE(created);
    EXPECT_EQ((*created)->state, BoxState::kStarting);
    asio::co_spawn(io, server_.boxes->Connect(kMine, (*created)->id, 300), on_connected);
  };
  server_.faults.HoldAt(2);
  asio::co_spawn(io, server_.boxes->Create(request), on_created);
  std::thread caller([&io] { io.run(); });
  server_.faults.WaitUntilHeld();
  EXPECT_EQ(server_.StateOf("box"), BoxState::kStarting);
  server_.faults.LetGo();
  caller.join();
  ASSERT_TRUE(connected && *connected);
  EXPECT_EQ((*connected)->box->state, BoxState::kRunning);
  EXPECT_TRUE((*connected)->was_running);
  ExpectAgreement();
}

TEST(BoxManagerParkingTest, GivesAwayAParkedBoxAndEndsTheOthersAtItsEnd) {
  TestServer server({}, 1);
  ASSERT_TRUE(server.Open());
  server.host.WaitForBoxes(1);
  const std::string parked = server.host.kernel().boxes.begin()->first;
  while (server.boxes->parked() == 0) std::this_thread::yield();
  CreateBox request = TestServer::Request();
  request.network.egress.internet = false;
  request.disk_bytes = 1LL << 30;
  CreateOne(server, request);
  EXPECT_EQ(server.HandleOf("box").name, parked);
  const FakeKernel kernel = server.host.kernel();
  EXPECT_FALSE(kernel.boxes.at(parked).egress.policy.internet);
  EXPECT_EQ(kernel.folders.at(parked).limit_bytes, 1LL << 30);
  server.boxes.reset();
  EXPECT_EQ(server.host.kernel().boxes.size(), 1U);
  ASSERT_TRUE(server.Open());
  EXPECT_EQ(server.StateOf("box"), BoxState::kRunning);
}

}  // namespace
}  // namespace viv::boxes
