// Readers of one process at different speeds.

#include "agent/process/output_log.h"
#include "agent/process/processes_test_support.h"

namespace viv::agent {
namespace {

class ProcessReadersTest : public ProcessesFixture {
 protected:
  static constexpr std::size_t kMuch = OutputLog::kWindowBytes + 2 * OutputLog::kLeadBytesMax;
  const std::string much_ = "head -c " + std::to_string(kMuch) + " /dev/zero";

  void Release(TestStream& stream) {
    stream.stalled = false;
    stream.released.NotifyAll();
  }
};

TEST_F(ProcessReadersTest, MoreOutputThanIsKeptArrivesWhole) {
  TestStream& stream = Shell(much_);
  EXPECT_EQ(stream.stdout_bytes.size(), kMuch);
  EXPECT_EQ(stream.error_code(), "");
}

TEST_F(ProcessReadersTest, TheOnlyReaderSetsThePace) {
  TestStream& stream = Open("Start", ShellRequest("read x; " + much_, true));
  RunUntil([&] { return stream.started(); });
  TestStream& other = Open("Connect", "{" + Selector(stream) + "}");
  RunUntil([&] { return other.started(); });
  stream.cancel.emit(asio::cancellation_type::terminal);
  other.stalled = true;
  EXPECT_EQ(Call("SendInput", Stdin(other, "\n")).status, 200);
  // A second command runs to its end meanwhile; the first waits for its reader.
  EXPECT_EQ(Shell(much_).stdout_bytes.size(), kMuch);
  EXPECT_FALSE(other.done);
  Release(other);
  EXPECT_EQ(Finish(other).stdout_bytes.size(), kMuch);
}

TEST_F(ProcessReadersTest, ASlowReaderHoldsUpNobodyAndIsToldWhatItMissed) {
  TestStream& fast = Open("Start", ShellRequest("read x; " + much_, true));
  RunUntil([&] { return fast.started(); });
  TestStream& slow = Open("Connect", "{" + Selector(fast) + "}");
  RunUntil([&] { return slow.started(); });
  slow.stalled = true;
  EXPECT_EQ(Call("SendInput", Stdin(fast, "\n")).status, 200);
  EXPECT_EQ(Finish(fast).stdout_bytes.size(), kMuch);
  EXPECT_FALSE(slow.done);
  Release(slow);
  EXPECT_EQ(Finish(slow).error_code(), "resource_exhausted");
}

TEST_F(ProcessReadersTest, AProcessNobodyReadsRunsToItsEnd) {
  TestStream& stream = Open("Start", ShellRequest("read x; " + much_ + "; exit 5", true));
  RunUntil([&] { return stream.started(); });
  stream.cancel.emit(asio::cancellation_type::terminal);
  RunUntil([&] { return stream.done; });
  EXPECT_EQ(Call("SendInput", Stdin(stream, "\n")).status, 200);
  RunUntil([&] { return context_.logs.Render().find("process_end") != std::string::npos; });
  EXPECT_EQ(Finish(Open("Connect", "{" + Selector(stream) + "}")).process_end.at("exitCode"), 5);
  TestStream& late =
      Finish(Open("Connect", "{" + Selector(stream) + "}", {{"Viv-Output-Offset", "0"}}));
  EXPECT_EQ(late.error_code(), "resource_exhausted");
}

TEST_F(ProcessReadersTest, LimitsTheReadersOfAProcess) {
  TestStream& stream = OpenShell("sleep 1000");
  RunUntil([&] { return stream.started(); });
  for (int i = 0; i < 63; ++i) {
    TestStream& other = Open("Connect", "{" + Selector(stream) + "}");
    RunUntil([&] { return other.started(); });
  }
  EXPECT_EQ(Finish(Open("Connect", "{" + Selector(stream) + "}")).error_code(),
            "resource_exhausted");
}

}  // namespace
}  // namespace viv::agent
