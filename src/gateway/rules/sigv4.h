#pragma once
// AWS Signature Version 4. A request is signed again with the account's key: its signature, date
// and session token are replaced, and all other headers of the guest stay. Region and service are
// those in the signature that the guest's own SDK made with placeholder keys, or else those in the
// host's name. A request with a signature in its query (a presigned URL) is not changed. Internal
// to this module.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "gateway/http/exchange.h"

namespace viv::gateway {

struct AwsKeys {
  std::string_view id, secret, session_token;  // the last may be empty
};

struct AwsScope {
  std::string region, service;

  bool is_s3() const { return service.starts_with("s3"); }
  bool operator==(const AwsScope&) const = default;
};

bool IsPresigned(std::string_view target);
std::optional<AwsScope> ScopeOfAuthorization(std::string_view authorization);
std::optional<AwsScope> ScopeOfHost(std::string_view host);
// The first of the two that a request has.
std::optional<AwsScope> ScopeOf(const RequestHead& head, std::string_view host);

// Whether the hash of the body is needed. S3 accepts an unsigned body over TLS, or the hash that
// the guest's SDK sent.
bool NeedsBodyHash(const RequestHead& head, const AwsScope& scope);
// The body's hash in the signature. kInvalidArgument: its chunks are signed one by one.
Result<std::string> PayloadHash(const RequestHead& head,
                                const AwsScope& scope,
                                std::string_view body);

void SignForAws(RequestHead& head,
                const AwsKeys& keys,
                const AwsScope& scope,
                const std::string& payload_hash,
                std::int64_t unix_seconds);

}  // namespace viv::gateway
