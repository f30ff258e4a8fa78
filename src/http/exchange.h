#pragma once
// The asking side of one HTTP/1.1 exchange over a transport: sends a request, whose body may take
// its time, while the answer is read. The connection ends with it. One thread. Internal to this
// module: the client and the relay are made of it.

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
    Duration response{60'000};  // from the end of the request to the answer's head
    Duration tick{250};         // how exactly that is kept
    std::function<bool()> is_abandoned = nullptr;  // looked at every tick; true ends the exchange
  };

  Exchange(std::unique_ptr<Transport> transport,
           ResponseParser::RequestMethod method,
           Timing timing);
  ~Exchange();

  Task<Status> Handshake();  // TLS only

  // Both return at once; sending goes on while the answer is read. A server that does not take all
  // of it may still answer. When `source` fails, so does the exchange, with the same error.
  void Send(std::string head, std::string body);
  void Send(std::string head, BodySource source, BodyFraming framing);

  Task<Result<ResponseHead>> ReadHead();
  // The next piece, some 256 KiB at most; empty at the end.
  Task<Result<std::string>> ReadPiece();
  // Without these the time for the answer is meant for all of it.
  void ReadForever();
  void ReadWithin(Duration timeout);

  // The body, when it has arrived together with the head.
  std::optional<std::string> WholeBody();
  std::optional<std::uint64_t> body_bytes() const;
  bool has_body() const;  // one follows the head

  // After a 101 the connection is the caller's: what came after the head, and the rest. Nobody
  // looks any more whether the exchange is abandoned.
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

  // Shared with the tasks, which may outlive this by a moment.
  const std::shared_ptr<State> state_;
  TaskGroup tasks_;
};

}  // namespace viv::http
