#include "agent/mcp/mcp_servers.h"

#include <csignal>
#include <map>

#include <boost/asio/this_coro.hpp>

#include "agent/control.h"
#include "agent/mcp/bridge_responses.h"
#include "agent/mcp/session.h"
#include "agent/process/reaper.h"
#include "base/task_group.h"
#include "base/text.h"
#include "rpc/jsonrpc/members.h"

namespace viv::agent {
namespace {

using SessionPtr = std::shared_ptr<McpSession>;

constexpr std::size_t kMcpServersMax = 64;
constexpr std::chrono::milliseconds kMcpPollInterval{250};  // how soon a hang-up is noticed
constexpr int kMcpStartsMax = 3;  // for one call: others may stop what it starts

http::Response NdjsonResponse(std::string line) {
  http::Response response;
  response.headers.Set("Content-Type", "application/x-ndjson");
  response.body = std::move(line) + "\n";
  return response;
}

// A call that is abandoned when its caller stops waiting for it.
class AttachedCall {
 public:
  AttachedCall(SessionPtr session, std::shared_ptr<McpCall> call)
      : session_(std::move(session)), call_(std::move(call)) {}
  ~AttachedCall() { session_->Abandon(call_); }
  AttachedCall(const AttachedCall&) = delete;
  AttachedCall& operator=(const AttachedCall&) = delete;

  McpSession& session() { return *session_; }
  McpCall& call() { return *call_; }
  bool has_line() const { return !call_->notifications.empty() || call_->over(); }

 private:
  const SessionPtr session_;
  const std::shared_ptr<McpCall> call_;
};

// False when the caller hung up before.
Task<bool> AwaitLine(AttachedCall& attached_call, http::ClientConnection* client) {
  while (!attached_call.has_line()) {
    if (client != nullptr && client->IsClosed()) co_return false;
    McpSession::Time next_poll = std::chrono::steady_clock::now() + kMcpPollInterval;
    co_await attached_call.call().changed.WaitUntil(next_poll);
  }
  co_return true;
}

Task<void> SendLines(std::shared_ptr<AttachedCall> attached_call, http::BodyWriter& writer) {
  McpCall& call = attached_call->call();
  for (;;) {
    bool last = call.notifications.empty() && call.over();
    std::optional<std::string> line = attached_call->session().NextLine(call);
    if (line) {
      Status written = co_await writer.Write(*std::move(line) + "\n");
      if (!written) co_return;
    }
    if (last) co_return;
    if (!line) co_await call.changed.WaitUntil(McpSession::Time::max());
  }
}

Result<ProgramSpec> McpProgramSpec(const Context& context, const McpDefinition& server) {
  const std::string& name = server.user.empty() ? context.default_user : server.user;
  std::optional<User> user = context.users.Resolve(name);
  if (!user) {
    return Fail(ErrorCode::kInvalidArgument,
                "user '" + viv::Printable(name) + "' does not exist in this box");
  }
  ProgramSpec spec;
  spec.folder = ResolvePath(context, *user, server.folder);
  spec.arguments = server.command;
  spec.variables = server.variables;
  spec.input = StandardInput::kPipe;
  spec.user = *std::move(user);
  return spec;
}

}  // namespace

class McpServers::Impl {
 public:
  explicit Impl(Context& context) : context_(context) {
    std::signal(SIGPIPE, SIG_IGN);  // a server may close its input while we write to it
  }
  ~Impl() {
    for (const auto& [name, session] : sessions_) session->KillAndReap();
  }

  Task<http::Response> Handle(http::Request& request) {
    Result<McpRequest> read = ReadMcpRequest(request.body);
    if (!read) co_return ControlError(400, read.error().message);
    McpRequest asked = *std::move(read);
    if (asked.message.kind != rpc::JsonRpcMessage::Kind::kRequest) {
      HandleCallerNotification(asked);
      co_return http::Empty(202);
    }
    if (asked.message.method == "ping") co_return NdjsonResponse(PingResponse(asked));
    Result<SessionPtr> session = co_await GetReadySession(asked.server);
    if (!session) {
      co_return NdjsonResponse(
          ErrorResponse(asked, rpc::JsonRpcCode::kInternalError, session.error().message));
    }
    if (asked.message.method == "initialize") {
      co_return NdjsonResponse(InitializeResponse(asked, (*session)->initialize_result()));
    }
    if (asked.message.method == "server/discover" && asked.is_modern()) {
      co_return NdjsonResponse(DiscoverResponse(asked, (*session)->initialize_result()));
    }
    co_return co_await Forward(*std::move(session), std::move(asked), request.client);
  }

  std::size_t running() const {
    std::size_t count = 0;
    for (const auto& [name, session] : sessions_) count += session->has_work() ? 1 : 0;
    return count;
  }

 private:
  Task<http::Response> Forward(SessionPtr session,
                               McpRequest asked,
                               http::ClientConnection* client) {
    Result<std::shared_ptr<McpCall>> call = session->Begin(asked);
    if (!call) {
      co_return NdjsonResponse(
          ErrorResponse(asked, rpc::JsonRpcCode::kInternalError, call.error().message));
    }
    auto attached_call = std::make_shared<AttachedCall>(std::move(session), *std::move(call));
    bool answerable = co_await AwaitLine(*attached_call, client);
    if (!answerable) co_return http::Empty(499);
    if (attached_call->call().notifications.empty()) {
      if (attached_call->call().cancelled) co_return http::Empty(202);
      co_return NdjsonResponse(*attached_call->session().NextLine(attached_call->call()));
    }
    http::Response response;
    response.headers.Set("Content-Type", "application/x-ndjson");
    response.stream = [attached_call](http::BodyWriter& writer) {
      return SendLines(attached_call, writer);
    };
    co_return response;
  }

  void HandleCallerNotification(const McpRequest& asked) {
    auto found = sessions_.find(asked.server.name);
    if (found == sessions_.end() || !found->second->ready()) return;
    const std::string& method = asked.message.method;
    if (method == "notifications/cancelled") {
      std::optional<std::string_view> id = rpc::FindMember(asked.params, "requestId");
      std::optional<std::string_view> reason = rpc::FindMember(asked.params, "reason");
      if (id) found->second->Cancel(asked.caller, *id, reason.value_or(""));
    } else if (asked.message.kind == rpc::JsonRpcMessage::Kind::kNotification &&
               method != "notifications/initialized" && method != "notifications/progress" &&
               method != "notifications/roots/list_changed") {
      // The bridge itself initializes the server and responds to the server's requests.
      found->second->Notify(asked.text);
    }
  }

  // The server's initialized process, which is started if it does not run or has another
  // definition.
  Task<Result<SessionPtr>> GetReadySession(McpDefinition server) {
    auto executor = co_await asio::this_coro::executor;
    std::string failure = "MCP server '" + server.name + "' is stopped as soon as it is started";
    for (int starts = 0; starts < kMcpStartsMax;) {
      SessionPtr session = FindLive(server.name);
      if (session == nullptr) {
        ++starts;
        ASSIGN_OR_CO_RETURN(session, Start(server, executor));
      }
      if (session->definition() != server) session->Stop("its definition has changed");
      if (session->ready()) co_return session;
      bool was_stopping = session->stopping();
      while (!session->ended() && !session->ready()) {
        co_await session->state_changed().WaitUntil(McpSession::Time::max());
      }
      if (session->ready()) co_return session;
      if (!was_stopping && session->initialize_result().empty()) {
        co_return Fail(ErrorCode::kUnavailable, session->failure());
      }
      failure = session->failure();
    }
    co_return Fail(ErrorCode::kUnavailable, failure);
  }

  SessionPtr FindLive(const std::string& name) {
    auto found = sessions_.find(name);
    if (found == sessions_.end()) return nullptr;
    if (!found->second->ended()) return found->second;
    sessions_.erase(found);
    return nullptr;
  }

  Result<SessionPtr> Start(const McpDefinition& server, asio::any_io_executor executor) {
    std::string doing = "MCP server '" + server.name + "' cannot be started";
    std::erase_if(sessions_, [](const auto& entry) { return entry.second->ended(); });
    if (sessions_.size() >= kMcpServersMax) {
      return Fail(ErrorCode::kLimitExceeded, doing + ": 64 others run in this box");
    }
    RETURN_IF_ERROR(BeginReaping(executor), doing);
    ASSIGN_OR_RETURN(ProgramSpec plan, McpProgramSpec(context_, server), doing);
    connect::RpcResult<SpawnedProgram> spawned = SpawnProgram(context_, std::move(plan));
    if (!spawned) {
      return Fail(ErrorCode::kUnavailable, doing + ": " + spawned.error().message);
    }
    auto session =
        std::make_shared<McpSession>(executor, server, *std::move(spawned), context_.logs);
    sessions_[server.name] = session;
    reaper_->Watch(session->pid(),
                   [session](int wait_status) { session->OnLeaderExit(wait_status); });
    tasks_->Spawn("mcp.output", session->PumpOutput());
    tasks_->Spawn("mcp.error", session->PumpError());
    tasks_->Spawn("mcp.input", session->PumpInput());
    tasks_->Spawn("mcp.supervise", session->Supervise());
    return session;
  }

  // Not before the first server, for an idle agent shall own next to nothing.
  Status BeginReaping(asio::any_io_executor executor) {
    if (reaper_) return {};
    ASSIGN_OR_RETURN(reaper_, SharedReaper::Of(context_.reaper, executor));
    tasks_ = std::make_unique<TaskGroup>(executor);
    return {};
  }

  Context& context_;
  std::map<std::string, SessionPtr> sessions_;
  std::shared_ptr<SharedReaper> reaper_;  // with the other services that start processes
  std::unique_ptr<TaskGroup> tasks_;      // ends first
};

McpServers::McpServers(Context& context) : impl_(std::make_unique<Impl>(context)) {}
McpServers::~McpServers() = default;

std::size_t McpServers::running() const {
  return impl_->running();
}

void McpServers::AddTo(http::Router& router) {
  router.Add("POST", "/mcp",
             [impl = impl_.get()](http::Request& request) { return impl->Handle(request); });
}

}  // namespace viv::agent
