#include "agent/pipe/pipe.h"

#include <fcntl.h>

#include <csignal>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "agent/control.h"
#include "agent/pipe/piped_process.h"
#include "agent/process/reaper.h"
#include "agent/process/spawn_program.h"
#include "base/json.h"
#include "base/task_group.h"
#include "base/text.h"

namespace viv::agent {
namespace {

using PipeClock = std::chrono::steady_clock;

constexpr int kPipeBytes = 1024 * 1024;                      // fewer wake-ups for a lot of data
constexpr std::chrono::milliseconds kPipePollInterval{250};  // how soon a hang-up is noticed
constexpr std::chrono::minutes kPipeInputTimeout{10};        // with a program that reads nothing
constexpr std::size_t kPipesMax = 256;
constexpr std::size_t kPipeArgumentsMax = 1024;

// The body of the request, for as long as its exchange goes on.
struct PipeInput {
  http::BodyReader* body = nullptr;  // nullptr: the exchange is over
  std::string whole;                 // of a request that is not streamed
};

// Ends the program and its input with the exchange, however that ends.
class PipeRun {
 public:
  PipeRun(std::shared_ptr<PipedProcess> process, std::shared_ptr<PipeInput> input)
      : process_(std::move(process)), input_(std::move(input)) {}
  ~PipeRun() {
    input_->body = nullptr;
    if (!process_->ended()) (void)process_->Signal(SIGKILL);
  }
  PipeRun(const PipeRun&) = delete;
  PipeRun& operator=(const PipeRun&) = delete;

  const std::shared_ptr<PipedProcess>& process() const { return process_; }

 private:
  const std::shared_ptr<PipedProcess> process_;
  const std::shared_ptr<PipeInput> input_;
};

// Nothing: the input is complete. A program that no longer reads just gets no more.
Task<void> FeedPipe(std::shared_ptr<PipedProcess> process, std::shared_ptr<PipeInput> input) {
  using Kind = PipedProcess::InputKind;
  std::string first = std::move(input->whole);
  for (bool more = true; more;) {
    std::string piece = std::move(first);
    first.clear();
    if (piece.empty() && input->body != nullptr) {
      Result<std::string> read = co_await input->body->Read();
      if (!read) {  // what came is not all of it: the program must not take it for the end
        (void)process->Signal(SIGKILL);
        co_return;
      }
      piece = *std::move(read);
    }
    if (piece.empty()) break;
    PipedProcess::Time deadline = PipeClock::now() + kPipeInputTimeout;
    connect::RpcResult<void> written =
        co_await process->Write(Kind::kStdin, std::move(piece), deadline);
    if (!written) co_return;
    more = input->body != nullptr;
  }
  PipedProcess::Time deadline = PipeClock::now() + kPipeInputTimeout;
  (void)co_await process->CloseInput(deadline);
}

// False when the caller left before there was anything to answer.
Task<bool> AwaitOutput(std::shared_ptr<PipedProcess> process, http::ClientConnection* client) {
  while (!process->ended() && !process->has_output()) {
    if (client != nullptr && client->IsClosed()) co_return false;
    PipedProcess::Time next_poll = PipeClock::now() + kPipePollInterval;
    co_await process->changed().WaitUntil(next_poll);
  }
  co_return true;
}

Task<void> SendOutput(std::shared_ptr<PipeRun> run, http::BodyWriter& writer) {
  const std::shared_ptr<PipedProcess>& process = run->process();
  for (;;) {
    if (process->has_output()) {
      Status sent = co_await writer.Write(process->TakeAll());
      if (!sent) co_return;
    } else if (process->ended()) {
      if (!process->succeeded()) writer.Abort();
      co_return;
    } else {
      co_await process->changed().WaitUntil(PipedProcess::Time::max());
    }
  }
}

Result<std::vector<std::string>> ReadPipeArguments(const http::Request& request) {
  auto wrong = [] {
    return Fail(ErrorCode::kInvalidArgument,
                "argv must be a JSON list of texts that begins with the program");
  };
  Result<json::value> list = ParseJson(request.Query("argv").value_or(""));
  if (!list || !list->is_array()) return wrong();
  std::vector<std::string> arguments;
  for (const json::value& item : list->get_array()) {
    if (!item.is_string() || arguments.size() == kPipeArgumentsMax) return wrong();
    arguments.emplace_back(View(item.get_string()));
  }
  if (arguments.empty() || arguments[0].empty()) return wrong();
  return arguments;
}

Result<ProgramSpec> PipeProgramSpec(const Context& context, const http::Request& request) {
  ProgramSpec spec;
  ASSIGN_OR_RETURN(spec.arguments, ReadPipeArguments(request));
  std::string name = request.Query("user").value_or(context.default_user);
  std::optional<User> user = context.users.Resolve(name);
  if (!user) {
    return Fail(ErrorCode::kInvalidArgument,
                "user '" + viv::Printable(name) + "' does not exist in this box");
  }
  spec.folder = ResolvePath(context, *user, request.Query("folder").value_or(""));
  spec.user = *std::move(user);
  spec.input = StandardInput::kPipe;
  return spec;
}

}  // namespace

class Pipes::Impl {
 public:
  explicit Impl(Context& context) : context_(context) {
    std::signal(SIGPIPE, SIG_IGN);  // a program may close its input while we write to it
  }
  ~Impl() {
    for (const auto& place : processes_) {
      if (auto process = place.lock()) process->KillAndReap();
    }
  }

  Task<http::Response> Handle(http::Request& request) {
    auto executor = co_await asio::this_coro::executor;
    Result<ProgramSpec> plan = PipeProgramSpec(context_, request);
    if (!plan) co_return ControlError(400, plan.error().message);
    if (running() >= kPipesMax) co_return ControlError(503, "too many programs run for callers");
    Status ready = BeginReaping(executor);
    if (!ready) co_return ControlError(503, ready.error().message);
    connect::RpcResult<SpawnedProgram> spawned = SpawnProgram(context_, *std::move(plan));
    if (!spawned) {
      bool exhausted = spawned.error().code == connect::Code::kResourceExhausted;
      co_return ControlError(exhausted ? 503 : 400, spawned.error().message);
    }
    std::shared_ptr<PipeRun> run = Begin(request, *std::move(spawned), executor);
    bool answerable = co_await AwaitOutput(run->process(), request.client);
    if (!answerable) co_return http::Empty(499);
    const PipedProcess& process = *run->process();
    if (process.ended() && !process.has_output() && !process.succeeded()) {
      co_return ControlError(422, process.FailureText());
    }
    http::Response response;
    response.headers.Set("Content-Type", "application/octet-stream");
    response.stream = [run](http::BodyWriter& writer) { return SendOutput(run, writer); };
    co_return response;
  }

  std::size_t running() const {
    std::size_t count = 0;
    for (const auto& place : processes_) {
      auto process = place.lock();
      if (process && !process->ended()) ++count;
    }
    return count;
  }

 private:
  std::shared_ptr<PipeRun> Begin(http::Request& request,
                                 SpawnedProgram spawned,
                                 asio::any_io_executor executor) {
    // Where it is refused the pipe is only smaller.
    (void)::fcntl(spawned.channels.input.get(), F_SETPIPE_SZ, kPipeBytes);
    (void)::fcntl(spawned.channels.output.get(), F_SETPIPE_SZ, kPipeBytes);
    auto process = std::make_shared<PipedProcess>(executor, spawned.pid,
                                                  std::move(spawned.channels), context_.logs);
    std::erase_if(processes_, [](const auto& place) { return place.expired(); });
    processes_.push_back(process);
    reaper_->Watch(process->pid(), [process](int wait_status) { process->OnExit(wait_status); });
    auto input = std::make_shared<PipeInput>();
    input->body = request.body_stream;
    input->whole = request.body_stream == nullptr ? request.body : std::string();
    auto run = std::make_shared<PipeRun>(process, input);
    tasks_->Spawn("pipe.output", process->PumpOutput());
    tasks_->Spawn("pipe.error", process->PumpError());
    tasks_->Spawn("pipe.input", FeedPipe(process, std::move(input)));
    return run;
  }

  // Not before the first program, for an idle agent shall own next to nothing.
  Status BeginReaping(asio::any_io_executor executor) {
    if (reaper_) return {};
    ASSIGN_OR_RETURN(reaper_, SharedReaper::Of(context_.reaper, executor));
    tasks_ = std::make_unique<TaskGroup>(executor);
    return {};
  }

  Context& context_;
  std::vector<std::weak_ptr<PipedProcess>> processes_;
  std::shared_ptr<SharedReaper> reaper_;  // with the other services that start processes
  std::unique_ptr<TaskGroup> tasks_;      // ends first
};

Pipes::Pipes(Context& context) : impl_(std::make_unique<Impl>(context)) {}
Pipes::~Pipes() = default;

std::size_t Pipes::running() const {
  return impl_->running();
}

void Pipes::AddTo(http::Router& router) {
  router.Add("POST", "/pipe",
             [impl = impl_.get()](http::Request& request) { return impl->Handle(request); });
}

bool IsStreamedByPipe(const http::Request& request) {
  return request.method == "POST" && request.path == "/pipe";
}

}  // namespace viv::agent
