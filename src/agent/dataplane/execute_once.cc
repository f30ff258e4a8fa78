#include "agent/dataplane/execute_once.h"

#include <algorithm>

#include <boost/asio/this_coro.hpp>

#include "agent/dataplane/dataplane.h"
#include "agent/dataplane/utf8_prefix.h"

namespace viv::agent {
namespace {

constexpr std::chrono::milliseconds kClientPollInterval{250};  // how soon a hang-up is noticed
constexpr std::chrono::seconds kKillTimeout{5};                // of a killed command with its end

// From the first whole character that is kept.
std::string TailOf(const ByteLog& log) {
  std::uint64_t told = std::min<std::uint64_t>(log.end() - log.begin(), ByteLog::kWindowBytes);
  std::string bytes = log.Read(log.end() - told, told, ByteLog::ReadExtent::kAll);
  std::string_view rest = bytes;
  bool cut = log.end() > bytes.size();
  while (cut && !rest.empty() && (static_cast<unsigned char>(rest[0]) & 0xC0) == 0x80) {
    rest.remove_prefix(1);
  }
  return TakeUtf8Prefix(rest, MoreBytes::kNone).text;
}

// True when the command has ended; false when the client hung up, or when a killed command did not
// end in time.
Task<bool> AwaitEnd(std::shared_ptr<Command> command, http::ClientConnection* client) {
  using Clock = std::chrono::steady_clock;
  std::optional<Command::Time> given_up_at;
  while (!command->ended()) {
    Command::Time now = Clock::now();
    if (client != nullptr && client->IsClosed()) co_return false;
    if (command->timed_out() && !given_up_at) given_up_at = now + kKillTimeout;
    if (given_up_at && now >= *given_up_at) co_return true;
    Command::Time next_poll = now + kClientPollInterval;
    co_await command->changed().WaitUntil(next_poll);
  }
  co_return true;
}

http::Response RenderFinishedCommand(const Command& command) {
  if (command.timed_out()) return DataPlaneError(408, "CommandTimeout", command.TimeoutText());
  json::object body;
  body["stdout"] = TailOf(command.output(CommandStream::kStdout));
  body["stderr"] = TailOf(command.output(CommandStream::kStderr));
  body["exit_code"] = command.exit_code();
  return http::Json(200, WriteJson(body));
}

}  // namespace

http::Response RenderCommandFailure(const CommandFailure& failure) {
  int status = failure.type == "CommandNotFound"  ? 404
               : failure.type == "SessionExpired" ? 410
                                                  : 400;
  return DataPlaneError(status, failure.type, failure.message);
}

Task<http::Response> ExecuteOnce(CommandService& service, http::Request& request) {
  auto executor = co_await asio::this_coro::executor;
  Result<json::value> body = ParseJson(request.body);
  if (!body || !body->is_object()) {
    co_return DataPlaneError(400, "CommandError", "the body must be a JSON object with a command");
  }
  Result<CommandRequest> wanted = ReadCommandRequest(*body);
  if (!wanted) co_return DataPlaneError(400, "CommandError", wanted.error().message);
  if (wanted->pty) {
    co_return DataPlaneError(409, "PTYUnsupported", "a terminal needs the WebSocket /execute/ws");
  }
  wanted->close_stdin = true;
  wanted->kill_on_disconnect = true;
  bool nameless = wanted->id.empty();
  CommandResult<std::shared_ptr<Command>> started =
      service.GetOrStart(*std::move(wanted), executor);
  if (!started) co_return RenderCommandFailure(started.error());
  std::shared_ptr<Command> command = *std::move(started);
  Command::Attachment attachment(command);
  bool ended = co_await AwaitEnd(command, request.client);
  http::Response response = ended ? RenderFinishedCommand(*command) : http::Empty(499);
  // Without an id no client can ask for the command again.
  if (nameless && command->ended()) service.Remove(command->info().id);
  co_return response;
}

}  // namespace viv::agent
