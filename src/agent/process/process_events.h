#pragma once
// Streams the events of a process to one client: its start, its output and its end.

#include <chrono>
#include <memory>
#include <optional>

#include "agent/process/process.h"
#include "rpc/connect/service.h"

namespace viv::agent {

struct EventStreamRequest {
  std::shared_ptr<Process> process;
  std::uint64_t offset = 0;  // of the first byte of output to tell
  std::chrono::seconds keepalive{90};
  std::optional<Process::Time> deadline;  // the client's; its end is kDeadlineExceeded
  // Whether the stream fails when the process is killed at the end of its lifetime, or reports an
  // end event as for any other end.
  enum class AtTimeout { kFail, kReportEnd } at_timeout = AtTimeout::kReportEnd;
};

// kResourceExhausted when the client is so slow that output was dropped before it was sent.
Task<connect::RpcResult<void>> StreamProcessEvents(EventStreamRequest wanted,
                                                   connect::MessageWriter& writer);

}  // namespace viv::agent
