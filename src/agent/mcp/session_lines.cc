// Handles the lines of an MCP server: responses, notifications, requests of its own, and its
// standard error.

#include "agent/mcp/descendants.h"
#include "agent/mcp/request_meta.h"
#include "agent/mcp/session.h"
#include "base/text.h"
#include "rpc/jsonrpc/members.h"
#include "rpc/mcp/revisions.h"

namespace viv::agent {
namespace {

constexpr std::size_t kLoggedLineBytesMax = 400;
constexpr std::size_t kErrorTailLinesMax = 20;
constexpr int kLoggedLinesMax = 50;  // in each period: a flood must not wash all else away
constexpr std::chrono::seconds kLoggedPeriod{10};

// What the modern revision lets a client keep: nothing, for anything may change.
constexpr std::string_view kMcpCaching = R"("ttlMs":0,"cacheScope":"private")";

bool IsCacheable(std::string_view method) {
  return method == "tools/list" || method == "prompts/list" || method == "resources/list" ||
         method == "resources/templates/list" || method == "resources/read";
}

std::string ModernResultOf(std::string_view method, std::string_view result) {
  std::string text(result);
  if (IsCacheable(method) && !rpc::FindMember(text, "ttlMs")) {
    text = rpc::WithMember(std::move(text), kMcpCaching);
  }
  return mcp::AsModernResult(std::move(text));
}

}  // namespace

void McpSession::OnOutput(OutputStream stream, std::string_view bytes) {
  LineSplitter& splitter = stream == OutputStream::kStdout ? lines_ : error_lines_;
  while (!bytes.empty()) {
    std::optional<std::string> line = splitter.Take(bytes);
    if (!line) continue;
    if (stream == OutputStream::kStdout) {
      HandleLine(*std::move(line));
    } else {
      HandleErrorLine(*line);
    }
  }
  // Whose answer it was is unknown, and its caller must not wait for ever.
  if (lines_.lost_one()) KillSoon("it wrote a line of more than 32 MiB");
}

void McpSession::HandleErrorLine(std::string_view line) {
  std::string text = viv::Printable(Trim(line), kLoggedLineBytesMax);
  if (text.empty()) return;
  error_tail_.push_back(text);
  if (error_tail_.size() > kErrorTailLinesMax) error_tail_.pop_front();
  Time now = Clock::now();
  if (now - logged_since_ >= kLoggedPeriod) {
    logged_since_ = now;
    logged_lines_ = 0;
  }
  if (++logged_lines_ > kLoggedLinesMax) return;
  logs_.Add(LogRing::Level::kInfo, "MCP server " + definition_.name + ": " + text,
            {{"event_type", "mcp_stderr"}, {"server", definition_.name}, {"pid", pid()}});
}

void McpSession::HandleLine(std::string line) {
  if (Trim(line).empty()) return;
  Result<json::value> value = ParseJson(line);
  if (!value) {
    HandleErrorLine("no JSON on standard output: " + line.substr(0, kLoggedLineBytesMax));
    return;
  }
  if (const json::array* batch = value->if_array()) {
    for (const json::value& item : *batch) HandleMessage(WriteJson(item), item);
  } else {
    HandleMessage(OnOneLine(line), *value);
  }
}

void McpSession::HandleMessage(std::string_view text, const json::value& value) {
  using Kind = rpc::JsonRpcMessage::Kind;
  rpc::JsonRpcMessage message = rpc::ReadJsonRpc(value);
  switch (message.kind) {
    case Kind::kResponse:
      return HandleResponse(text, message.id);
    case Kind::kRequest:
      return RespondToServer(text, message);
    case Kind::kNotification:
      return HandleServerNotification(text, message);
    case Kind::kInvalid:
      return HandleErrorLine("no JSON-RPC on standard output: " +
                             std::string(text.substr(0, kLoggedLineBytesMax)));
  }
}

void McpSession::HandleResponse(std::string_view text, const json::value& id) {
  if (!id.is_int64()) return;
  std::int64_t number = id.get_int64();
  if (number == 0) return HandleInitializeResult(text);
  if (number == kDiscoverNumber) return HandleDiscoverResult(text);
  auto found = calls_.find(number);
  if (found != calls_.end()) Finish(number, ResponseFor(*found->second, text));
}

std::string McpSession::ResponseFor(const McpCall& call, std::string_view text) const {
  std::string answer = R"({"jsonrpc":"2.0","id":)" + call.id;
  std::optional<std::string_view> result = rpc::FindMember(text, "result");
  if (result && modern_ && !call.modern && !IsCompleteResult(*result)) {
    return answer + R"(,"error":{"code":-32603,"message":"The server asks its caller for more )" +
           R"(input, which clients of this protocol revision cannot give it"}})";
  }
  if (result) {
    answer += R"(,"result":)";
    answer += call.modern ? ModernResultOf(call.method, *result) : *result;
  } else {
    answer += R"(,"error":)";
    answer += rpc::FindMember(text, "error").value_or("null");
  }
  return answer + '}';
}

void McpSession::HandleInitializeResult(std::string_view text) {
  if (!initialize_result_.empty() || !refusal_.empty()) return;
  std::optional<std::string_view> result = rpc::FindMember(text, "result");
  if (!result || !result->starts_with('{')) {
    refusal_ = viv::Printable(text, kLoggedLineBytesMax);
    Queue(DiscoverLine());
    return;
  }
  OnInitialized(std::string(*result));
  Queue(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
}

void McpSession::HandleDiscoverResult(std::string_view text) {
  if (!initialize_result_.empty() || refusal_.empty()) return;
  std::optional<std::string_view> result = rpc::FindMember(text, "result");
  std::optional<std::string> initialize_result =
      result ? InitializeResultOfDiscovery(*result, definition_.name) : std::nullopt;
  if (!initialize_result) {
    KillSoon("it refused initialize: " + refusal_);
    return;
  }
  modern_ = true;
  OnInitialized(*std::move(initialize_result));
}

void McpSession::OnInitialized(std::string initialize_result) {
  initialize_result_ = std::move(initialize_result);
  own_processes_ = CountDescendants(pid());
  last_used_ = Clock::now();
  state_changed_.NotifyAll();
  supervised_.NotifyAll();
}

// There is no one client to ask: many speak with this process, one after the other or at once.
void McpSession::RespondToServer(std::string_view text, const rpc::JsonRpcMessage& request) {
  std::optional<std::string_view> written = rpc::FindMember(text, "id");
  std::string id = written ? std::string(*written) : WriteJson(request.id);
  std::string answer = R"({"jsonrpc":"2.0","id":)" + id;
  if (request.method == "ping") {
    answer += R"(,"result":{}})";
  } else {
    std::string problem = "Method not found: " + request.method.substr(0, kLoggedLineBytesMax);
    answer += R"(,"error":{"code":-32601,"message":)";
    AppendJsonString(answer, problem);
    answer += "}}";
  }
  Queue(std::move(answer));
}

void McpSession::HandleServerNotification(std::string_view text,
                                          const rpc::JsonRpcMessage& notification) {
  if (notification.method == "notifications/cancelled") return;
  if (notification.method != "notifications/progress") {
    // The modern revision has only messages here, and only for those who asked for them.
    int level = notification.method == "notifications/message" ? LogLevelOf(notification.params)
                                                               : kNoLogLevel;
    for (const auto& [number, call] : calls_) {
      if (!call->modern || (level != kNoLogLevel && level >= call->log_level)) {
        QueueNotification(*call, std::string(text));
      }
    }
    return;
  }
  const json::value* token = Find(notification.params, "progressToken");
  if (token == nullptr || !token->is_int64()) return;
  auto found = calls_.find(token->get_int64());
  if (found == calls_.end() || found->second->progress_token.empty()) return;
  std::optional<std::string_view> params = rpc::FindMember(text, "params");
  std::optional<std::string_view> place =
      params ? rpc::FindMember(*params, "progressToken") : std::nullopt;
  if (place)
    QueueNotification(*found->second,
                      rpc::ReplacePart(text, *place, found->second->progress_token));
}

}  // namespace viv::agent
