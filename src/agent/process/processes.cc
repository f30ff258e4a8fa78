#include "agent/process/processes.h"

#include <charconv>
#include <csignal>

#include <boost/asio/this_coro.hpp>

#include "agent/process/process_events.h"
#include "agent/process/process_table.h"
#include "agent/process/reaper.h"
#include "agent/process/start_request.h"
#include "base/base64.h"
#include "base/task_group.h"
#include "rpc/connect/service.h"

namespace viv::agent {
namespace {

using connect::Call;
using connect::Code;
using connect::RpcResult;
using Which = ProcessTable::Which;

constexpr std::string_view kProcessServiceName = "process.Process";
constexpr std::chrono::seconds kInputTimeout{60};  // of a call that names none
constexpr std::size_t kReadersMax = 64;            // of one process

Process::Time InputDeadline(const Call& call) {
  return std::chrono::steady_clock::now() + call.timeout.value_or(kInputTimeout);
}

tl::unexpected<connect::RpcError> PassUpRpcError(connect::RpcError failure) {
  return tl::unexpected<connect::RpcError>(std::move(failure));
}

// A response without content, or the failure.
RpcResult<json::object> AsEmptyMessage(RpcResult<void> answer) {
  if (!answer) return PassUpRpcError(std::move(answer).error());
  return json::object();
}

// Where a client that comes back wants to go on, in bytes of output since the start; by default
// with what is written from now on.
std::uint64_t WantedOffset(const Call& call, const OutputLog& output) {
  std::string_view text = call.request.headers.Get("viv-output-offset");
  std::uint64_t offset = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
  bool given = !text.empty() && error == std::errc() && end == text.data() + text.size();
  return given ? offset : output.end();
}

}  // namespace

class Processes::Impl {
 public:
  explicit Impl(Context& context) : context_(context) {
    std::signal(SIGPIPE, SIG_IGN);  // a process may close its input while we write to it
  }

  Task<RpcResult<void>> Start(const Call& call,
                              json::object request,
                              connect::MessageWriter& writer) {
    auto executor = co_await asio::this_coro::executor;
    RpcResult<User> user = CallerOf(context_, call.request);
    if (!user) co_return PassUpRpcError(std::move(user).error());
    RpcResult<std::shared_ptr<Process>> process =
        StartAndTrack(*user, std::move(request), call.timeout, executor);
    if (!process) co_return PassUpRpcError(std::move(process).error());
    EventStreamRequest wanted{.process = *std::move(process),
                              .offset = 0,
                              .keepalive = call.keepalive,
                              .deadline = std::nullopt,
                              .at_timeout = EventStreamRequest::AtTimeout::kFail};
    co_return co_await StreamProcessEvents(std::move(wanted), writer);
  }

  Task<RpcResult<void>> Connect(const Call& call,
                                json::object request,
                                connect::MessageWriter& writer) {
    auto process = table_.Find(request.if_contains("process"), Which::kRunningOrEnded);
    if (!process) co_return PassUpRpcError(std::move(process).error());
    if ((*process)->output().readers() >= kReadersMax) {
      co_return connect::FailRpc(Code::kResourceExhausted, "too many readers of this process");
    }
    EventStreamRequest wanted{.process = *process,
                              .offset = WantedOffset(call, (*process)->output()),
                              .keepalive = call.keepalive,
                              .deadline = std::nullopt};
    if (call.timeout) wanted.deadline = std::chrono::steady_clock::now() + *call.timeout;
    co_return co_await StreamProcessEvents(std::move(wanted), writer);
  }

  std::size_t running() const { return table_.running(); }

  Task<RpcResult<json::object>> List(const Call&, json::object) { co_return table_.List(); }

  Task<RpcResult<json::object>> SendInput(const Call& call, json::object request) {
    auto process = table_.Find(request.if_contains("process"), Which::kRunning);
    if (!process) co_return PassUpRpcError(std::move(process).error());
    RpcResult<void> written =
        co_await WriteInput(*process, request.if_contains("input"), InputDeadline(call));
    co_return AsEmptyMessage(std::move(written));
  }

  Task<RpcResult<json::object>> StreamInput(const Call& call, connect::MessageReader& reader) {
    std::shared_ptr<Process> process;
    for (;;) {
      RpcResult<std::optional<json::object>> next = co_await reader.Read();
      if (!next) co_return PassUpRpcError(std::move(next).error());
      if (!next->has_value()) co_return json::object();
      const json::object& message = **next;
      if (const json::value* start = message.if_contains("start")) {
        auto found = table_.Find(viv::Find(*start, "process"), Which::kRunning);
        if (!found) co_return PassUpRpcError(std::move(found).error());
        process = *std::move(found);
      } else if (const json::value* data = message.if_contains("data")) {
        if (!process) {
          co_return connect::FailRpc(Code::kInvalidArgument, "input before its start event");
        }
        RpcResult<void> written =
            co_await WriteInput(process, viv::Find(*data, "input"), InputDeadline(call));
        if (!written) co_return PassUpRpcError(std::move(written).error());
      } else if (message.if_contains("keepalive") == nullptr) {
        co_return connect::FailRpc(Code::kUnimplemented, "unknown input event");
      }
    }
  }

  Task<RpcResult<json::object>> CloseStdin(const Call& call, json::object request) {
    auto process = table_.Find(request.if_contains("process"), Which::kRunning);
    if (!process) co_return PassUpRpcError(std::move(process).error());
    RpcResult<void> closed = co_await (*process)->CloseInput(InputDeadline(call));
    co_return AsEmptyMessage(std::move(closed));
  }

  Task<RpcResult<json::object>> SendSignal(const Call&, json::object request) {
    auto process = table_.Find(request.if_contains("process"), Which::kRunning);
    if (!process) co_return PassUpRpcError(std::move(process).error());
    const json::value* name = request.if_contains("signal");
    int signal = 0;
    if (name != nullptr && *name == "SIGNAL_SIGKILL") signal = SIGKILL;
    if (name != nullptr && *name == "SIGNAL_SIGTERM") signal = SIGTERM;
    if (signal == 0) {
      co_return connect::FailRpc(Code::kUnimplemented,
                                 "invalid signal: send SIGNAL_SIGTERM or SIGNAL_SIGKILL");
    }
    co_return AsEmptyMessage((*process)->Signal(signal));
  }

  Task<RpcResult<json::object>> Update(const Call&, json::object request) {
    auto process = table_.Find(request.if_contains("process"), Which::kRunning);
    if (!process) co_return PassUpRpcError(std::move(process).error());
    const json::value* pty = request.if_contains("pty");
    if (pty == nullptr) co_return json::object();
    co_return AsEmptyMessage((*process)->Resize(ReadTerminalSize(*pty)));
  }

 private:
  // Starts what the request says and everything that keeps it going.
  RpcResult<std::shared_ptr<Process>> StartAndTrack(
      const User& user,
      json::object request,
      std::optional<std::chrono::milliseconds> lifetime,
      asio::any_io_executor executor) {
    if (table_.is_full()) {
      return connect::FailRpc(Code::kResourceExhausted, "too many processes run in this sandbox");
    }
    if (Status ready = BeginReaping(executor); !ready) {
      return connect::FailRpc(Code::kResourceExhausted, ready.error().message);
    }
    auto process = StartFromRequest(context_, user, request, ++sequence_, executor);
    if (!process) return process;
    table_.Add(*process);
    reaper_->Watch((*process)->info().pid,
                   [own = *process](int wait_status) { own->OnExit(wait_status); });
    tasks_->Spawn("process.output", (*process)->PumpOutput());
    if (request.if_contains("pty") == nullptr) {
      tasks_->Spawn("process.error", (*process)->PumpError());
    }
    if (lifetime) tasks_->Spawn("process.expire", (*process)->Expire(*lifetime));
    return process;
  }

  // Not before the first process, for an idle agent shall own next to nothing.
  Status BeginReaping(asio::any_io_executor executor) {
    if (reaper_) return {};
    ASSIGN_OR_RETURN(reaper_, SharedReaper::Of(context_.reaper, executor));
    tasks_ = std::make_unique<TaskGroup>(executor);
    return {};
  }

  static Task<RpcResult<void>> WriteInput(std::shared_ptr<Process> process,
                                          const json::value* input,
                                          Process::Time deadline) {
    for (auto kind : {Process::InputKind::kStdin, Process::InputKind::kTerminal}) {
      bool to_stdin = kind == Process::InputKind::kStdin;
      const json::value* text = input ? viv::Find(*input, to_stdin ? "stdin" : "pty") : nullptr;
      if (text == nullptr || !text->is_string()) continue;
      auto bytes = DecodeBase64(View(text->get_string()));
      if (!bytes) co_return connect::FailRpc(Code::kInvalidArgument, "input is no valid base64");
      co_return co_await process->Write(kind, *std::move(bytes), deadline);
    }
    co_return connect::FailRpc(Code::kUnimplemented, "the input must be stdin or pty");
  }

  Context& context_;
  ProcessTable table_;
  std::uint64_t sequence_ = 0;
  std::shared_ptr<SharedReaper> reaper_;  // with the other services that start processes
  std::unique_ptr<TaskGroup> tasks_;      // ends first
};

Processes::Processes(Context& context) : impl_(std::make_unique<Impl>(context)) {}
Processes::~Processes() = default;

std::size_t Processes::running() const {
  return impl_->running();
}

void Processes::AddTo(http::Router& router, const connect::Schema& schema) {
  Impl* impl = impl_.get();
  auto add_unary = [&](std::string_view name,
                       Task<RpcResult<json::object>> (Impl::*method)(const Call&, json::object)) {
    connect::AddUnary(router, schema, kProcessServiceName, name,
                      [impl, method](const Call& call, json::object request) {
                        return (impl->*method)(call, std::move(request));
                      });
  };
  add_unary("List", &Impl::List);
  add_unary("SendInput", &Impl::SendInput);
  add_unary("CloseStdin", &Impl::CloseStdin);
  add_unary("SendSignal", &Impl::SendSignal);
  add_unary("Update", &Impl::Update);
  connect::AddServerStream(
      router, schema, kProcessServiceName, "Start",
      [impl](const Call& call, json::object request, connect::MessageWriter& writer) {
        return impl->Start(call, std::move(request), writer);
      });
  connect::AddServerStream(
      router, schema, kProcessServiceName, "Connect",
      [impl](const Call& call, json::object request, connect::MessageWriter& writer) {
        return impl->Connect(call, std::move(request), writer);
      });
  connect::AddClientStream(router, schema, kProcessServiceName, "StreamInput",
                           [impl](const Call& call, connect::MessageReader& reader) {
                             return impl->StreamInput(call, reader);
                           });
}

}  // namespace viv::agent
