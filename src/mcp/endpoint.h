#pragma once
// One MCP server, as a URL names it: a simulated application's, or a program in a box. The
// transports treat both alike.

#include <memory>
#include <string>

#include "base/task.h"
#include "http/message.h"
#include "mcp/reply.h"
#include "rpc/jsonrpc/message.h"

namespace viv::mcp {

struct Caller {
  std::string version;       // the revision its requests are in
  std::string session = {};  // tells callers apart whose ids are alike; may be empty
  http::ClientConnection* client =
      nullptr;  // the client's connection, which may close; outlives the call
};

// A message, parsed and as text.
struct ReceivedMessage {
  rpc::JsonRpcMessage message;
  std::string text;
};

class Endpoint {
 public:
  virtual ~Endpoint() = default;

  virtual std::string key() const = 0;         // whom sessions are made for
  virtual std::string query() const = 0;       // of the URL that leads here: "instance_id=…"
  virtual bool exists() const = 0;             // still
  virtual std::string account_id() const = 0;  // the account that is charged for the requests

  virtual Task<Reply> Handle(ReceivedMessage request, Caller caller) = 0;
  virtual Task<void> Notify(ReceivedMessage notification, Caller caller) = 0;
};
using EndpointPtr = std::shared_ptr<Endpoint>;  // shared with the streams of its callers

}  // namespace viv::mcp
