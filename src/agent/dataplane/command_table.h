#pragma once
// The commands that clients can name. A finished command is kept for the requested time, but the
// number of finished commands and the size of their output are limited: the oldest are dropped
// first. The ids of dropped commands are remembered for a while, so that a late client learns that
// its command has expired.

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "agent/dataplane/command.h"

namespace viv::agent {

class CommandTable {
 public:
  static constexpr std::size_t kFinishedMax = 1024;
  static constexpr std::uint64_t kFinishedBytesMax = 64 * 1024 * 1024;
  static constexpr std::size_t kRunningMax = 1024;
  static constexpr std::size_t kExpiredMax = 4096;

  ~CommandTable();  // kills and collects what still runs

  std::size_t running() const;
  bool is_full() const { return running() >= kRunningMax; }
  void Add(std::shared_ptr<Command> command);
  void Remove(const std::string& id) { commands_.erase(id); }
  std::shared_ptr<Command> Find(const std::string& id);  // nullptr when there is none
  bool is_expired(const std::string& id) const { return expired_.contains(id); }
  void ForgetOld();

 private:
  void Forget(const std::string& id);

  std::map<std::string, std::shared_ptr<Command>> commands_;
  std::set<std::string> expired_;
  std::deque<std::string> expired_order_;
};

}  // namespace viv::agent
