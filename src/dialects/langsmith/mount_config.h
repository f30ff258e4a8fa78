#pragma once
// Buckets and repositories a box asks to have below /mnt/mounts, and the credentials for them. They
// are checked and kept; secrets are sealed and hidden as those of a proxy_config are.

#include <optional>
#include <string>

#include "base/json.h"
#include "dialects/langsmith/checked.h"
#include "dialects/langsmith/secret_value.h"

namespace viv::langsmith {

// `stored_proxy` is the box's stored proxy_config, null when it has none: its AWS rule may be the
// credentials of S3 mounts, and one provider's credentials cannot be in both.
Checked<json::value> StoreMountConfig(const json::value& given,
                                      const json::value& stored_proxy,
                                      const AccountSealer& sealer);
json::value ShowMountConfig(const json::value& stored);
// What stands against a box with these mounts and that proxy_config, both as stored: credentials of
// one provider in both, or mounts without any. For a proxy_config that changes later.
std::optional<std::string> MountsAndProxyConflict(const json::value& stored_mounts,
                                                  const json::value& stored_proxy);

}  // namespace viv::langsmith
