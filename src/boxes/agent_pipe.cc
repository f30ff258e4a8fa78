#include "boxes/agent_pipe.h"

#include <chrono>
#include <memory>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "http/client.h"

namespace viv::boxes {
namespace {

// The longest time in which a program neither reads input nor writes output.
constexpr std::chrono::minutes kPipeSilenceMax{15};
constexpr std::chrono::seconds kStartTimeout{30};
constexpr std::size_t kPipeErrorBytesMax = 64 << 10;

json::array WordList(const std::vector<std::string>& words) {
  json::array list;
  for (const std::string& word : words) list.emplace_back(word);
  return list;
}

Task<std::string> ReadErrorBody(http::StreamingResponse& response) {
  std::string body;
  while (body.size() < kPipeErrorBytesMax) {
    auto piece = co_await response.Read();
    if (!piece || piece->empty()) break;
    body += *piece;
  }
  co_return body;
}

// {"code", "message"} of the agent, or {"detail": {"message"}} of its data plane.
std::string AgentErrorText(std::string_view body, int status) {
  if (auto parsed = ParseJson(body)) {
    const json::value* detail = Find(*parsed, "detail");
    std::string_view message = FindString(detail != nullptr ? *detail : *parsed, "message");
    if (!message.empty()) return Printable(Trim(message), 4096);
  }
  return "the sandbox answered with status " + std::to_string(status);
}

Task<Status> AgentErrorOf(http::StreamingResponse& response) {
  const int status = response.status;
  std::string body = co_await ReadErrorBody(response);
  co_return Fail(status >= 500 ? ErrorCode::kUnavailable : ErrorCode::kInvalidArgument,
                 AgentErrorText(body, status));
}

}  // namespace

Task<Status> RunPiped(UniqueFd connection,
                      std::string token,
                      AgentProgram program,
                      ByteSource input,
                      ByteSink output) {
  http::ClientRequest request;
  request.method = "POST";
  request.url = "http://box/pipe?argv=" + PercentEncode(WriteJson(WordList(program.arguments))) +
                "&user=" + PercentEncode(program.user) + "&folder=" + PercentEncode(program.folder);
  request.headers.Add("X-Access-Token", std::move(token));
  request.body_source = std::move(input);
  request.timeout = kPipeSilenceMax;
  request.silence_timeout = kPipeSilenceMax;
  auto response = co_await http::FetchStreamOver(std::move(connection), std::move(request));
  if (!response) co_return PassUp(std::move(response).error(), "run a program in the sandbox");
  if ((*response)->status != 200) co_return co_await AgentErrorOf(**response);
  for (;;) {
    auto piece = co_await (*response)->Read();
    if (!piece)
      co_return Fail(ErrorCode::kUnavailable, "the sandbox broke off: " + piece.error().message);
    if (piece->empty()) co_return Status();
    Status taken = co_await output(std::move(*piece));
    if (!taken) co_return taken;
  }
}

Task<Status> StartInBackground(UniqueFd connection, std::string token, BackgroundCommand command) {
  json::object variables;
  for (const auto& [name, value] : command.variables) variables[name] = value;
  json::object config;
  config["user"] = command.program.user;
  config["work_dir"] = command.program.folder;
  config["env_vars"] = std::move(variables);
  json::object body;
  body["command_id"] = command.id;
  body["command"] = WordList(command.program.arguments);
  body["run_config"] = std::move(config);
  body["timeout_seconds"] = 0;
  body["idle_timeout_seconds"] = -1;
  http::ClientRequest request;
  request.method = "POST";
  request.url = "http://box/dataplane/execute/stream/start";
  request.headers.Add("Content-Type", "application/json");
  request.headers.Add("X-Access-Token", std::move(token));
  request.body = WriteJson(body);
  request.timeout = kStartTimeout;
  // The response's header arrives once the command runs; its output is not read.
  auto response = co_await http::FetchStreamOver(std::move(connection), std::move(request));
  if (!response) co_return PassUp(std::move(response).error(), "start a command in the sandbox");
  if ((*response)->status == 200) co_return Status();
  co_return co_await AgentErrorOf(**response);
}

}  // namespace viv::boxes
