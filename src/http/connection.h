#pragma once
// One client's connection: reads a request, calls the handler, sends the response, and repeats that
// until one side closes. A Worker owns it; everything happens on that worker's thread. Internal to
// the server.

#include <memory>
#include <optional>
#include <string>

#include <boost/asio/cancellation_signal.hpp>

#include "http/body_budget.h"
#include "http/body_writer.h"
#include "http/deferred_body.h"
#include "http/message.h"
#include "http/read_buffer.h"
#include "http/request_body.h"
#include "http/request_parser.h"
#include "http/response_writer.h"
#include "http/server.h"
#include "http/transport.h"

namespace viv::http {

// What all connections of a server share; outlives them.
struct ServerContext {
  const ServerOptions& options;
  const Handler& handler;
  const ErrorRenderer& errors;
  BodyBudget& heads;
  BodyBudget& bodies;
};

class Connection : private ClientConnection, private DeferredBody {
 public:
  // `date` is the worker's Date header, which the worker updates.
  Connection(const ServerContext& context,
             std::unique_ptr<Transport> transport,
             std::string remote,
             const std::string& date);

  Task<void> Run();

  // Cancels the coroutine that runs Run.
  asio::cancellation_slot slot() { return cancel_.slot(); }

  void Tick(Transport::TimePoint now) { transport_->Tick(now); }
  void EndDeadStream();  // cancels a stream whose client went away
  void Drain();          // finishes the current request, then closes
  void CancelStream();
  void Abort();

 private:
  enum class Phase { kIdle, kBusy, kStreaming, kTakenOver };
  enum class Outcome { kRequest, kRefuse, kGone };

  // connection.cc: requests.
  Task<void> Serve();
  Task<Outcome> ReadRequest();
  Task<bool> ReadMore(std::size_t size);
  bool ChargeHead();
  Task<Response> Handle();
  Task<void> Refuse(int status, std::string message);
  void StreamBody(RequestBody::Extent extent);
  RequestBody::Source BodySource();
  std::size_t BodyReadBytes() const;
  bool IsClosed() override;

  // connection_body.cc: bodies that are read when the handler asks for them.
  Task<std::optional<Response>> Load(BodyLimits limits) override;
  Task<std::optional<Response>> ChargeBody(std::string owner, std::size_t bytes);
  Response BodyError(const Error& error);

  // connection_response.cc: responses; each function returns whether another request may follow.
  Task<bool> SendResponse(Response response);
  Task<bool> SendWholeResponse(Response response);
  Task<bool> SendAnyResponse(Response response);
  Task<bool> SendStreamedResponse(Response response);
  Task<bool> RunStream(const Response& response, BodyWriter& writer);
  Task<void> UpgradeToWebSocket(Response response);
  Task<void> HandOverConnection(Response response);
  Task<bool> WriteAll(Transport::Pieces pieces);
  void WriteHead(const Response& response, StreamWriter::Shape shape, bool keep_alive);
  StreamWriter::Shape StreamShape(const Response& response);
  bool KeepsAlive(const Response& response);

  const ServerContext& context_;
  const std::unique_ptr<Transport> transport_;
  const std::string remote_;
  const std::string& date_;
  ReadBuffer buffer_;
  RequestParser parser_;
  std::optional<RequestBody> body_;  // of the current request, when it is streamed or deferred
  BodyBudget::Charge head_charge_;   // for a large head that is not complete
  BodyBudget::Charge charge_;        // for the body of the current request
  std::string head_;                 // of the current response
  asio::cancellation_signal cancel_;
  Phase phase_ = Phase::kIdle;
  bool draining_ = false;
  bool first_ = true;
  RequestParser::Problem problem_;
};

}  // namespace viv::http
