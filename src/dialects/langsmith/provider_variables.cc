#include "dialects/langsmith/provider_variables.h"

#include <string>

#include "dialects/langsmith/proxy_plan.h"

namespace viv::langsmith {
namespace {

// The template's bundle, in which our authority is.
constexpr char kAuthoritiesFile[] = "/etc/ssl/certs/ca-certificates.crt";

struct ManagedVariable {
  std::string_view provider, name;
  const char* value;  // nullptr: managed by being absent
};

constexpr ManagedVariable kManagedVariables[] = {
    // Of the form and length of real ones, which some SDKs check.
    {"aws", "AWS_ACCESS_KEY_ID", "AKIAVIVARIUMGATEWAY2"},
    {"aws", "AWS_SECRET_ACCESS_KEY", "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"},
    // There is none in a box, and who has keys need not wait for it.
    {"aws", "AWS_EC2_METADATA_DISABLED", "true"},
    {"aws", "AWS_CA_BUNDLE", kAuthoritiesFile},
    {"aws", "AWS_SESSION_TOKEN", nullptr},
    {"gcp", "CLOUDSDK_AUTH_ACCESS_TOKEN", "set-by-the-gateway"},
    {"gcp", "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", kAuthoritiesFile},
};

}  // namespace

Variables ProviderVariables(const json::value& stored) {
  Variables variables;
  for (const auto& [provider, name, value] : kManagedVariables)
    if (value != nullptr && HasProviderRule(stored, provider, RuleState::kEnabled))
      variables[std::string(name)] = value;
  return variables;
}

std::optional<std::string_view> ManagerOfVariable(std::string_view name) {
  for (const ManagedVariable& managed : kManagedVariables)
    if (managed.name == name) return managed.provider;
  return std::nullopt;
}

std::optional<std::string> FirstManaged(const Variables& given, const json::value& stored) {
  for (const auto& [name, value] : given) {
    auto manager = ManagerOfVariable(name);
    if (manager && HasProviderRule(stored, *manager, RuleState::kEnabled)) return name;
  }
  return std::nullopt;
}

}  // namespace viv::langsmith
