#pragma once
// Credentials for registries of container images, which an account keeps under names of its own.
// The password is sealed before it is stored and never shown again.

#include <string>
#include <string_view>

#include "base/result.h"
#include "dialects/langsmith/context.h"

namespace viv::langsmith {

// What a build needs of one.
struct OpenedRegistry {
  std::string name;
  std::string host;  // "registry.example.com:5000"
  boxes::RegistryLogin login;
  boxes::RegistryTransport transport = boxes::RegistryTransport::kTls;
};

// By id or name. kNotFound when the account has none such.
Result<OpenedRegistry> OpenRegistry(const Context& context,
                                    std::string_view account_id,
                                    std::string_view ref);

// "registry.example.com", "https://registry.example.com/v2/", or "http://10.0.0.5:5000" for one
// without TLS.
struct RegistryAddress {
  std::string host;
  boxes::RegistryTransport transport = boxes::RegistryTransport::kTls;
};
Result<RegistryAddress> ParseRegistryUrl(std::string_view url);

}  // namespace viv::langsmith
