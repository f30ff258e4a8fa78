#pragma once
// The raw bytes of a connection, after the head of a response that takes the connection over.

#include <string>

#include "http/message.h"
#include "http/operation_counter.h"
#include "http/read_buffer.h"
#include "http/server.h"
#include "http/transport.h"

namespace viv::http {

class TakeoverStream : public ByteStream {
 public:
  // `buffer` holds what the client sent already. All of it outlives this.
  TakeoverStream(Transport& transport, ReadBuffer& buffer, const ServerOptions& options);

  Task<Result<std::string>> Read() override;
  Task<Status> Write(std::string bytes) override;
  void CloseWrite() override;

  // Cancels pending operations and waits for them. Must be called before the destructor.
  Task<void> CancelAndWait();

 private:
  Transport& transport_;
  ReadBuffer& buffer_;
  const ServerOptions& options_;
  OperationCounter operations_;
  bool write_closed_ = false;
  bool closed_ = false;
};

}  // namespace viv::http
