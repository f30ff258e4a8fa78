#pragma once
// An MCP server that is a program in a box. Its messages are sent to the box's agent, which starts
// the program and exchanges messages with it. Replies are passed on as the program wrote them.

#include <optional>

#include "boxes/boxes.h"
#include "local/local_servers.h"
#include "mcp/endpoint.h"

namespace viv::mcp {

class BoxEndpoint : public Endpoint {
 public:
  // The server of that name in the local sandbox of that id, a UUID; nullptr when there is none. A
  // server that the sandbox was acquired with, but that this installation does not offer, replies
  // to every request with an error that says so. All outlives it.
  static std::shared_ptr<BoxEndpoint> Find(boxes::Boxes& boxes,
                                           const local::LocalServers& servers,
                                           std::string_view sandbox_id,
                                           std::string_view server_name);

  std::string key() const override { return box_id_ + "/" + server_name_; }
  std::string query() const override { return "local_sandbox_id=" + sandbox_id_; }
  std::string account_id() const override { return account_id_; }
  bool exists() const override { return boxes_.Find(box_id_).has_value(); }

  Task<Reply> Handle(ReceivedMessage request, Caller caller) override;
  Task<void> Notify(ReceivedMessage notification, Caller caller) override;

 private:
  explicit BoxEndpoint(boxes::Boxes& boxes) : boxes_(boxes) {}
  std::string Frame(const std::string& text, const Caller& caller) const;

  boxes::Boxes& boxes_;
  std::string sandbox_id_;
  std::string box_id_;
  std::string account_id_;
  std::string server_name_;
  std::string definition_;  // JSON, for the agent; empty: the server is not on offer
};

}  // namespace viv::mcp
