#pragma once
// The box and port that a request addresses, if it is traffic and no call to the control plane.

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "http/message.h"

namespace viv::e2b {

struct Destination {
  enum class By { kHost, kHeader };
  std::string box_id;
  std::uint16_t port = 0;
  By by = By::kHost;
};

// Host "{port}-{id}.anything", else the headers E2b-Sandbox-Id and E2b-Sandbox-Port (absent: the
// agent's). The name wins: a page that one box serves must not reach another by adding a header.
// Nothing when it is no traffic by either; kInvalidArgument for a port that is none.
Result<std::optional<Destination>> DestinationOf(const http::Request& request);

}  // namespace viv::e2b
