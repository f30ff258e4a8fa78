#pragma once
// A program whose standard input and output are the two bodies of one HTTP exchange. It is not read
// while a buffer of its output is full. The first part of its standard error is kept, to explain a
// failure.

#include <cstddef>
#include <string>
#include <string_view>

#include "agent/log_ring.h"
#include "agent/process/running_process.h"

namespace viv::agent {

class PipedProcess : public RunningProcess {
 public:
  static constexpr std::size_t kBufferedBytesMax = 1024 * 1024;
  static constexpr std::size_t kErrorBytesMax = 4 * 1024;

  PipedProcess(asio::any_io_executor executor, pid_t pid, Channels channels, LogRing& logs)
      : RunningProcess(std::move(executor), pid, std::move(channels)), logs_(logs) {}

  bool has_output() const { return !output_.empty(); }
  std::string TakeAll();  // what it wrote and nobody has yet

  bool succeeded() const;           // an ended one: it exited with 0
  std::string FailureText() const;  // an ended one's standard error, or how it ended

 private:
  void OnOutput(OutputStream stream, std::string_view bytes) override;
  void OnStreamEnd(OutputStream) override {}
  void OnEnded() override;
  bool wants_more() override { return output_.size() < kBufferedBytesMax; }

  LogRing& logs_;
  std::string output_;
  std::string error_;
};

}  // namespace viv::agent
