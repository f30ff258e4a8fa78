#include "tools/kit/stdio.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <memory>
#include <thread>

#include "rpc/jsonrpc/message.h"
#include "rpc/mcp/revisions.h"

namespace viv::tools {
namespace {

constexpr std::size_t kLineBytesMax = 64 << 20;
constexpr std::size_t kCallsMax = 64;

std::string RenderCall(const json::value& id, const CallResult& called) {
  if (!called) {
    rpc::JsonRpcError error;
    error.code = static_cast<rpc::JsonRpcCode>(called.error().code);
    error.message = AsUtf8(called.error().message);
    return rpc::JsonRpcFailure(id, error);
  }
  json::object result{{"content", called->content}};
  if (called->structured) result["structuredContent"] = *called->structured;
  if (called->is_error) result["isError"] = true;
  return rpc::JsonRpcResult(id, WriteJson(result));
}

class StdioSession {
 public:
  StdioSession(ToolServer& server, int output) : server_(server), output_(output) {}
  ~StdioSession() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return calls_.empty(); });
  }

  void Take(std::string_view line) {
    auto parsed = ParseJson(line);
    if (!parsed) {
      Send(rpc::JsonRpcFailure(nullptr, {rpc::JsonRpcCode::kParseError, "Parse error"}));
      return;
    }
    rpc::JsonRpcMessage message = rpc::ReadJsonRpc(std::move(*parsed));
    switch (message.kind) {
      case rpc::JsonRpcMessage::Kind::kRequest:
        return ToolResult(std::move(message));
      case rpc::JsonRpcMessage::Kind::kNotification:
        return Notice(message);
      case rpc::JsonRpcMessage::Kind::kResponse:
        return;  // we ask nothing
      case rpc::JsonRpcMessage::Kind::kInvalid:
        Send(rpc::JsonRpcFailure(message.id, {rpc::JsonRpcCode::kInvalidRequest, message.problem}));
    }
  }

  void RefuseLongLine() {
    Send(rpc::JsonRpcFailure(
        nullptr, {rpc::JsonRpcCode::kInvalidRequest, "The message is longer than 64 MiB"}));
  }

 private:
  void ToolResult(rpc::JsonRpcMessage request) {
    if (request.method == "tools/call") return Begin(std::move(request));
    if (request.method == "tools/list") {
      Send(rpc::JsonRpcResult(request.id,
                              WriteJson(json::object{{"tools", server_.definitions()}})));
    } else if (request.method == "initialize") {
      Send(rpc::JsonRpcResult(request.id, WriteJson(Initialize(request.params))));
    } else if (request.method == "ping") {
      Send(rpc::JsonRpcResult(request.id, "{}"));
    } else {
      Send(
          rpc::JsonRpcFailure(request.id, {rpc::JsonRpcCode::kMethodNotFound, "Method not found"}));
    }
  }

  json::object Initialize(const json::value& params) const {
    const ServerInfo& info = server_.info();
    json::object result{
        {"protocolVersion", mcp::NegotiatedVersion(FindString(params, "protocolVersion"))},
        {"capabilities", {{"tools", {{"listChanged", false}}}}},
        {"serverInfo", {{"name", info.name}, {"version", info.version}}}};
    if (!info.instructions.empty()) result["instructions"] = info.instructions;
    return result;
  }

  void Notice(const rpc::JsonRpcMessage& notification) {
    if (notification.method != "notifications/cancelled") return;
    const json::value* id = viv::Find(notification.params, "requestId");
    if (id == nullptr) return;
    const std::lock_guard lock(mutex_);
    if (auto call = calls_.find(WriteJson(*id)); call != calls_.end()) *call->second = true;
  }

  void Begin(rpc::JsonRpcMessage request) {
    const std::string key = WriteJson(request.id);
    auto cancelled = std::make_shared<std::atomic<bool>>(false);
    {
      const std::lock_guard lock(mutex_);
      if (calls_.size() >= kCallsMax || !calls_.emplace(key, cancelled).second) {
        Send(rpc::JsonRpcFailure(
            request.id, {rpc::JsonRpcCode::kInternalError,
                         calls_.contains(key) ? "A call with this id is under way"
                                              : "64 calls are under way: wait for one of them"}));
        return;
      }
    }
    std::thread([this, key, cancelled, request = std::move(request)] {
      RunCall(request, *cancelled);
      const std::lock_guard lock(mutex_);
      calls_.erase(key);
      idle_.notify_all();
    }).detach();
  }

  void RunCall(const rpc::JsonRpcMessage& request, const std::atomic<bool>& cancelled) {
    json::object arguments;
    if (const json::value* given = viv::Find(request.params, "arguments");
        given != nullptr && given->is_object())
      arguments = given->get_object();
    CallContext context{cancelled, {}};
    const json::value* meta = viv::Find(request.params, "_meta");
    if (const json::value* token = meta ? viv::Find(*meta, "progressToken") : nullptr)
      context.progress = [this, token](double progress, double total, std::string message) {
        json::object params{{"progressToken", *token}, {"progress", progress}};
        if (total > 0) params["total"] = total;
        if (!message.empty()) params["message"] = AsUtf8(std::move(message));
        Send(rpc::JsonRpcNotification("notifications/progress", params));
      };
    const CallResult called =
        server_.Call(FindString(request.params, "name"), std::move(arguments), context);
    if (!cancelled) Send(RenderCall(request.id, called));
  }

  void Send(std::string message) {
    message += '\n';
    const std::lock_guard lock(output_mutex_);
    for (std::string_view rest = message; !rest.empty();) {
      const ssize_t written = ::write(output_, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return;  // nobody reads any more; the input ends too
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  ToolServer& server_;
  const int output_;
  std::mutex output_mutex_;                                          // a message goes out whole
  std::mutex mutex_;                                                 // guards the one below
  std::map<std::string, std::shared_ptr<std::atomic<bool>>> calls_;  // by their ids
  std::condition_variable idle_;
};

}  // namespace

int ServeStdio(ToolServer& server, int input, int output) {
  StdioSession session(server, output);
  std::string pending;
  bool skipping = false;  // the rest of a line that was too long
  std::vector<char> buffer(256 << 10);
  for (;;) {
    const ssize_t count = ::read(input, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? 1 : 0;
    std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
    for (std::size_t end; (end = bytes.find('\n')) != std::string_view::npos;
         bytes.remove_prefix(end + 1)) {
      pending += bytes.substr(0, end);
      if (!skipping && pending.find_first_not_of(" \t\r") != std::string::npos)
        session.Take(pending);
      pending.clear();
      skipping = false;
    }
    if (skipping) continue;
    pending += bytes;
    if (pending.size() <= kLineBytesMax) continue;
    session.RefuseLongLine();
    pending.clear();
    pending.shrink_to_fit();
    skipping = true;
  }
}

}  // namespace viv::tools
