#include "agent/pipe/piped_process.h"

#include <algorithm>
#include <utility>

#include "agent/process/exit_status.h"
#include "base/text.h"

namespace viv::agent {

std::string PipedProcess::TakeAll() {
  std::string bytes = std::exchange(output_, {});
  ResumeReading();
  return bytes;
}

bool PipedProcess::succeeded() const {
  return wait_status() == 0;
}

std::string PipedProcess::FailureText() const {
  std::string text = viv::Printable(Trim(error_), kErrorBytesMax);
  if (!text.empty()) return text;
  return "the program ended with " + std::string(FindString(EndEvent(wait_status()), "status"));
}

void PipedProcess::OnOutput(OutputStream stream, std::string_view bytes) {
  if (stream == OutputStream::kStdout) {
    output_ += bytes;
  } else {
    error_ += bytes.substr(0, kErrorBytesMax - std::min(error_.size(), kErrorBytesMax));
  }
}

void PipedProcess::OnEnded() {
  LogProcessEnd(logs_, pid(), wait_status());
}

}  // namespace viv::agent
