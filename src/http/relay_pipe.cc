#include "http/relay_pipe.h"

#include <string>
#include <utility>

#include <boost/system/system_error.hpp>

#include "base/task_group.h"
#include "http/body_writer.h"
#include "http/operation_counter.h"

namespace viv::http {
namespace {

constexpr std::size_t kPipeReadBytes = 64 * 1024;
constexpr Transport::Duration kPipeWriteTimeout{60'000};
constexpr Transport::Duration kHalfClosedTimeout{300'000};  // for the silence of the other half

// Shared by the two directions, of which one may outlive the other by a moment.
struct Pipe {
  explicit Pipe(std::shared_ptr<Exchange> of)
      : exchange(std::move(of)), to_upstream(exchange->transport().executor()) {}

  const std::shared_ptr<Exchange> exchange;
  OperationCounter to_upstream;
  bool client_ended = false;
  bool over = false;  // the client's stream must not be touched any more
};

Task<void> PipeToUpstream(std::shared_ptr<Pipe> pipe,
                          ByteStream& client,
                          std::unique_ptr<OperationCounter::Entry> entry) {
  Transport& upstream = pipe->exchange->transport();
  try {
    while (!pipe->over) {
      Result<std::string> bytes = co_await client.Read();
      if (pipe->over) break;
      if (bytes && bytes->empty()) {
        pipe->client_ended = true;
        upstream.CloseWrite();
        pipe->exchange->ReadWithin(kHalfClosedTimeout);
        break;
      }
      Transport::Pieces pieces;
      if (bytes) pieces[0] = *bytes;
      bool written = bytes && co_await WritePieces(upstream, pieces, kPipeWriteTimeout);
      if (written) continue;
      upstream.Close();  // which ends the other direction
      break;
    }
  } catch (const boost::system::system_error&) {  // cancelled
  }
  entry.reset();
}

// Whether the server came to its end, and the client may still go on.
Task<bool> PipeToClient(std::shared_ptr<Pipe> pipe, ByteStream& client) {
  Transport& upstream = pipe->exchange->transport();
  ReadBuffer& buffer = pipe->exchange->buffer();
  for (;;) {
    if (buffer.empty()) {
      char* into = buffer.Prepare(kPipeReadBytes);
      if (pipe->client_ended) {
        pipe->exchange->ReadWithin(kHalfClosedTimeout);
      } else {
        pipe->exchange->ReadForever();
      }
      std::size_t count = co_await upstream.Read(into, kPipeReadBytes);
      buffer.Commit(count);
      if (count == 0) co_return !upstream.read_failed();
    }
    std::string bytes(buffer.data());
    buffer.Consume(bytes.size());
    Status written = co_await client.Write(std::move(bytes));
    if (!written) co_return false;
  }
}

}  // namespace

Task<void> PipeUpgraded(std::shared_ptr<Exchange> exchange, ByteStream& client) {
  exchange->Detach();
  auto pipe = std::make_shared<Pipe>(std::move(exchange));
  struct End {
    Pipe& pipe;
    ~End() { pipe.over = true; }
  } end{*pipe};
  TaskGroup tasks(pipe->exchange->transport().executor());
  auto entry = std::make_unique<OperationCounter::Entry>(pipe->to_upstream);
  tasks.Spawn("http.relay_pipe", PipeToUpstream(pipe, client, std::move(entry)));
  bool server_ended = co_await PipeToClient(pipe, client);
  if (!server_ended) co_return;
  client.CloseWrite();
  co_await pipe->to_upstream.WaitUntilIdle();
}

}  // namespace viv::http
