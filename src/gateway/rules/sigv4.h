#pragma once
// AWS Signature Version 4. A request is signed anew with the account's key: its signature, date and
// session token are replaced, all other headers of the guest stay. Region and service are those
// that the guest's own SDK wrote into its signature, which it makes with placeholder keys, and else
// those that the host's name tells. A request whose query carries a signature (a presigned URL) has
// nothing to be added and is left alone. Internal to this module.

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
// Of the two, for a request.
std::optional<AwsScope> ScopeOf(const RequestHead& head, std::string_view host);

// Whether the hash of the body has to be known: S3 takes an unsigned one over TLS, or the hash that
// the guest's SDK already told.
bool NeedsBodyHash(const RequestHead& head, const AwsScope& scope);
// What stands for the body in the signature. kInvalidArgument when its chunks are signed one by
// one.
Result<std::string> PayloadHash(const RequestHead& head,
                                const AwsScope& scope,
                                std::string_view body);

void SignForAws(RequestHead& head,
                const AwsKeys& keys,
                const AwsScope& scope,
                const std::string& payload_hash,
                std::int64_t unix_seconds);

}  // namespace viv::gateway
