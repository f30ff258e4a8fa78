#pragma once
// Asks a user's own server which headers a request shall have: a POST with a token that it can
// verify by our published key. Follows no redirect, waits ten seconds at most, reads at most
// 64 KiB of answer. Thread-safe; a call runs on the executor of its coroutine.

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

// Ed25519, made on first start: `folder`/callbacks.key, which only the server reads.
class TokenSigner {
 public:
  static Result<std::unique_ptr<TokenSigner>> Open(const std::string& folder,
                                                   std::function<std::string()> issuer);
  virtual ~TokenSigner() = default;
  // X-LangSmith-Signature-JWT of a callback's body.
  virtual std::string Sign(const std::string& audience, std::string_view body) const = 0;
  virtual std::string JwksJson() const = 0;
};

class CallbackClient {
 public:
  // Both outlive this. `limits` is for whoever tests what happens at them.
  CallbackClient(const TokenSigner& signer, OriginTls& tls, PostLimits limits = {})
      : signer_(signer), tls_(tls), limits_(std::move(limits)) {}

  // The headers that its answer gives. Any failure is kUnavailable, with what to look at; the
  // message is for the log, not for the guest.
  Task<Result<http::Headers>> Ask(std::string url, http::Headers headers, std::string body);

  // The same way without a token: for the token endpoints of providers. Its answer may have any
  // status but a redirect.
  Task<Result<PostResponse>> PostTo(std::string url, http::Headers headers, std::string body);

 private:
  const TokenSigner& signer_;
  OriginTls& tls_;
  const PostLimits limits_;
};

// The headers in a callback's answer: {"headers": {"Name": "value"}}. Fails with kUnavailable on
// anything else, and on headers that must not be added (header_check.h).
Result<http::Headers> ParseCallbackResponse(std::string_view response);

}  // namespace viv::gateway
