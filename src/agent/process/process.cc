#include "agent/process/process.h"

#include "agent/process/exit_status.h"

namespace viv::agent {
namespace {

constexpr std::size_t kEndedLogBytesMax = 64 * 1024;  // kept for those who connect late

}  // namespace

Process::Process(asio::any_io_executor executor, Info info, Channels channels, LogRing& logs)
    : RunningProcess(std::move(executor), info.pid, std::move(channels)),
      info_(std::move(info)),
      logs_(logs) {}

void Process::OnOutput(OutputStream stream, std::string_view bytes) {
  output_.Append(stream, bytes);
}

void Process::OnOutputTaken() {
  if (ended() && output_.readers() == 0) output_.Trim(kEndedLogBytesMax);
  if (output_.wants_more()) ResumeReading();
}

void Process::OnEnded() {
  end_event_ = EndEvent(wait_status());
  LogProcessEnd(logs_, pid(), wait_status());
  if (output_.readers() == 0) output_.Trim(kEndedLogBytesMax);
}

}  // namespace viv::agent
