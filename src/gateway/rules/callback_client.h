#pragma once
// Asks a user's own server which headers to add to a request, by a POST with a token that the
// server can verify with our published key. Follows no redirect, waits at most ten seconds and
// reads at most 64 KiB of the response. Thread-safe; a call runs on the executor of its coroutine.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/task.h"
#include "gateway/rules/post.h"
#include "gateway/tls/tls.h"
#include "http/message.h"

namespace viv::gateway {

// Signs with an Ed25519 key that is made at the first start: `folder`/callbacks.key, which only the
// server can read.
class TokenSigner {
 public:
  static Result<std::unique_ptr<TokenSigner>> Open(const std::string& folder,
                                                   std::function<std::string()> issuer);
  virtual ~TokenSigner() = default;
  // The value of X-LangSmith-Signature-JWT for a callback's body.
  virtual std::string Sign(const std::string& audience, std::string_view body) const = 0;
  virtual std::string JwksJson() const = 0;
};

class CallbackClient {
 public:
  // `signer` and `tls` outlive this. Tests set `limits`.
  CallbackClient(const TokenSigner& signer, OriginTls& tls, PostLimits limits = {})
      : signer_(signer), tls_(tls), limits_(std::move(limits)) {}

  // The headers in its response. Every failure is kUnavailable; the message says what to check and
  // is for the log, not for the guest.
  Task<Result<http::Headers>> Ask(std::string url, http::Headers headers, std::string body);

  // The same without a token, for the token endpoints of providers. The response may have any
  // status but a redirect.
  Task<Result<PostResponse>> PostTo(std::string url, http::Headers headers, std::string body);

 private:
  const TokenSigner& signer_;
  OriginTls& tls_;
  const PostLimits limits_;
};

// Parses a callback's response: {"headers": {"Name": "value"}}. Anything else is kUnavailable, and
// so are headers that must not be added (header_check.h).
Result<http::Headers> ParseCallbackResponse(std::string_view response);

}  // namespace viv::gateway
