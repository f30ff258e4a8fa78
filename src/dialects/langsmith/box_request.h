#pragma once
// The checked body of a create request: what the domain is asked for, and how long the client waits
// for it. Unknown members are ignored.

#include <chrono>
#include <string>

#include "boxes/boxes.h"
#include "dialects/langsmith/box_annotation.h"
#include "dialects/langsmith/checked.h"
#include "dialects/langsmith/secret_value.h"
#include "dialects/langsmith/sizing.h"

namespace viv::langsmith {

struct BoxRequest {
  std::string name;      // empty: the server chooses
  std::string snapshot;  // id, name or name:tag; empty: the default runtime
  bool wait_for_ready = true;
  std::chrono::milliseconds ready_timeout{30'000};  // how long the client waits for it to be ready
  std::int64_t idle_seconds = 0;
  std::int64_t keep_stopped_seconds = 0;
  bool keep_memory = false;
  bool persistent = true;  // false: its files are removed at each stop
  SizeRequest size_request;
  std::map<std::string, std::string> labels;
  BoxAnnotation annotation;
};

Checked<BoxRequest> ReadBoxRequest(const json::value& body,
                                   std::string_view account_id,
                                   const AccountSealer& sealer);

}  // namespace viv::langsmith
