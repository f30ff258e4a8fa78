#pragma once
// A plan says what is added to the requests of one box: the common form of LangSmith's proxy_config
// and E2B's network rules. It is stored in the box's record, so its secrets are sealed.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace viv::gateway {

// A text that is or contains a secret, or neither.
struct SecretText {
  enum class Kind {
    kPlain,            // `text` itself
    kSealed,           // `text` is sealed for `purpose` (accounts/sealer.h)
    kBraceReferences,  // `text` with {NAME} references to the account's secrets
    kDollarReferences  // `text` with ${e2b.secrets.NAME} references to the account's secrets
  };
  Kind kind = Kind::kPlain;
  std::string text;
  std::string purpose;

  bool operator==(const SecretText&) const = default;
};

struct SetHeader {
  std::string name;
  SecretText value;

  bool operator==(const SetHeader&) const = default;
};

// Credentials that sign a request instead of being sent with it.
struct ProviderAuth {
  enum class Provider { kAws, kGcp };
  Provider provider = Provider::kAws;
  SecretText access_key_id, secret_access_key, session_token;  // AWS; the token may be empty
  SecretText service_account;                                  // Google: its JSON
  std::vector<std::string> scopes;                             // Google

  bool operator==(const ProviderAuth&) const = default;
};

// A header that a request must have, with exactly this value.
struct RequiredHeader {
  std::string name;
  std::string value;

  bool operator==(const RequiredHeader&) const = default;
};

struct HeaderRule {
  std::string name;                // for the log
  std::vector<std::string> hosts;  // "api.example.com", or "*.example.com": not example.com itself
  // Globs of whole paths, "*" matches any characters; none: all paths.
  std::vector<std::string> paths;
  std::vector<SetHeader> headers;  // replace the guest's headers of the same name
  std::optional<ProviderAuth> provider;
  // The rule only matches requests with all of these.
  std::vector<RequiredHeader> required_headers = {};

  bool adds() const { return !headers.empty() || provider; }
  bool operator==(const HeaderRule&) const = default;
};

// A server that is asked for headers if no header rule matches a request.
struct Callback {
  std::vector<std::string> hosts;
  std::string url;
  std::int64_t ttl_seconds = 60;
  bool full_request = false;  // it is asked for every request and gets all of it
  std::vector<SetHeader> request_headers;

  bool operator==(const Callback&) const = default;
};

struct UpstreamProxy {
  std::string address;  // host:port of a SOCKS5 proxy
  std::string username;
  SecretText password;

  bool operator==(const UpstreamProxy&) const = default;
};

struct Plan {
  std::vector<HeaderRule> rules;    // the first that matches host and path is used
  std::vector<Callback> callbacks;  // the same
  std::optional<UpstreamProxy> proxy;

  bool intercepts() const;  // whether it adds anything
  bool operator==(const Plan&) const = default;
};

// The form in a record. Parsing skips unknown members.
json::value PlanToJson(const Plan& plan);  // null if the plan is empty
Plan PlanOf(const json::value& from);

}  // namespace viv::gateway
