#include "dialects/e2b/context.h"
#include "dialects/e2b/create_request.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/shapes.h"
#include "http/fields.h"

namespace viv::e2b {
namespace {

struct ConnectOptions {
  std::int64_t timeout = kTimeoutDefault;
  bool keep_memory = true;  // false: a frozen sandbox is restarted without its memory
};

// A frozen sandbox can lose its memory only while it runs, so it is thawed for that moment.
Task<Status> DropMemory(Context& context, std::string account_id, std::string id) {
  auto awake = co_await context.boxes.Connect(account_id, id, kTimeoutDefault);
  if (!awake) co_return PassUp(awake.error());
  co_return co_await context.boxes.Pause(std::move(account_id), std::move(id),
                                         boxes::Boxes::Memory::kDrop);
}

Task<http::Response> ConnectWith(Context& context, http::Request& request, ConnectOptions options) {
  std::string id = SandboxIdOf(request);
  std::string account_id = request.identity.account_id;
  auto box = context.boxes.Get(account_id, id);
  if (!box) co_return RenderSandboxError(box.error(), id);
  if (!options.keep_memory && (*box)->state == boxes::BoxState::kPaused) {
    Status dropped = co_await DropMemory(context, account_id, id);
    if (!dropped) co_return RenderSandboxError(dropped.error(), id);
  }
  auto connected = co_await context.boxes.Connect(std::move(account_id), id, options.timeout);
  if (!connected) co_return RenderSandboxError(connected.error(), id);
  co_return http::Json(connected->was_running ? 200 : 201,
                       WriteJson(ShowSandbox(context, *connected->box)));
}

}  // namespace

Task<http::Response> ConnectSandbox(Context& context, http::Request& request) {
  http::Fields fields(request, http::Fields::Body::kRequired);
  std::int64_t timeout = ReadTimeout(fields, kTimeoutDefault);
  std::optional<bool> keep_memory = fields.Flag("memory");
  if (fields.ok() && !fields.Integer("timeout"))
    fields.Refuse("timeout: the seconds that the sandbox shall live are needed");
  if (!fields.ok()) co_return RenderError(fields.error());
  ConnectOptions options{.timeout = timeout, .keep_memory = keep_memory.value_or(true)};
  co_return co_await ConnectWith(context, request, options);
}

Task<http::Response> ConnectSandboxV2(Context& context, http::Request& request) {
  http::Fields fields(request, http::Fields::Body::kOptional);
  std::int64_t timeout = ReadTimeout(fields, kTimeoutDefault);
  std::optional<bool> keep_memory = fields.Flag("memory");
  if (!fields.ok()) co_return RenderError(fields.error());
  ConnectOptions options{.timeout = timeout, .keep_memory = keep_memory.value_or(true)};
  co_return co_await ConnectWith(context, request, options);
}

// The older way to wake a sandbox: one that runs is an error.
Task<http::Response> ResumeSandbox(Context& context, http::Request& request) {
  http::Fields fields(request, http::Fields::Body::kOptional);
  std::int64_t timeout = ReadTimeout(fields, kTimeoutDefaultOld);
  std::optional<bool> keep_memory = fields.Flag("memory");
  std::optional<bool> auto_pause = fields.Flag("autoPause");
  if (!fields.ok()) co_return RenderError(fields.error());
  std::string id = SandboxIdOf(request);
  auto box = context.boxes.Get(request.identity.account_id, id);
  if (!box) co_return RenderSandboxError(box.error(), id);
  if (IsRunning(**box)) co_return Failure(409, "Sandbox " + id + " is already running");
  bool pauses = (*box)->spec.on_timeout != boxes::OnTimeout::kKill;
  if (auto_pause && *auto_pause != pauses) {
    co_return Failure(400,
                      "autoPause is set when a sandbox is created and cannot be changed later");
  }
  ConnectOptions options{.timeout = timeout, .keep_memory = keep_memory.value_or(true)};
  co_return co_await ConnectWith(context, request, options);
}

}  // namespace viv::e2b
