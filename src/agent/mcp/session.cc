// The callers' side of a session: requests are sent with ids of our own, and their responses and
// notifications are queued until the callers take them.

#include "agent/mcp/session.h"

#include "agent/mcp/descendants.h"
#include "agent/mcp/request_meta.h"
#include "base/version.h"
#include "rpc/jsonrpc/members.h"
#include "rpc/mcp/revisions.h"

namespace viv::agent {
namespace {

constexpr std::size_t kServerLineBytesMax = McpSession::kLineBytesMax;
constexpr std::size_t kErrorLineBytesMax = 16 * 1024;
constexpr std::size_t kWaitingInputBytesMax = 64 * 1024 * 1024;

std::string InitializeLine() {
  json::object params{{"protocolVersion", mcp::kLatestHandshake},
                      {"capabilities", json::object()},
                      {"clientInfo", {{"name", "vivarium"}, {"version", Version()}}}};
  return WriteJson(json::object{
      {"jsonrpc", "2.0"}, {"id", 0}, {"method", "initialize"}, {"params", std::move(params)}});
}

// The params with our progress token in place of the caller's, which goes to `token`.
std::string WithOwnToken(std::string_view params, std::int64_t number, std::string& token) {
  std::optional<std::string_view> meta = rpc::FindMember(params, "_meta");
  std::optional<std::string_view> given =
      meta ? rpc::FindMember(*meta, "progressToken") : std::nullopt;
  if (!given) return std::string(params);
  token = *given;
  return rpc::ReplacePart(params, *given, std::to_string(number));
}

}  // namespace

McpSession::McpSession(asio::any_io_executor executor,
                       McpDefinition definition,
                       SpawnedProgram spawned,
                       LogRing& logs)
    : RunningProcess(std::move(executor), spawned.pid, std::move(spawned.channels)),
      definition_(std::move(definition)),
      logs_(logs),
      started_at_(Clock::now()),
      last_used_(started_at_),
      lines_(kServerLineBytesMax),
      error_lines_(kErrorLineBytesMax) {
  Queue(InitializeLine());
}

bool McpSession::has_work() const {
  return !ended() && (!calls_.empty() || CountDescendants(pid()) > own_processes_);
}

Result<std::shared_ptr<McpCall>> McpSession::Begin(const McpRequest& request) {
  if (calls_.size() >= kCallsMax) {
    return Fail(ErrorCode::kLimitExceeded, "MCP server '" + definition_.name +
                                               "' has 256 calls under way; wait until some end");
  }
  auto call = std::make_shared<McpCall>();
  call->number = ++last_number_;
  call->caller = request.caller;
  call->id = request.id;
  call->method = request.message.method;
  call->modern = request.is_modern();
  call->log_level = call->modern ? LogLevelIn(request.message.params) : 0;
  std::string line = R"({"jsonrpc":"2.0","id":)" + std::to_string(call->number) + R"(,"method":)";
  AppendJsonString(line, call->method);
  std::string params;
  if (!request.params.empty()) {
    params = WithOwnToken(request.params, call->number, call->progress_token);
  }
  params = modern_ ? WithRequestMeta(std::move(params)) : WithoutRequestMeta(std::move(params));
  if (!params.empty()) line += R"(,"params":)" + params;
  line += '}';
  if (!Queue(std::move(line))) {
    return Fail(ErrorCode::kLimitExceeded,
                "MCP server '" + definition_.name + "' does not read what it is asked");
  }
  calls_[call->number] = call;
  last_used_ = Clock::now();
  return call;
}

std::optional<std::string> McpSession::NextLine(McpCall& call) {
  std::optional<std::string> line;
  if (!call.notifications.empty()) {
    line = std::move(call.notifications.front());
    call.notifications.pop_front();
  } else if (call.answer) {
    line = std::exchange(*call.answer, {});
  }
  if (!line) return line;
  call.queued_bytes -= line->size();
  queued_bytes_ -= line->size();
  ResumeReading();
  return line;
}

void McpSession::QueueNotification(McpCall& call, std::string notification) {
  if (call.notifications.size() >= kNotificationsMax ||
      call.queued_bytes + notification.size() > kNotificationBytesMax) {
    return;  // its reader is too slow, and notifications may be dropped
  }
  call.queued_bytes += notification.size();
  queued_bytes_ += notification.size();
  call.notifications.push_back(std::move(notification));
  call.changed.NotifyAll();
}

void McpSession::Finish(std::int64_t number, std::string answer) {
  auto found = calls_.find(number);
  if (found == calls_.end()) return;  // its caller has abandoned it
  McpCall& call = *found->second;
  call.queued_bytes += answer.size();
  queued_bytes_ += answer.size();
  call.answer = std::move(answer);
  call.changed.NotifyAll();
  calls_.erase(found);
  last_used_ = Clock::now();
  supervised_.NotifyAll();
}

void McpSession::Abandon(const std::shared_ptr<McpCall>& call) {
  queued_bytes_ -= std::exchange(call->queued_bytes, 0);
  call->notifications.clear();
  ResumeReading();
  if (calls_.erase(call->number) == 0) return;
  SendCancellation(*call, R"("the caller hung up")");
  last_used_ = Clock::now();
  supervised_.NotifyAll();
}

void McpSession::Cancel(std::string_view caller,
                        std::string_view id,
                        std::string_view reason_json) {
  // Sessions without a name may use an id twice: the later one is meant.
  for (auto it = calls_.rbegin(); it != calls_.rend(); ++it) {
    std::shared_ptr<McpCall> call = it->second;
    if (call->caller != caller || call->id != id) continue;
    calls_.erase(call->number);
    call->cancelled = true;
    call->changed.NotifyAll();
    SendCancellation(*call, reason_json);
    return;
  }
}

void McpSession::SendCancellation(const McpCall& call, std::string_view reason_json) {
  std::string line =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)";
  line += std::to_string(call.number);
  if (!reason_json.empty()) (line += R"(,"reason":)") += reason_json;
  Queue(line + "}}");
}

void McpSession::Notify(std::string line) {
  Queue(std::move(line));
}

bool McpSession::Queue(std::string line) {
  if (ended() || input_bytes_ + line.size() > kWaitingInputBytesMax) return false;
  line += '\n';
  input_bytes_ += line.size();
  input_.push_back(std::move(line));
  input_queued_.NotifyAll();
  return true;
}

Task<void> McpSession::PumpInput() {
  auto self = shared_from_this();
  while (!ended()) {
    if (input_.empty()) {
      co_await input_queued_.WaitUntil(Time::max());
      continue;
    }
    std::string line = std::move(input_.front());
    input_.pop_front();
    std::size_t size = line.size();
    connect::RpcResult<void> written =
        co_await Write(InputKind::kStdin, std::move(line), Time::max());
    input_bytes_ -= size;
    if (written) continue;
    ExpectExit("it closed its input");
    co_return;
  }
}

}  // namespace viv::agent
