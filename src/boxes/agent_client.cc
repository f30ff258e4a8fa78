#include "boxes/agent_client.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/timestamp.h"
#include "http/client.h"

namespace viv::boxes {
namespace {

constexpr std::chrono::milliseconds kAgentTimeout{10'000};
constexpr std::size_t kAgentResponseBytesMax = 8 << 20;

http::ClientRequest AgentRequest(std::string method, std::string path) {
  http::ClientRequest request;
  request.method = std::move(method);
  request.url = "http://box" + path;
  request.timeout = kAgentTimeout;
  request.body_bytes_max = kAgentResponseBytesMax;
  return request;
}

LogEntry AgentLogEntry(const json::value& from) {
  LogEntry entry;
  if (auto at = ParseTimestamp(FindString(from, "timestamp")))
    entry.at_us = at->seconds * 1'000'000 + at->nanos / 1000;
  entry.level = FindString(from, "level");
  entry.message = FindString(from, "message");
  const json::value* fields = Find(from, "fields");
  if (fields != nullptr && fields->is_object())
    for (const auto& [name, value] : fields->get_object())
      if (value.is_string()) entry.fields[std::string(name)] = View(value.get_string());
  return entry;
}

}  // namespace

Task<Status> SetUpAgent(UniqueFd connection, AgentSetup setup) {
  json::object variables;
  for (const auto& [name, value] : setup.variables) variables[name] = value;
  json::object body;
  body["accessToken"] = setup.token;
  body["envVars"] = std::move(variables);
  body["defaultUser"] = setup.user;
  if (!setup.workdir.empty()) body["defaultWorkdir"] = setup.workdir;
  http::ClientRequest request = AgentRequest("POST", "/init");
  request.headers.Add("Content-Type", "application/json");
  request.body = WriteJson(body);
  auto response = co_await http::FetchOver(std::move(connection), std::move(request));
  if (!response) co_return PassUp(std::move(response).error(), "set up the agent");
  if (response->status != 204)
    co_return Fail(ErrorCode::kInternal,
                   "the agent refused its setup: " + std::to_string(response->status));
  co_return Status();
}

Task<Result<std::size_t>> CountRunning(UniqueFd connection, std::string token) {
  http::ClientRequest request = AgentRequest("GET", "/activity");
  request.headers.Add("X-Access-Token", std::move(token));
  auto response = co_await http::FetchOver(std::move(connection), std::move(request));
  if (!response) co_return PassUp(std::move(response).error(), "ask what runs in the box");
  auto document = ParseJson(response->body);
  const json::value* running = document ? Find(*document, "running") : nullptr;
  if (running == nullptr || !running->is_int64())
    co_return Fail(ErrorCode::kInternal, "the agent does not say what runs in the box");
  co_return static_cast<std::size_t>(std::max<std::int64_t>(running->get_int64(), 0));
}

Task<Result<std::vector<LogEntry>>> ReadAgentLogs(UniqueFd connection, std::string token) {
  http::ClientRequest request = AgentRequest("GET", "/logs");
  request.headers.Add("X-Access-Token", std::move(token));
  auto response = co_await http::FetchOver(std::move(connection), std::move(request));
  if (!response) co_return PassUp(std::move(response).error(), "read the box's log");
  auto document = ParseJson(response->body);
  if (!document) co_return PassUp(std::move(document).error(), "read the box's log");
  const json::value* list = document->is_array() ? &*document : Find(*document, "logs");
  std::vector<LogEntry> entries;
  if (list != nullptr && list->is_array())
    for (const json::value& it : list->get_array()) entries.push_back(AgentLogEntry(it));
  co_return entries;
}

}  // namespace viv::boxes
