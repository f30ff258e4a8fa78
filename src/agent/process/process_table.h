#pragma once
// The processes that callers can name: the running ones, and for half a minute the ended ones, so
// that a client that connects late still gets their end event.

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "agent/process/process.h"

namespace viv::agent {

class ProcessTable {
 public:
  static constexpr std::chrono::seconds kEndedKept{30};
  static constexpr std::size_t kEndedMax = 256;
  static constexpr std::size_t kRunningMax = 8'192;

  ~ProcessTable();  // kills and collects what still runs

  std::size_t running() const;
  bool is_full() const;
  void Add(std::shared_ptr<Process> process);

  // By a ProcessSelector {pid | tag}; the newest of a tag. kNotFound when there is none.
  enum class Which { kRunning, kRunningOrEnded };
  connect::RpcResult<std::shared_ptr<Process>> Find(const json::value* selector, Which which);

  json::object List();  // a ListResponse of the running ones

 private:
  void ForgetOld();

  // By pid, which a running and an ended process may share: the newest counts.
  std::map<pid_t, std::shared_ptr<Process>> processes_;
};

}  // namespace viv::agent
