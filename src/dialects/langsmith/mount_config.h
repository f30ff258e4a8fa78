#pragma once
// The buckets and repositories that a box mounts below /mnt/mounts, and their credentials. They are
// checked and stored; secrets are sealed and hidden like those of a proxy_config.

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
// Why a box cannot have these mounts with that proxy_config, both as stored: both have credentials
// of one provider, or mounts have none. For a proxy_config that is changed later.
std::optional<std::string> MountsAndProxyConflict(const json::value& stored_mounts,
                                                  const json::value& stored_proxy);

}  // namespace viv::langsmith
