#include "accounts/budgets.h"
#include "dialects/recoup/auth.h"
#include "dialects/recoup/body.h"
#include "dialects/recoup/context.h"
#include "dialects/recoup/errors.h"
#include "dialects/recoup/execution.h"
#include "dialects/recoup/new_box.h"
#include "dialects/recoup/runs.h"
#include "dialects/recoup/shapes.h"

namespace viv::recoup {
namespace {

constexpr std::size_t kCommandBytesMax = 100'000;  // the kernel's limit for one word is 128 KiB
constexpr std::size_t kCwdBytesMax = 4096;

struct CreateRequest {
  std::optional<std::string> account_uuid;
  std::string command;  // for the shell; empty: none
  std::string cwd;
  json::object payload;
};

bool HasZero(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

// With a list of arguments, even an empty one, the command is a program's name; without, it is a
// line for the shell.
std::string ShellCommand(const std::string& command,
                         const std::optional<std::vector<std::string>>& args) {
  if (!args) return command;
  std::string line = ShellQuoted(command);
  for (const std::string& argument : *args) line += ' ' + ShellQuoted(argument);
  return line;
}

CreateRequest ReadCreateBody(BodyFields& fields) {
  CreateRequest read;
  std::optional<std::string> command = fields.Text("command");
  std::optional<std::string> prompt = fields.Text("prompt");
  std::optional<std::vector<std::string>> args = fields.List("args");
  std::optional<std::string> cwd = fields.MaybeEmptyText("cwd");
  read.account_uuid = fields.MaybeEmptyText("account_id");
  read.cwd = cwd.value_or("");
  if (command) {
    read.command = ShellCommand(*command, args);
    read.payload["command"] = *command;
    if (args) read.payload["args"] = json::array(args->begin(), args->end());
  }
  if (prompt) {
    read.command = "opencode run " + ShellQuoted(*prompt);
    read.payload["prompt"] = *prompt;
  }
  if (cwd) read.payload["cwd"] = *cwd;
  if (read.command.size() > kCommandBytesMax || HasZero(read.command))
    fields.Refuse(prompt ? "prompt" : "command",
                  "at most 100,000 bytes without a NUL among them are expected");
  if (read.cwd.size() > kCwdBytesMax || HasZero(read.cwd))
    fields.Refuse("cwd", "the path of a folder is expected");
  return read;
}

TaskRun CommandRun(const Context& context, const std::string& account_id, CreateRequest read) {
  TaskRun run = NewRun(context, account_id, kCommandTask);
  run.command = std::move(read.command);
  run.cwd = std::move(read.cwd);
  run.payload = std::move(read.payload);
  return run;
}

}  // namespace

Task<http::Response> CreateSandbox(Context& context, http::Request& request) {
  BodyFields fields(request);
  CreateRequest read = ReadCreateBody(fields);
  if (!fields.ok()) co_return fields.failure();
  if (read.payload.contains("command") && read.payload.contains("prompt"))
    co_return InvalidField("", "Cannot specify both command and prompt");
  auto account_id = AccountOf(context, request, read.account_uuid);
  if (!account_id) co_return AccountFailure(account_id.error());

  boxes::CreateBox wanted = NewBoxFor(*account_id);
  std::optional<TaskRun> run;
  if (!read.command.empty()) {
    run = CommandRun(context, *account_id, std::move(read));
    wanted.annotations[std::string(kRunAnnotation)] = run->id;
  }
  auto box = co_await CreateFromSnapshot(context, std::move(wanted));
  if (!box && accounts::ExceededBudget(box.error())) co_return FailureOf(box.error());
  if (!box) co_return Failure(400, "Failed to create sandbox: " + box.error().message);
  if (run) {
    run->box_id = (*box)->id;
    run->payload.get_object()["sandboxId"] = SandboxIdOf(**box);
    Status started = co_await StartRun(context, *run);
    if (!started) {
      Status ignored = co_await context.boxes.Remove(*account_id, (*box)->id);
      co_return FailureOf(started.error());
    }
  }
  json::object body{{"status", "success"},
                    {"sandboxes", json::array{ShowSandbox(**box, context.clock())}}};
  co_return http::Json(200, WriteJson(body));
}

}  // namespace viv::recoup
