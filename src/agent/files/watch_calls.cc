#include "agent/files/watch_calls.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/ids.h"

namespace viv::agent {
namespace {

using connect::Code;
using connect::FailRpc;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kPolledWatchersMax = 64;  // a box's root has 128 inotify instances

bool FlagMember(const json::object& message, std::string_view name) {
  const json::value* member = message.if_contains(name);
  return member != nullptr && member->is_bool() && member->get_bool();
}

std::string WatcherIdOf(const json::object& message) {
  const json::value* id = message.if_contains("watcherId");
  return id != nullptr && id->is_string() ? std::string(View(id->get_string())) : std::string();
}

// Counts as long as it lives.
class CountedStart {
 public:
  explicit CountedStart(std::size_t& count) : count_(count) { ++count_; }
  ~CountedStart() { --count_; }
  CountedStart(const CountedStart&) = delete;
  CountedStart& operator=(const CountedStart&) = delete;

 private:
  std::size_t& count_;
};

// A message of one member.
json::object WatchMessage(std::string_view member, json::object content) {
  json::object message;
  message[member] = std::move(content);
  return message;
}

// Sends what there is; false when the client went away.
Task<bool> SendEvents(json::array events, connect::MessageWriter& writer) {
  for (json::value& event : events) {
    json::object message = WatchMessage("filesystem", std::move(event.get_object()));
    bool sent = co_await writer.Write(std::move(message));
    if (!sent) co_return false;
  }
  co_return true;
}

}  // namespace

connect::RpcResult<WatchRequest> WatchCalls::ReadWatchRequest(const http::Request& request,
                                                              const json::object& in) const {
  auto asked = ReadCallerAndPath(context_, request, in, "path");
  if (!asked) return tl::unexpected<connect::RpcError>(asked.error());
  WatchRequest wanted;
  wanted.user = std::move(asked->user);
  wanted.path = std::move(asked->path);
  wanted.recursive = FlagMember(in, "recursive");
  wanted.include_entry = FlagMember(in, "includeEntry");
  wanted.allow_network_mounts = FlagMember(in, "allowNetworkMounts");
  return wanted;
}

Task<connect::RpcResult<void>> WatchCalls::WatchDir(const connect::Call& call,
                                                    json::object in,
                                                    connect::MessageWriter& writer) {
  auto wanted = ReadWatchRequest(call.request, in);
  if (!wanted) co_return tl::unexpected<connect::RpcError>(wanted.error());
  auto started = co_await Watcher::Start(context_, *std::move(wanted));
  if (!started) co_return tl::unexpected<connect::RpcError>(started.error());
  std::shared_ptr<Watcher> watcher = *std::move(started);
  auto deadline = SteadyClock::time_point::max();
  if (call.timeout) deadline = SteadyClock::now() + *call.timeout;

  bool listening = co_await writer.Write(WatchMessage("start", json::object()));
  while (listening) {
    auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now());
    if (left.count() <= 0) co_return FailRpc(Code::kDeadlineExceeded, "context deadline exceeded");
    std::chrono::milliseconds keepalive = call.keepalive;
    co_await watcher->Wait(std::min(keepalive, left));
    json::array events = watcher->Take();
    if (!events.empty()) {
      listening = co_await SendEvents(std::move(events), writer);
    } else if (!watcher->failure().empty()) {
      co_return FailRpc(Code::kInternal, watcher->failure());
    } else if (keepalive <= left) {
      listening = co_await writer.Write(WatchMessage("keepalive", json::object()));
    }
  }
  co_return connect::RpcResult<void>();
}

Task<FileRpcResult> WatchCalls::CreateWatcher(const http::Request& request, json::object in) {
  auto wanted = ReadWatchRequest(request, in);
  if (!wanted) co_return tl::unexpected<connect::RpcError>(wanted.error());
  std::erase_if(watchers_, [](const auto& entry) { return entry.second.expired(); });
  if (watchers_.size() + starting_ >= kPolledWatchersMax) {
    co_return FailRpc(Code::kResourceExhausted, "64 watchers exist already: remove one first");
  }
  CountedStart counted(starting_);
  auto started = co_await Watcher::Start(context_, *std::move(wanted));
  if (!started) co_return tl::unexpected<connect::RpcError>(started.error());
  std::string id = "w" + RandomHex(20);
  (*started)->KeepAlive();
  watchers_[id] = *started;
  json::object answer;
  answer["watcherId"] = id;
  co_return answer;
}

connect::RpcResult<std::shared_ptr<Watcher>> WatchCalls::FindWatcher(const json::object& in) const {
  std::string id = WatcherIdOf(in);
  auto found = watchers_.find(id);
  std::shared_ptr<Watcher> watcher = found == watchers_.end() ? nullptr : found->second.lock();
  if (watcher) return watcher;
  return FailRpc(Code::kNotFound, "watcher with id " + id + " not found");
}

Task<FileRpcResult> WatchCalls::GetWatcherEvents(json::object in) {
  auto watcher = FindWatcher(in);
  if (!watcher) co_return tl::unexpected<connect::RpcError>(watcher.error());
  json::array events = (*watcher)->Take();
  if (events.empty() && !(*watcher)->failure().empty()) {
    co_return FailRpc(Code::kInternal, (*watcher)->failure());
  }
  json::object answer;
  answer["events"] = std::move(events);
  co_return answer;
}

Task<FileRpcResult> WatchCalls::RemoveWatcher(json::object in) {
  auto watcher = FindWatcher(in);
  if (!watcher) co_return tl::unexpected<connect::RpcError>(watcher.error());
  (*watcher)->Release();
  watchers_.erase(WatcherIdOf(in));
  co_return json::object();
}

}  // namespace viv::agent
