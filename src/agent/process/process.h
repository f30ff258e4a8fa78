#pragma once
// One process of the service process.Process: the output of all its streams in order, and its end
// event.

#include <memory>
#include <optional>
#include <string>

#include "agent/log_ring.h"
#include "agent/process/output_log.h"
#include "agent/process/running_process.h"
#include "base/json.h"

namespace viv::agent {

class Process : public RunningProcess {
 public:
  struct Info {
    pid_t pid = -1;
    std::uint64_t sequence = 0;  // the later started, the higher
    json::object config;         // as the caller gave it
    std::optional<std::string> tag;
  };

  // Takes our ends of `channels`; `logs` outlives it.
  Process(asio::any_io_executor executor, Info info, Channels channels, LogRing& logs);

  const Info& info() const { return info_; }
  OutputLog& output() { return output_; }
  const json::object& end_event() const { return end_event_; }  // of an ended one

  void OnOutputTaken();  // a reader has read, or has ended

 private:
  void OnOutput(OutputStream stream, std::string_view bytes) override;
  void OnStreamEnd(OutputStream) override {}
  void OnEnded() override;
  bool wants_more() override { return output_.wants_more(); }

  const Info info_;
  LogRing& logs_;
  OutputLog output_;
  json::object end_event_;
};

}  // namespace viv::agent
