#include "dialects/langsmith/proxy_config.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "dialects/langsmith/provider_auth.h"
#include "dialects/langsmith/provider_variables.h"
#include "dialects/langsmith/proxy_rules.h"
#include "dialects/langsmith/variables.h"
#include "dialects/langsmith/web_url.h"
#include "network/policy.h"
#include "network/policy_list.h"

namespace viv::langsmith {
namespace {

constexpr std::size_t kRulesMax = 1000;
constexpr std::size_t kCallbacksMax = 100;
constexpr std::size_t kMatchPathsMax = 100;
constexpr std::size_t kMatchPathBytesMax = 1024;
constexpr std::size_t kMatchHeadersMax = 20;
constexpr std::size_t kMatchHeaderBytesMax = 4096;
constexpr std::size_t kDescriptionCharactersMax = 1024;
constexpr std::size_t kRuleNameBytesMax = 256;
constexpr std::size_t kScopesMax = 100;
constexpr std::size_t kNoProxyMax = 1000;
constexpr std::int64_t kCallbackTtlLeast = 60, kCallbackTtlMost = 3600;

// Beside those that rules of providers manage (provider_variables.h): credentials of SDKs that
// would take their place.
constexpr std::string_view kProviderVariables[] = {
    "AWS_SECURITY_TOKEN", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_WEB_IDENTITY_TOKEN_FILE",
    "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_OAUTH_ACCESS_TOKEN"};

json::array ArrayOfTexts(const std::vector<std::string>& texts) {
  json::array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

// A member with a list, kept only when it was given.
void KeepList(Members& members, std::string_view name, std::size_t count_max, json::object& into) {
  auto texts = members.Texts(name, count_max);
  if (members.Has(name)) into[name] = ArrayOfTexts(texts);
}

void KeepDescription(Members& members, json::object& into) {
  if (auto description = members.TextOfCharacters("description", kDescriptionCharactersMax))
    into["description"] = *description;
}

void KeepMatchPaths(Members& rule, json::object& into) {
  auto paths = rule.Texts("match_paths", kMatchPathsMax);
  for (const std::string& path : paths) {
    bool printable =
        std::all_of(path.begin(), path.end(), [](unsigned char c) { return c > ' ' && c != 0x7f; });
    bool rooted = path.starts_with('/') || path.starts_with('*');
    if (!printable || !rooted || path.size() > kMatchPathBytesMax)
      rule.Refuse("match_paths", Printable(path) + ": a path is expected, as /v1/*");
  }
  if (rule.Has("match_paths")) into["match_paths"] = ArrayOfTexts(paths);
}

void KeepMatchHeaders(Members& rule, json::object& into) {
  auto headers = rule.Texts("match_headers", kMatchHeadersMax);
  for (const std::string& header : headers)
    if (header.size() > kMatchHeaderBytesMax || !ReadMatchHeader(header))
      rule.Refuse("match_headers", Printable(header) +
                                       ": a header is expected as \"name: value\", with its name "
                                       "in lower case");
  if (rule.Has("match_headers")) into["match_headers"] = ArrayOfTexts(headers);
}

bool IsProvidersOwn(std::string_view name) {
  return ManagerOfVariable(name) ||
         std::find(std::begin(kProviderVariables), std::end(kProviderVariables), name) !=
             std::end(kProviderVariables);
}

void KeepVariables(Members& rule, json::object& into) {
  if (!rule.Has("env_vars")) return;
  json::object kept;
  for (const auto& [name, value] : ReadVariables(rule, "env_vars")) {
    if (IsProvidersOwn(name))
      rule.Refuse("env_vars", name + " is managed by the provider and cannot be set by a rule");
    kept[name] = value;
  }
  into["env_vars"] = std::move(kept);
}

bool IsGivenAndNotEmpty(const Members& members, std::string_view name) {
  const json::value* member = Find(members.json(), name);
  if (member == nullptr || member->is_null()) return false;
  return !member->is_array() || !member->get_array().empty();
}

// One config being checked against the stored one it replaces.
class ProxyConfigReader {
 public:
  ProxyConfigReader(const json::value& previous, const AccountSealer& sealer)
      : previous_(previous), sealer_(sealer) {}

  Checked<json::value> Read(const json::value& given) {
    Members config(given, {"proxy_config"}, field_errors_);
    json::object stored;
    KeepDescription(config, stored);
    if (config.Has("rules")) stored["rules"] = Rules(config);
    if (config.Has("callbacks")) stored["callbacks"] = Callbacks(config);
    if (config.Has("access_control")) stored["access_control"] = AccessControl(config);
    KeepList(config, "no_proxy", kNoProxyMax, stored);
    if (!field_errors_.none()) return tl::unexpected(field_errors_.first());
    return json::value(std::move(stored));
  }

 private:
  json::array Rules(Members& config) {
    json::array stored;
    for (Members& rule : config.Objects("rules", kRulesMax)) stored.push_back(Rule(rule));
    return stored;
  }

  json::object Rule(Members& rule) {
    json::object stored;
    std::string name = rule.RequiredText("name", kRuleNameBytesMax);
    if (!rule_names_.insert(name).second)
      rule.Refuse("name", "two rules have the name " + Printable(name));
    stored["name"] = name;
    std::string type = rule.Text("type").value_or("");
    if (!type.empty()) stored["type"] = type;
    if (auto enabled = rule.Flag("enabled")) stored["enabled"] = *enabled;
    KeepDescription(rule, stored);
    // To leave these out would send requests, and credentials, where they are not meant to go.
    for (std::string_view missing : {"azure", "rewrite", "relay_id"})
      if (rule.Has(missing))
        rule.Refuse(missing, "rules with " + std::string(missing) +
                                 " are not available here: leave the rule out");
    const json::value kept = KeptOf("rules", "name", name, 0);
    if (type == "aws" || type == "gcp") {
      ProviderRule(rule, type, kept, stored);
    } else if (type.empty()) {
      HeaderRule(rule, kept, stored);
    } else {
      rule.Refuse("type", "the type must be aws or gcp, or left out for a rule of headers");
    }
    KeepVariables(rule, stored);
    return stored;
  }

  void HeaderRule(Members& rule, const json::value& kept, json::object& stored) {
    for (std::string_view provider : {"aws", "gcp"})
      if (rule.Has(provider))
        rule.Refuse(provider, "this is for a rule of type " + std::string(provider));
    stored["match_hosts"] = StoreMatchHosts(rule);
    KeepMatchPaths(rule, stored);
    KeepMatchHeaders(rule, stored);
    if (rule.Has("headers"))
      stored["headers"] = StoreProxyHeaders(rule, "headers", Find(kept, "headers"), sealer_,
                                            WorkspaceSecrets::kAllowed);
  }

  void ProviderRule(Members& rule,
                    const std::string& type,
                    const json::value& kept,
                    json::object& stored) {
    if (!providers_.insert(type).second)
      rule.Refuse("type", "at most one rule of type " + type + " is allowed");
    for (std::string_view member : {"match_hosts", "match_paths", "match_headers", "headers"})
      if (IsGivenAndNotEmpty(rule, member))
        rule.Refuse(member, "a rule of type " + type + " matches by its provider and takes none");
    const std::string_view other = type == "aws" ? "gcp" : "aws";
    if (rule.Has(other)) rule.Refuse(other, "this is for a rule of type " + std::string(other));
    if (!rule.Has(type)) return rule.Refuse(type, "the credentials are required");
    const json::value* kept_auth = Find(kept, type);
    const json::value kept_secrets = kept_auth == nullptr ? json::value() : *kept_auth;
    Members auth = rule.Object(type);
    if (type == "aws") {
      stored["aws"] = StoreAwsAuth(auth, kept_secrets, sealer_);
      return;
    }
    json::object gcp = StoreGcpAuth(auth, kept_secrets, sealer_);
    auto scopes = auth.Texts("scopes", kScopesMax);
    bool blank = std::any_of(scopes.begin(), scopes.end(),
                             [](const std::string& scope) { return Trim(scope).empty(); });
    if (scopes.empty() || blank) auth.Refuse("scopes", "at least one scope is required");
    gcp["scopes"] = ArrayOfTexts(scopes);
    stored["gcp"] = std::move(gcp);
  }

  json::array Callbacks(Members& config) {
    json::array stored;
    for (Members& callback : config.Objects("callbacks", kCallbacksMax))
      stored.push_back(Callback(callback));
    return stored;
  }

  json::object Callback(Members& callback) {
    json::object stored;
    stored["match_hosts"] = StoreMatchHosts(callback);
    std::string url = callback.RequiredText("url");
    auto parsed = ParseWebUrl(url);
    if (!parsed) callback.Refuse("url", "an http or https URL is expected");
    if (parsed && parsed->has_credentials)
      callback.Refuse("url", "a URL without credentials is expected; use request_headers");
    stored["url"] = url;
    auto ttl = callback.Integer("ttl_seconds", kCallbackTtlLeast, kCallbackTtlMost);
    if (!ttl) callback.Refuse("ttl_seconds", "a number from 60 to 3600 is required");
    stored["ttl_seconds"] = ttl.value_or(0);
    if (auto full = callback.Flag("full_request")) stored["full_request"] = *full;
    const json::value kept = KeptOf("callbacks", "url", url, callback_urls_[url]++);
    if (callback.Has("request_headers"))
      stored["request_headers"] =
          StoreProxyHeaders(callback, "request_headers", Find(kept, "request_headers"), sealer_,
                            WorkspaceSecrets::kRefused);
    return stored;
  }

  json::object AccessControl(Members& config) {
    Members control = config.Object("access_control");
    json::object stored;
    for (std::string_view name : {"allow_list", "deny_list"}) {
      auto entries = control.Texts(name, network::kPolicyEntriesMax);
      CheckEntries(control, name, entries);
      if (control.Has(name)) stored[name] = ArrayOfTexts(entries);
    }
    if (IsGivenAndNotEmpty(control, "allow_list") && IsGivenAndNotEmpty(control, "deny_list"))
      config.Refuse("access_control",
                    "allow_list and deny_list cannot both be given: use one of them");
    return stored;
  }

  static void CheckEntries(Members& control,
                           std::string_view name,
                           const std::vector<std::string>& entries) {
    network::PolicyList list;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      Status added = list.Add(entries[i]);
      if (added) continue;
      FieldPath where = control.At(name);
      where.push_back(std::to_string(i));
      return control.field_errors().Add(std::move(where),
                                        Printable(entries[i]) + ": " + added.error().message);
    }
  }

  // The element of a list of the stored config whose `key` is `value`, after `others` of the same;
  // null when there is none.
  json::value KeptOf(std::string_view list,
                     std::string_view key,
                     std::string_view value,
                     std::size_t others) const {
    const json::value* found = Find(previous_, list);
    const json::array* array = found == nullptr ? nullptr : found->if_array();
    if (array == nullptr) return nullptr;
    for (const json::value& item : *array)
      if (FindString(item, key) == value && others-- == 0) return item;
    return nullptr;
  }

  const json::value& previous_;
  const AccountSealer& sealer_;
  FieldErrors field_errors_;
  std::set<std::string> rule_names_, providers_;
  std::map<std::string, std::size_t> callback_urls_;  // how many had this one so far
};

}  // namespace

Checked<json::value> StoreProxyConfig(const json::value& given,
                                      const json::value& previous,
                                      const AccountSealer& sealer) {
  return ProxyConfigReader(previous, sealer).Read(given);
}

json::value ShowProxyConfig(const json::value& stored) {
  return WithoutSecrets(stored);
}

}  // namespace viv::langsmith
