#pragma once
// Local sandboxes: a box with a workspace, and MCP servers in it that share it. This class has what
// all APIs for them have in common. A sandbox of another account is treated as missing, and so is a
// box that is no local sandbox: kNotFound. Thread-safe.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/async_mutex.h"
#include "base/result.h"
#include "base/task.h"
#include "boxes/agent_pipe.h"
#include "boxes/boxes.h"
#include "local/local_annotation.h"
#include "local/local_servers.h"
#include "storage/overlay.h"

namespace viv::local {

struct AcquireLocal {
  std::string account_id;
  // Without duplicates. A server of the vendor that is not available here is recorded and does not
  // work; at least one is available.
  std::vector<std::string> servers;
  std::string benchmark;         // empty: none
  std::int64_t ttl_seconds = 0;  // 0: it has no end
  json::object dialect_data;     // for its annotation
};

class LocalSandboxes {
 public:
  // The layers of the profile's workspace: WorkspaceLayers::Trees. Empty: this server has no local
  // sandboxes.
  using OverlaysOf = std::function<std::vector<storage::OverlayMount>(std::string_view profile)>;
  LocalSandboxes(boxes::Boxes& boxes, const LocalServers& servers, OverlaysOf overlays)
      : boxes_(boxes), servers_(servers), overlays_(std::move(overlays)) {}

  const LocalServers& servers() const { return servers_; }

  Task<Result<boxes::BoxPtr>> Acquire(AcquireLocal request);
  Result<boxes::BoxPtr> Get(std::string_view account_id, std::string_view uuid) const;
  // Of any account, by the box's own id: for requests that a signed URL authorizes.
  Result<boxes::BoxPtr> Find(std::string_view box_id) const;
  // The one with this id, or with a server of this id.
  Result<boxes::BoxPtr> GetByServer(std::string_view account_id, std::string_view uuid) const;
  std::vector<boxes::BoxPtr> List(std::string_view account_id) const;  // the newest first
  Task<Status> Release(boxes::BoxPtr box);
  Task<Status> Reset(boxes::BoxPtr box);
  // Replaces the dialect's part of its annotation.
  Task<Status> SetDialectData(boxes::BoxPtr box, json::object dialect_data);

  // Runs a program in the box, which is resumed for it.
  Task<Status> Run(boxes::BoxPtr box,
                   boxes::AgentProgram program,
                   boxes::ByteSource input,
                   boxes::ByteSink output);
  // The same, for little output: kLimitExceeded beyond `bytes_max`.
  Task<Result<std::string>> RunForText(boxes::BoxPtr box,
                                       boxes::AgentProgram program,
                                       boxes::ByteSource input,
                                       std::size_t bytes_max);
  Task<Status> Start(boxes::BoxPtr box, boxes::BackgroundCommand command);

  // Serializes the operations that replace a whole workspace.
  Task<AsyncMutex::Lock> LockWorkspace(boxes::BoxPtr box);

 private:
  Result<std::string> TemplateFor(const std::vector<std::string>& servers) const;

  boxes::Boxes& boxes_;
  const LocalServers& servers_;
  const OverlaysOf overlays_;
  std::array<AsyncMutex, 1024> mutexes_;  // by the hash of a box's id
};

}  // namespace viv::local
