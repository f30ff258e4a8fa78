#include "rpc/connect/service.h"

#include <exception>
#include <memory>

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include "base/check.h"
#include "base/log.h"
#include "rpc/connect/call.h"

namespace viv::connect {
namespace {

// A method as registered. Shared by its handler and the calls under way.
template <typename Function>
struct Endpoint {
  const Schema& schema;
  const Method& method;
  Function function;
};
template <typename Function>
using EndpointPtr = std::shared_ptr<const Endpoint<Function>>;

std::string EndStreamEnvelope(const RpcResult<void>& answer) {
  json::object end;
  if (!answer) end["error"] = RpcErrorJson(answer.error());
  return WrapEnvelope(kFlagEndStream, WriteJson(end));
}

http::Response UnsupportedMediaType(std::string accepted) {
  http::Response response = http::Empty(415);
  response.headers.Set("Accept-Post", std::move(accepted));
  return response;
}

// The response of a method; what it throws is an internal failure, but for its own cancellation.
template <typename T>
Task<RpcResult<T>> CatchExceptions(Task<RpcResult<T>> task, std::string_view method) {
  std::string what = "unknown exception";
  try {
    co_return co_await std::move(task);
  } catch (const boost::system::system_error& error) {
    if (error.code() == asio::error::operation_aborted) throw;
    what = error.what();
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  log::Error("connect.method_threw", {{"method", method}, {"error", what}});
  co_return FailRpc(Code::kInternal, "internal error");
}

Task<http::Response> ServeUnary(EndpointPtr<Unary> endpoint, http::Request& request) {
  auto codec = UnaryCodec(request.headers.Get("content-type"));
  if (!codec) co_return UnsupportedMediaType("application/json, application/proto");
  RpcResult<Call> call = ReadCall(request);
  if (!call) co_return RenderRpcError(call.error());
  RpcResult<std::string> body = co_await ReadBody(request);
  if (!body) co_return RenderRpcError(body.error());
  const Method& method = endpoint->method;
  auto message = ReadMessage(*codec, endpoint->schema, method.request, *body);
  if (!message) co_return RenderRpcError(message.error());
  Task<RpcResult<json::object>> task = endpoint->function(*call, *std::move(message));
  RpcResult<json::object> answer = co_await CatchExceptions(std::move(task), method.name);
  if (!answer) co_return RenderRpcError(answer.error());
  http::Response response;
  response.headers.Add("Content-Type", std::string(UnaryContentType(*codec)));
  response.body = WriteMessage(*codec, endpoint->schema, method.response, *answer);
  co_return response;
}

class StreamMessageWriter : public MessageWriter {
 public:
  StreamMessageWriter(http::BodyWriter& body,
                      Codec codec,
                      const Schema& schema,
                      std::string_view type)
      : body_(body), codec_(codec), schema_(schema), type_(type) {}

  Task<bool> Write(json::object message) override {
    if (gone_) co_return false;
    std::string bytes = WrapEnvelope(0, WriteMessage(codec_, schema_, type_, message));
    Status written = co_await body_.Write(std::move(bytes));
    gone_ = !written;
    co_return !gone_;
  }

  Task<void> End(RpcResult<void> answer) {
    if (!gone_) (void)co_await body_.Write(EndStreamEnvelope(answer));
  }

 private:
  http::BodyWriter& body_;
  const Codec codec_;
  const Schema& schema_;
  const std::string_view type_;
  bool gone_ = false;
};

// A server stream between its request and its end.
struct StreamCall {
  EndpointPtr<ServerStream> endpoint;
  Codec codec;
  RpcResult<Call> call;
  RpcResult<json::object> message;
};

Task<void> RunStreamCall(std::shared_ptr<StreamCall> stream, http::BodyWriter& body) {
  const Endpoint<ServerStream>& endpoint = *stream->endpoint;
  StreamMessageWriter writer(body, stream->codec, endpoint.schema, endpoint.method.response);
  if (!stream->message) {
    RpcResult<void> failed = tl::unexpected<RpcError>(stream->message.error());
    co_await writer.End(std::move(failed));
    co_return;
  }
  Task<RpcResult<void>> task =
      endpoint.function(*stream->call, *std::move(stream->message), writer);
  RpcResult<void> answer = co_await CatchExceptions(std::move(task), endpoint.method.name);
  co_await writer.End(std::move(answer));
}

// The one message of a server stream's request.
Task<RpcResult<json::object>> ReadSingleMessage(BodyMessageReader& messages) {
  RpcResult<std::optional<json::object>> first = co_await messages.Read();
  if (!first) co_return tl::unexpected<RpcError>(std::move(first).error());
  if (!first->has_value()) {
    co_return FailRpc(Code::kInvalidArgument, "the request has no message");
  }
  RpcResult<std::optional<json::object>> second = co_await messages.Read();
  if (!second) co_return tl::unexpected<RpcError>(std::move(second).error());
  if (second->has_value()) {
    co_return FailRpc(Code::kInvalidArgument, "the request has more than one message");
  }
  co_return **std::move(first);
}

Task<http::Response> ServeServerStream(EndpointPtr<ServerStream> endpoint, http::Request& request) {
  auto codec = StreamCodec(request.headers.Get("content-type"));
  if (!codec) co_return UnsupportedMediaType("application/connect+json, application/connect+proto");
  auto stream =
      std::make_shared<StreamCall>(StreamCall{endpoint, *codec, ReadCall(request), json::object()});
  if (stream->call) {
    BodyMessageReader messages(request, *codec, endpoint->schema, endpoint->method.request);
    stream->message = co_await ReadSingleMessage(messages);
    request.body = std::string();
  } else {
    stream->message = tl::unexpected<RpcError>(stream->call.error());
  }
  http::Response response;
  response.headers.Add("Content-Type", std::string(StreamContentType(*codec)));
  response.stream = [stream](http::BodyWriter& body) { return RunStreamCall(stream, body); };
  co_return response;
}

Task<http::Response> ServeClientStream(EndpointPtr<ClientStream> endpoint, http::Request& request) {
  auto codec = StreamCodec(request.headers.Get("content-type"));
  if (!codec) co_return UnsupportedMediaType("application/connect+json, application/connect+proto");
  const Method& method = endpoint->method;
  RpcResult<Call> call = ReadCall(request);
  RpcResult<json::object> answer;
  if (call) {
    BodyMessageReader messages(request, *codec, endpoint->schema, method.request);
    Task<RpcResult<json::object>> task = endpoint->function(*call, messages);
    answer = co_await CatchExceptions(std::move(task), method.name);
  } else {
    answer = tl::unexpected<RpcError>(call.error());
  }
  http::Response response;
  response.headers.Add("Content-Type", std::string(StreamContentType(*codec)));
  RpcResult<void> end;
  if (answer) {
    response.body =
        WrapEnvelope(0, WriteMessage(*codec, endpoint->schema, method.response, *answer));
  } else {
    end = tl::unexpected<RpcError>(answer.error());
  }
  response.body += EndStreamEnvelope(end);
  co_return response;
}

Task<http::Response> RespondUnknownMethod(http::Request& request) {
  RpcError failure{Code::kUnimplemented, request.path + " is no method of this service"};
  http::Response response = RenderRpcError(failure);
  response.status = 404;
  co_return response;
}

template <typename Function, typename Serve>
void AddMethod(http::Router& router,
               const Schema& schema,
               std::string_view service,
               std::string_view name,
               Function function,
               Serve serve) {
  const Method* method = FindMethod(schema, service, name);
  CHECK(method != nullptr);
  std::string prefix = "/" + std::string(service) + "/";
  if (router.Find("POST", prefix + "-").handler == nullptr) {
    router.Add("POST", prefix + "{method}", RespondUnknownMethod);
  }
  auto endpoint = std::make_shared<const Endpoint<Function>>(
      Endpoint<Function>{schema, *method, std::move(function)});
  router.Add("POST", prefix + std::string(name),
             [endpoint, serve](http::Request& request) { return serve(endpoint, request); });
}

}  // namespace

void AddUnary(http::Router& router,
              const Schema& schema,
              std::string_view service,
              std::string_view method,
              Unary function) {
  AddMethod(router, schema, service, method, std::move(function), ServeUnary);
}

void AddServerStream(http::Router& router,
                     const Schema& schema,
                     std::string_view service,
                     std::string_view method,
                     ServerStream function) {
  AddMethod(router, schema, service, method, std::move(function), ServeServerStream);
}

void AddClientStream(http::Router& router,
                     const Schema& schema,
                     std::string_view service,
                     std::string_view method,
                     ClientStream function) {
  AddMethod(router, schema, service, method, std::move(function), ServeClientStream);
}

http::Response RenderRpcError(const RpcError& failure) {
  return http::Json(HttpStatus(failure.code), WriteJson(RpcErrorJson(failure)));
}

}  // namespace viv::connect
