#pragma once
// LangSmith's data plane, spoken by the box itself: commands with output kept by byte offset,
// files, search, and a tunnel to the box's own ports. All paths begin with /dataplane.

#include <memory>

#include "agent/context.h"
#include "agent/process/reaper.h"
#include "http/router.h"

namespace viv::agent {

// Commands: POST /dataplane/execute, GET /dataplane/execute/ws (WebSocket), and POST
// /dataplane/execute/stream/start and /resume (server-sent events).
class Commands {
 public:
  explicit Commands(Context& context);
  ~Commands();
  void AddTo(http::Router& router);  // it and this outlive the server
  std::size_t running() const;       // commands that have not ended

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// POST /dataplane/upload, GET /dataplane/download, POST /dataplane/glob and /dataplane/grep.
void AddFileTransfers(Context& context, http::Router& router);
// GET /dataplane/tunnel: a WebSocket that carries yamux to the box's ports.
void AddTunnel(Context& context, http::Router& router);

// Whether the body of such a request is handled while it arrives.
bool IsStreamedByDataPlane(const http::Request& request);

// LangSmith's error body: {"detail": {"error": type, "message": text}}.
http::Response DataPlaneError(int status, std::string_view type, std::string message);

}  // namespace viv::agent
