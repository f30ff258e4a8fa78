#pragma once
// What is added to the requests of one box, as data: the common form of LangSmith's proxy_config
// and E2B's network rules. It is kept with the box's record, so secrets in it are sealed.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace viv::gateway {

// A text that may be, or contain, a secret.
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

// A header that a request carries, just so.
struct RequiredHeader {
  std::string name;
  std::string value;

  bool operator==(const RequiredHeader&) const = default;
};

struct HeaderRule {
  std::string name;                // for the log
  std::vector<std::string> hosts;  // "api.example.com", or "*.example.com": not example.com itself
  std::vector<std::string> paths;  // globs of whole paths, "*" is any run of characters; none: all
  std::vector<SetHeader> headers;  // replace what the guest sent of the same name
  std::optional<ProviderAuth> provider;
  std::vector<RequiredHeader> required_headers = {};  // it is for requests that have all of these

  bool adds() const { return !headers.empty() || provider; }
  bool operator==(const HeaderRule&) const = default;
};

// Asked for headers when no header rule is for a request.
struct Callback {
  std::vector<std::string> hosts;
  std::string url;
  std::int64_t ttl_seconds = 60;
  bool full_request = false;  // asked for every request, with all of it
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
  std::vector<HeaderRule> rules;    // the first that matches host and path is the one
  std::vector<Callback> callbacks;  // so here
  std::optional<UpstreamProxy> proxy;

  bool intercepts() const;  // whether there is anything to add
  bool operator==(const Plan&) const = default;
};

// Its form in a record. Reading skips what it does not know.
json::value PlanToJson(const Plan& plan);  // null when it is empty
Plan PlanOf(const json::value& from);

}  // namespace viv::gateway
