#pragma once
// The services that E2B's clients find in a box, process.Process and filesystem.Filesystem, as the
// tables of their messages.

#include "rpc/connect/schema.h"

namespace viv::agent {

const connect::Schema& EnvdSchema();

}  // namespace viv::agent
