#include "agent/mcp/mcp_servers.h"

#include <csignal>
#include <map>

#include <boost/asio/this_coro.hpp>

#include "agent/control.h"
#include "agent/mcp/own_answers.h"
#include "agent/mcp/session.h"
#include "agent/process/reaper.h"
#include "base/task_group.h"
#include "base/text.h"
#include "rpc/jsonrpc/members.h"

namespace viv::agent {
namespace {

using SessionPtr = std::shared_ptr<McpSession>;

constexpr std::size_t kMcpServersMax = 64;
constexpr std::chrono::milliseconds kMcpLook{250};  // how soon a hang-up is noticed
constexpr int kMcpStartsMax = 3;                    // for one call: others may stop what it starts

http::Response Lines(std::string line) {
  http::Response response;
  response.headers.Set("Content-Type", "application/x-ndjson");
  response.body = std::move(line) + "\n";
  return response;
}

// A call for as long as somebody waits for it.
class WaitedCall {
 public:
  WaitedCall(SessionPtr session, std::shared_ptr<McpCall> call)
      : session_(std::move(session)), call_(std::move(call)) {}
  ~WaitedCall() { session_->Abandon(call_); }
  WaitedCall(const WaitedCall&) = delete;
  WaitedCall& operator=(const WaitedCall&) = delete;

  McpSession& session() { return *session_; }
  McpCall& call() { return *call_; }
  bool has_line() const { return !call_->notices.empty() || call_->over(); }

 private:
  const SessionPtr session_;
  const std::shared_ptr<McpCall> call_;
};

// False when the caller hung up before.
Task<bool> AwaitLine(WaitedCall& waited, http::ClientConnection* client) {
  while (!waited.has_line()) {
    if (client != nullptr && client->IsClosed()) co_return false;
    McpSession::Time next_look = std::chrono::steady_clock::now() + kMcpLook;
    co_await waited.call().changed.WaitUntil(next_look);
  }
  co_return true;
}

Task<void> SendLines(std::shared_ptr<WaitedCall> waited, http::BodyWriter& writer) {
  McpCall& call = waited->call();
  for (;;) {
    bool last = call.notices.empty() && call.over();
    std::optional<std::string> line = waited->session().NextLine(call);
    if (line) {
      Status written = co_await writer.Write(*std::move(line) + "\n");
      if (!written) co_return;
    }
    if (last) co_return;
    if (!line) co_await call.changed.WaitUntil(McpSession::Time::max());
  }
}

Result<LaunchRequest> PlanMcpLaunch(const Context& context, const McpDefinition& server) {
  const std::string& name = server.user.empty() ? context.default_user : server.user;
  std::optional<User> user = context.users.Resolve(name);
  if (!user) {
    return Fail(ErrorCode::kInvalidArgument,
                "user '" + viv::Printable(name) + "' does not exist in this box");
  }
  LaunchRequest launch;
  launch.folder = ResolvePath(context, *user, server.folder);
  launch.arguments = server.command;
  launch.variables = server.variables;
  launch.input = StandardInput::kPipe;
  launch.user = *std::move(user);
  return launch;
}

}  // namespace

class McpServers::Impl {
 public:
  explicit Impl(Context& context) : context_(context) {
    std::signal(SIGPIPE, SIG_IGN);  // a server may close its input while we write to it
  }
  ~Impl() {
    for (const auto& [name, session] : sessions_) session->EndNow();
  }

  Task<http::Response> Handle(http::Request& request) {
    Result<McpRequest> read = ReadMcpRequest(request.body);
    if (!read) co_return ControlError(400, read.error().message);
    McpRequest asked = *std::move(read);
    if (asked.message.kind != rpc::JsonRpcMessage::Kind::kRequest) {
      TakeNotification(asked);
      co_return http::Empty(202);
    }
    if (asked.message.method == "ping") co_return Lines(AnswerPing(asked));
    Result<SessionPtr> session = co_await Ready(asked.server);
    if (!session) {
      co_return Lines(
          AnswerFailure(asked, rpc::JsonRpcCode::kInternalError, session.error().message));
    }
    if (asked.message.method == "initialize") {
      co_return Lines(AnswerInitialize(asked, (*session)->greeting()));
    }
    if (asked.message.method == "server/discover" && asked.is_modern()) {
      co_return Lines(AnswerDiscover(asked, (*session)->greeting()));
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
      co_return Lines(AnswerFailure(asked, rpc::JsonRpcCode::kInternalError, call.error().message));
    }
    auto waited = std::make_shared<WaitedCall>(std::move(session), *std::move(call));
    bool answerable = co_await AwaitLine(*waited, client);
    if (!answerable) co_return http::Empty(499);
    if (waited->call().notices.empty()) {
      if (waited->call().cancelled) co_return http::Empty(202);
      co_return Lines(*waited->session().NextLine(waited->call()));
    }
    http::Response response;
    response.headers.Set("Content-Type", "application/x-ndjson");
    response.stream = [waited](http::BodyWriter& writer) { return SendLines(waited, writer); };
    co_return response;
  }

  void TakeNotification(const McpRequest& asked) {
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
      // The greeting is the bridge's own, and so are answers to requests of the server.
      found->second->Notify(asked.text);
    }
  }

  // The server's process, greeted; started if it does not run, or runs from another definition.
  Task<Result<SessionPtr>> Ready(McpDefinition server) {
    auto executor = co_await asio::this_coro::executor;
    std::string failure = "MCP server '" + server.name + "' is stopped as soon as it is started";
    for (int starts = 0; starts < kMcpStartsMax;) {
      SessionPtr session = Present(server.name);
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
      if (!was_stopping && session->greeting().empty()) {
        co_return Fail(ErrorCode::kUnavailable, session->failure());
      }
      failure = session->failure();
    }
    co_return Fail(ErrorCode::kUnavailable, failure);
  }

  SessionPtr Present(const std::string& name) {
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
    ASSIGN_OR_RETURN(LaunchRequest plan, PlanMcpLaunch(context_, server), doing);
    connect::RpcResult<Launched> launched = Launch(context_, std::move(plan));
    if (!launched) {
      return Fail(ErrorCode::kUnavailable, doing + ": " + launched.error().message);
    }
    auto session =
        std::make_shared<McpSession>(executor, server, *std::move(launched), context_.logs);
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
