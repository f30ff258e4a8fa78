#pragma once
// The client's side of one HTTP/1.1 request and its response over a transport. The body of the
// request may still be sent while the response is read. The connection closes with the exchange.
// Used from one thread. Internal to this module: the client and the relay use it.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "base/task_group.h"
#include "http/read_buffer.h"
#include "http/response_parser.h"
#include "http/transport.h"

namespace viv::http {

class Exchange {
 public:
  using Duration = Transport::Duration;
  using BodySource = std::function<Task<Result<std::string>>()>;  // empty at the end
  enum class BodyFraming { kBare, kChunked };
  struct Timing {
    Duration write{60'000};     // without any progress
    Duration response{60'000};  // from the end of the request to the response's head
    Duration tick{250};         // how precisely the deadlines are kept
    std::function<bool()> is_abandoned = nullptr;  // called every tick; true ends the exchange
  };

  Exchange(std::unique_ptr<Transport> transport,
           ResponseParser::RequestMethod method,
           Timing timing);
  ~Exchange();

  Task<Status> Handshake();  // TLS only

  // Both return at once; the request is sent while the response is read. A server that does not
  // read all of the request may still respond. When `source` fails, the exchange fails with the
  // same error.
  void Send(std::string head, std::string body);
  void Send(std::string head, BodySource source, BodyFraming framing);

  Task<Result<ResponseHead>> ReadHead();
  // The next piece, some 256 KiB at most; empty at the end.
  Task<Result<std::string>> ReadPiece();
  // Without one of these calls the timeout covers the whole response.
  void ReadForever();
  void ReadWithin(Duration timeout);

  // The body, when it has arrived together with the head.
  std::optional<std::string> WholeBody();
  std::optional<std::uint64_t> body_bytes() const;
  bool has_body() const;  // one follows the head

  // After a 101 the connection belongs to the caller, with the bytes that came after the head.
  // is_abandoned is not called any more.
  void Detach();
  Transport& transport();
  ReadBuffer& buffer();

 private:
  struct State;
  static Task<void> Pump(std::shared_ptr<State> state,
                         std::string first,
                         BodySource source,
                         BodyFraming framing);
  static Task<void> Watch(std::shared_ptr<State> state);
  Task<Status> Receive();

  // Shared with the tasks, which may outlive the exchange briefly.
  const std::shared_ptr<State> state_;
  TaskGroup tasks_;
};

}  // namespace viv::http
