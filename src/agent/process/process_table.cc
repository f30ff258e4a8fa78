#include "agent/process/process_table.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace viv::agent {
namespace {

using connect::Code;

std::int64_t SelectedPid(const json::value& selector) {
  const json::value* pid = viv::Find(selector, "pid");
  return pid != nullptr && pid->is_int64() ? pid->get_int64() : -1;
}

}  // namespace

ProcessTable::~ProcessTable() {
  for (const auto& [pid, process] : processes_) process->KillAndReap();
}

std::size_t ProcessTable::running() const {
  auto runs = [](const auto& entry) { return !entry.second->ended(); };
  return static_cast<std::size_t>(std::count_if(processes_.begin(), processes_.end(), runs));
}

bool ProcessTable::is_full() const {
  return processes_.size() >= kRunningMax && running() >= kRunningMax;
}

void ProcessTable::Add(std::shared_ptr<Process> process) {
  ForgetOld();
  pid_t pid = process->info().pid;
  processes_[pid] = std::move(process);
}

connect::RpcResult<std::shared_ptr<Process>> ProcessTable::Find(const json::value* selector,
                                                                Which which) {
  ForgetOld();
  auto fits = [&](const Process& process) {
    return which == Which::kRunningOrEnded || !process.ended();
  };
  if (selector != nullptr && viv::Find(*selector, "pid") != nullptr) {
    std::int64_t pid = SelectedPid(*selector);
    auto found = processes_.find(static_cast<pid_t>(std::clamp<std::int64_t>(pid, -1, 1 << 30)));
    if (found != processes_.end() && fits(*found->second)) return found->second;
    return connect::FailRpc(Code::kNotFound,
                            "process with pid " + std::to_string(pid) + " not found");
  }
  if (selector == nullptr || viv::Find(*selector, "tag") == nullptr) {
    return connect::FailRpc(Code::kInvalidArgument, "select the process by its pid or its tag");
  }
  std::string tag(FindString(*selector, "tag"));
  std::shared_ptr<Process> best;
  for (const auto& [pid, process] : processes_) {
    if (process->info().tag != tag || !fits(*process)) continue;
    bool better =
        !best || (best->ended() && !process->ended()) ||
        (best->ended() == process->ended() && best->info().sequence < process->info().sequence);
    if (better) best = process;
  }
  if (best) return best;
  return connect::FailRpc(Code::kNotFound, "process with tag " + tag + " not found");
}

json::object ProcessTable::List() {
  ForgetOld();
  json::array list;
  for (const auto& [pid, process] : processes_) {
    if (process->ended()) continue;
    json::object info;
    info["config"] = process->info().config;
    info["pid"] = pid;
    if (process->info().tag) info["tag"] = *process->info().tag;
    list.push_back(std::move(info));
  }
  json::object response;
  response["processes"] = std::move(list);
  return response;
}

void ProcessTable::ForgetOld() {
  auto now = std::chrono::steady_clock::now();
  std::vector<std::pair<Process::Time, pid_t>> ended;
  for (const auto& [pid, process] : processes_) {
    if (process->ended()) ended.emplace_back(process->ended_at(), pid);
  }
  std::sort(ended.begin(), ended.end());
  std::size_t left = ended.size();
  for (const auto& [ended_at, pid] : ended) {
    if (left <= kEndedMax && now - ended_at < kEndedKept) break;
    processes_.erase(pid);
    --left;
  }
}

}  // namespace viv::agent
