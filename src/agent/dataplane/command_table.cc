#include "agent/dataplane/command_table.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace viv::agent {

CommandTable::~CommandTable() {
  for (const auto& [id, command] : commands_) command->KillAndReap();
}

std::size_t CommandTable::running() const {
  auto runs = [](const auto& entry) { return !entry.second->ended(); };
  return static_cast<std::size_t>(std::count_if(commands_.begin(), commands_.end(), runs));
}

void CommandTable::Add(std::shared_ptr<Command> command) {
  ForgetOld();
  std::string id = command->info().id;
  commands_[std::move(id)] = std::move(command);
}

std::shared_ptr<Command> CommandTable::Find(const std::string& id) {
  ForgetOld();
  auto found = commands_.find(id);
  return found == commands_.end() ? nullptr : found->second;
}

void CommandTable::ForgetOld() {
  auto now = std::chrono::steady_clock::now();
  std::vector<std::pair<Command::Time, const Command*>> finished;
  std::uint64_t bytes = 0;
  for (const auto& [id, command] : commands_) {
    if (!command->ended()) continue;
    finished.emplace_back(command->ended_at(), command.get());
    bytes += command->kept_bytes();
  }
  std::sort(finished.begin(), finished.end());
  std::size_t count = finished.size();
  for (const auto& [ended_at, command] : finished) {
    const auto& ttl = command->info().ttl;
    bool old = ttl && now - ended_at >= *ttl;
    bool crowded = count > kFinishedMax || bytes > kFinishedBytesMax;
    if (!old && !crowded) continue;
    --count;
    bytes -= command->kept_bytes();
    Forget(std::string(command->info().id));
  }
}

void CommandTable::Forget(const std::string& id) {
  commands_.erase(id);
  if (!expired_.insert(id).second) return;
  expired_order_.push_back(id);
  if (expired_order_.size() <= kExpiredMax) return;
  expired_.erase(expired_order_.front());
  expired_order_.pop_front();
}

}  // namespace viv::agent
