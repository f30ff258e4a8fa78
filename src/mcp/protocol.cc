#include "mcp/protocol.h"

#include <algorithm>
#include <charconv>

#include "base/log.h"
#include "base/version.h"

namespace viv::mcp {
namespace {

using rpc::JsonRpcCode;

// A lease's tools never change, so that clients may keep the list for long, each for itself.
constexpr std::string_view kCaching = R"("ttlMs":3600000,"cacheScope":"private")";

Reply ErrorReply(const json::value& id, JsonRpcCode code, std::string message) {
  return Reply{.body = rpc::JsonRpcFailure(id, {code, std::move(message)})};
}

std::string TextResult(std::string_view text, bool is_error) {
  std::string out = R"({"content":[{"type":"text","text":)";
  AppendJsonString(out, text);
  out += is_error ? R"(}],"isError":true)" : "}]";
  return out;
}

std::string RenderCallResult(const engine::ToolResult& answer) {
  std::string out;
  if (answer.content) {
    out = R"({"content":)" + WriteJson(*answer.content);
  } else {
    out = TextResult(answer.text, answer.is_error);
  }
  if (answer.structured && answer.structured->is_object())
    out += R"(,"structuredContent":)" + WriteJson(*answer.structured);
  return out += '}';
}

// What a call wanted the client to hear; progress only if the client gave a token for it.
std::vector<std::string> RenderNotices(const engine::ToolResult& answer,
                                       const json::value& params) {
  std::vector<std::string> messages;
  const json::value* meta = Find(params, "_meta");
  const json::value* token = meta == nullptr ? nullptr : Find(*meta, "progressToken");
  for (const engine::Notice& notice : answer.notices) {
    json::object values = notice.values;
    if (notice.kind == engine::Notice::Kind::kLog) {
      messages.push_back(rpc::JsonRpcNotification("notifications/message", values));
    } else if (token != nullptr) {
      values["progressToken"] = *token;
      messages.push_back(rpc::JsonRpcNotification("notifications/progress", values));
    }
  }
  return messages;
}

Reply CancelledReply() {
  Reply answer;
  answer.status = 202;
  answer.cancelled = true;
  return answer;
}

}  // namespace

Reply Protocol::ResultReply(const json::value& id, std::string result_json, Era era) {
  if (era == Era::kModern) result_json = AsModernResult(std::move(result_json));
  return Reply{.body = rpc::JsonRpcResult(id, result_json)};
}

Task<Reply> Protocol::Handle(store::SandboxPtr sandbox,
                             rpc::JsonRpcMessage request,
                             std::string_view version) {
  Era era = version == kModernVersion ? Era::kModern : Era::kHandshake;
  if (request.method == "tools/call")
    co_return co_await CallTool(std::move(sandbox), std::move(request), era);
  if (request.method == "tools/list") co_return ListTools(*sandbox, request, era);
  if (request.method == "initialize") co_return Initialize(*sandbox, request);
  if (request.method == "server/discover" && era == Era::kModern)
    co_return Discover(*sandbox, request);
  if (request.method == "ping" || request.method == "logging/setLevel")
    co_return ResultReply(request.id, "{}", era);
  co_return ErrorReply(request.id, JsonRpcCode::kMethodNotFound,
                       "Method not found: " + request.method);
}

void Protocol::Notify(const store::Sandbox& sandbox, const rpc::JsonRpcMessage& notification) {
  if (notification.method != "notifications/cancelled") return;
  if (const json::value* id = Find(notification.params, "requestId"))
    calls_in_progress_.Cancel(sandbox.lease_id, *id);
}

Reply Protocol::Initialize(const store::Sandbox& sandbox, const rpc::JsonRpcMessage& request) {
  auto loaded = sandboxes_.catalogue().FindVersion(sandbox.image);
  if (!loaded) return ErrorReply(request.id, JsonRpcCode::kInternalError, loaded.error().message);
  std::string_view asked = FindString(request.params, "protocolVersion");
  if (asked.empty())
    return ErrorReply(request.id, JsonRpcCode::kInvalidParams, "protocolVersion must be a string");
  const engine::App& app = *(*loaded)->app;
  json::object result{
      {"protocolVersion", NegotiatedVersion(asked)},
      {"capabilities", {{"tools", {{"listChanged", false}}}, {"logging", json::object()}}},
      {"serverInfo", {{"name", app.name}, {"title", app.title}, {"version", Version()}}},
  };
  if (!app.instructions.empty()) result["instructions"] = app.instructions;
  return ResultReply(request.id, WriteJson(result), Era::kHandshake);
}

Reply Protocol::Discover(const store::Sandbox& sandbox, const rpc::JsonRpcMessage& request) {
  auto loaded = sandboxes_.catalogue().FindVersion(sandbox.image);
  if (!loaded) return ErrorReply(request.id, JsonRpcCode::kInternalError, loaded.error().message);
  const engine::App& app = *(*loaded)->app;
  json::object server{{"name", app.name}, {"title", app.title}, {"version", Version()}};
  json::object result{
      {"supportedVersions", KnownVersions()},
      {"capabilities", {{"tools", json::object()}}},
      {"_meta", {{"io.modelcontextprotocol/serverInfo", std::move(server)}}},
  };
  if (!app.instructions.empty()) result["instructions"] = app.instructions;
  std::string text = WriteJson(result);
  text.insert(1, std::string(kCaching) + ",");
  return ResultReply(request.id, std::move(text), Era::kModern);
}

Reply Protocol::ListTools(const store::Sandbox& sandbox,
                          const rpc::JsonRpcMessage& request,
                          Era era) {
  auto loaded = sandboxes_.catalogue().FindVersion(sandbox.image);
  if (!loaded) return ErrorReply(request.id, JsonRpcCode::kInternalError, loaded.error().message);
  const engine::Profile& profile =
      (*loaded)->app->profile(sandbox.benchmark.empty() ? "default" : sandbox.benchmark);
  std::size_t begin = 0;
  if (const json::value* cursor = Find(request.params, "cursor")) {
    std::string_view text = cursor->is_string() ? View(cursor->get_string()) : std::string_view();
    auto read = std::from_chars(text.data(), text.data() + text.size(), begin);
    if (text.empty() || read.ptr != text.data() + text.size() || begin >= profile.listing.size()) {
      return ErrorReply(request.id, JsonRpcCode::kInvalidParams, "Invalid cursor");
    }
  }
  std::size_t end = std::min(begin + options_.tools_page, profile.listing.size());
  std::string result = R"({"tools":[)";
  for (std::size_t i = begin; i < end; ++i) {
    if (i > begin) result += ',';
    result += profile.listing[i];
  }
  result += ']';
  if (end < profile.listing.size()) result += R"(,"nextCursor":")" + std::to_string(end) + '"';
  if (era == Era::kModern) (result += ',') += kCaching;
  return ResultReply(request.id, result + '}', era);
}

Task<Reply> Protocol::CallTool(store::SandboxPtr sandbox, rpc::JsonRpcMessage request, Era era) {
  std::string tool(FindString(request.params, "name"));
  if (tool.empty())
    co_return ErrorReply(request.id, JsonRpcCode::kInvalidParams, "name must be a string");
  json::object arguments;
  if (const json::value* given = Find(request.params, "arguments");
      given != nullptr && !given->is_null()) {
    if (!given->is_object())
      co_return ErrorReply(request.id, JsonRpcCode::kInvalidParams, "arguments must be an object");
    arguments = given->get_object();
  }
  auto live = co_await sandboxes_.Open(sandbox);
  if (!live) co_return ErrorReply(request.id, JsonRpcCode::kInternalError, live.error().message);
  worlds::FaultEffect fault = (*live)->faults.Next(tool);
  CancellableCalls::Call under_way = calls_in_progress_.Begin(sandbox->lease_id, request.id);
  if (fault.latency_ms > 0) co_await under_way.Sleep(std::chrono::milliseconds(fault.latency_ms));
  if (under_way.cancelled()) co_return CancelledReply();
  if (fault.status) {
    Reply answer =
        ErrorReply(request.id, JsonRpcCode::kInternalError, fault.error.value_or("injected fault"));
    answer.status = *fault.status;
    answer.retry_after_s = fault.retry_after_s;
    co_return answer;
  }
  if (fault.error) co_return ResultReply(request.id, TextResult(*fault.error, true) + '}', era);
  auto called = co_await sandboxes_.Call(*live, tool, std::move(arguments), under_way.cancelled());
  if (!called && under_way.cancelled()) co_return CancelledReply();
  if (called) {
    Reply answer = ResultReply(request.id, RenderCallResult(*called), era);
    answer.messages = RenderNotices(*called, request.params);
    co_return answer;
  }
  switch (called.error().code) {
    case ErrorCode::kNotFound:
      co_return ErrorReply(request.id, JsonRpcCode::kInvalidParams, called.error().message);
    case ErrorCode::kLimitExceeded:
      co_return ResultReply(
          request.id,
          TextResult("The call took too long and was stopped; nothing was changed.", true) + '}',
          era);
    case ErrorCode::kUnavailable:
      log::Warn("tool.unavailable",
                {{"sandbox", sandbox->id}, {"tool", tool}, {"error", called.error().message}});
      co_return ErrorReply(request.id, JsonRpcCode::kInternalError, called.error().message);
    default:
      log::Error("tool.failed",
                 {{"sandbox", sandbox->id}, {"tool", tool}, {"error", called.error().message}});
      co_return ErrorReply(request.id, JsonRpcCode::kInternalError, "Internal error");
  }
}

}  // namespace viv::mcp
