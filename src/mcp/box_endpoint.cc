#include "mcp/box_endpoint.h"

#include "base/log.h"
#include "boxes/box_ids.h"
#include "http/client.h"
#include "local/local_annotation.h"
#include "rpc/jsonrpc/members.h"

namespace viv::mcp {
namespace {

using rpc::JsonRpcCode;

// Tools may work for long; who waits for them decides how long that is.
constexpr std::chrono::hours kBoxCallTimeout{24};
constexpr std::size_t kBoxLineBytesMax = 33 * 1024 * 1024;
constexpr std::string_view kGone = "This sandbox does not exist or has been released";

// The agent's response, line by line.
class BoxReplyStream : public ReplyStream {
 public:
  explicit BoxReplyStream(std::unique_ptr<http::StreamingResponse> answer)
      : answer_(std::move(answer)) {}

  Task<Result<Line>> Next() override {
    for (;;) {
      std::size_t end = waiting_.find('\n', scanned_);
      if (end != std::string::npos) {
        Line line;
        line.message = waiting_.substr(0, end);
        waiting_.erase(0, end + 1);
        scanned_ = 0;
        line.last = !rpc::FindMember(line.message, "method");
        co_return line;
      }
      scanned_ = waiting_.size();
      if (waiting_.size() > kBoxLineBytesMax) {
        co_return Fail(ErrorCode::kLimitExceeded, "the answer is too large");
      }
      Result<std::string> piece = co_await answer_->Read();
      if (piece && piece->empty() && waiting_.empty()) co_return Line{.message = "", .last = true};
      if (!piece || piece->empty()) {
        co_return Fail(ErrorCode::kUnavailable,
                       "The sandbox ended, or was paused, while the call was under way");
      }
      waiting_ += *piece;
    }
  }

 private:
  std::unique_ptr<http::StreamingResponse> answer_;
  std::string waiting_;
  std::size_t scanned_ = 0;
};

json::object DefinitionOf(const local::LocalServer& server, std::string_view benchmark) {
  json::array command;
  for (const std::string& word : local::CommandFor(server, benchmark)) command.emplace_back(word);
  json::object variables;
  for (const auto& [name, value] : server.variables) variables[name] = value;
  return {{"name", server.name},
          {"command", std::move(command)},
          {"variables", std::move(variables)},
          {"folder", local::kWorkspace},
          {"user", "user"},
          {"idle_seconds", server.idle_seconds},
          {"start_seconds", server.start_seconds}};
}

Reply BoxErrorReply(const json::value& id, int status, JsonRpcCode code, std::string message) {
  Reply answer;
  answer.body = rpc::JsonRpcFailure(id, {code, std::move(message)});
  answer.status = status;
  return answer;
}

// The reply when the box's agent cannot be reached.
Reply Unreachable(const json::value& id, const Error& error) {
  switch (error.code) {
    case ErrorCode::kNotFound:
      return BoxErrorReply(id, 404, JsonRpcCode::kNotFound, std::string(kGone));
    case ErrorCode::kConflict:
      return BoxErrorReply(id, 409, JsonRpcCode::kInternalError,
                           "This sandbox does not run: " + error.message);
    default:
      return BoxErrorReply(id, 503, JsonRpcCode::kInternalError,
                           "This sandbox cannot be reached: " + error.message);
  }
}

Task<Result<std::unique_ptr<http::StreamingResponse>>> PostToAgent(boxes::Boxes& boxes,
                                                                   std::string box_id,
                                                                   std::string frame,
                                                                   http::ClientConnection* client) {
  ASSIGN_OR_CO_RETURN(UniqueFd connection, co_await boxes.DialAgent(box_id));
  http::ClientRequest request;
  request.method = "POST";
  request.url = "http://box/mcp";
  request.headers.Add("X-Access-Token", boxes.AgentToken(box_id));
  request.headers.Add("Content-Type", "application/json");
  request.body = std::move(frame);
  request.timeout = kBoxCallTimeout;
  if (client != nullptr) request.is_abandoned = [client] { return client->IsClosed(); };
  co_return co_await http::FetchStreamOver(std::move(connection), std::move(request));
}

}  // namespace

std::shared_ptr<BoxEndpoint> BoxEndpoint::Find(boxes::Boxes& boxes,
                                               const local::LocalServers& servers,
                                               std::string_view sandbox_id,
                                               std::string_view server_name) {
  std::optional<std::string> box_id = boxes::BoxOfUuid(sandbox_id);
  if (!box_id) return nullptr;
  Result<boxes::BoxPtr> box = boxes.Find(*box_id);
  if (!box) return nullptr;
  std::optional<local::LocalAnnotation> annotation = local::LocalAnnotationOf(**box);
  if (!annotation || !annotation->Has(server_name)) return nullptr;
  const local::LocalServer* server = servers.Find(server_name);
  std::shared_ptr<BoxEndpoint> endpoint(new BoxEndpoint(boxes));
  endpoint->sandbox_id_ = sandbox_id;
  endpoint->box_id_ = *std::move(box_id);
  endpoint->account_id_ = (*box)->account_id;
  endpoint->server_name_ = server_name;
  if (server != nullptr)
    endpoint->definition_ = WriteJson(DefinitionOf(*server, annotation->benchmark));
  return endpoint;
}

std::string BoxEndpoint::Frame(const std::string& text, const Caller& caller) const {
  std::string frame = R"({"server":)" + definition_ + R"(,"version":)";
  AppendJsonString(frame, caller.version);
  frame += R"(,"caller":)";
  AppendJsonString(frame, caller.session);
  frame += R"(,"message":)";
  return frame.append(text) + '}';
}

Task<Reply> BoxEndpoint::Handle(ReceivedMessage request, Caller caller) {
  json::value id = std::move(request.message.id);
  // The status is 200, because clients take others for transport errors and do not show our
  // message.
  if (definition_.empty())
    co_return BoxErrorReply(id, 200, JsonRpcCode::kInternalError,
                            local::NotOfferedText(server_name_));
  std::string frame = Frame(request.text, caller);
  auto answer = co_await PostToAgent(boxes_, box_id_, std::move(frame), caller.client);
  if (!answer) co_return Unreachable(id, answer.error());
  int status = (*answer)->status;
  if (status == 202) {
    Reply nothing;
    nothing.status = 202;
    nothing.cancelled = true;
    co_return nothing;
  }
  if (status == 413) {
    co_return BoxErrorReply(id, 413, JsonRpcCode::kInvalidRequest, "The message is too large");
  }
  if (status != 200) {
    log::Error("mcp.agent_refused", {{"box", box_id_}, {"status", status}});
    co_return BoxErrorReply(id, 502, JsonRpcCode::kInternalError,
                            "The sandbox does not speak MCP; acquire a new one");
  }
  auto stream = std::make_shared<BoxReplyStream>(*std::move(answer));
  Result<ReplyStream::Line> first = co_await stream->Next();
  if (!first) co_return BoxErrorReply(id, 502, JsonRpcCode::kInternalError, first.error().message);
  Reply result;
  if (first->last) {
    result.body = std::move(first->message);
  } else {
    result.messages.push_back(std::move(first->message));
    result.stream = std::move(stream);
  }
  co_return result;
}

Task<void> BoxEndpoint::Notify(ReceivedMessage notification, Caller caller) {
  if (definition_.empty()) co_return;
  std::string frame = Frame(notification.text, caller);
  auto answer = co_await PostToAgent(boxes_, box_id_, std::move(frame), caller.client);
  if (!answer) {
    log::Warn("mcp.notification_lost", {{"box", box_id_}, {"error", answer.error().message}});
  }
}

}  // namespace viv::mcp
