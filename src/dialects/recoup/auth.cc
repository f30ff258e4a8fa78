#include "dialects/recoup/auth.h"

#include <utility>

#include "base/ids.h"
#include "base/text.h"
#include "dialects/recoup/errors.h"

namespace viv::recoup {
namespace {

constexpr std::size_t kKeyBytesMax = 1024;

http::Response RefuseRequest(http::AuthFailure) {
  return Failure(429, std::string(http::kTooManyRequests));
}

Task<http::Response> CheckedForKey(const http::KeyLookup& keys,
                                   const http::Handler& next,
                                   http::Request& request) {
  const bool has_key = !Trim(request.headers.Get("x-api-key")).empty();
  const bool has_token = !Trim(request.headers.Get("authorization")).empty();
  if (has_key == has_token)
    co_return Failure(401, "Exactly one of x-api-key or Authorization must be provided");
  std::string_view key = http::KeyOf(request);  // empty for another scheme than Bearer
  std::optional<http::Identity> identity;
  if (!key.empty() && key.size() <= kKeyBytesMax) identity = keys(key);
  if (!identity) co_return Unauthorized();
  if (auto refused = http::RefuseTooMany(keys, *identity, RefuseRequest))
    co_return *std::move(refused);
  request.identity = std::move(*identity);
  if (request.deferred_body != nullptr) {
    http::BodyLimits limits;
    // Files may come as data: URLs: few values, many bytes.
    if (request.path.ends_with("/files")) limits.bytes_max = http::DocumentLimits().bytes_max;
    std::optional<http::Response> refusal = co_await http::LoadBody(request, std::move(limits));
    if (refusal) co_return *std::move(refusal);
  }
  co_return co_await next(request);
}

}  // namespace

http::Middleware Authenticated(http::KeyLookup keys) {
  return [keys = std::move(keys)](http::Handler next) -> http::Handler {
    return [keys, next = std::move(next)](http::Request& request) {
      return CheckedForKey(keys, next, request);
    };
  };
}

Result<std::string> AccountOf(const Context& context,
                              const http::Request& request,
                              const std::optional<std::string>& account_uuid) {
  const std::string& caller = request.identity.account_id;
  if (!account_uuid) return caller;
  if (!IsUuid(*account_uuid))
    return Fail(ErrorCode::kInvalidArgument, "account_id must be a valid UUID");
  auto target = context.accounts.FindByUuid(*account_uuid);
  // The response does not reveal whether a foreign account exists.
  if (!target || !context.accounts.MayActFor(caller, target->id))
    return Fail(ErrorCode::kPermissionDenied, "Access denied to specified account_id");
  return target->id;
}

Result<std::string> AccountOfQuery(const Context& context, const http::Request& request) {
  return AccountOf(context, request, request.Query("account_id"));
}

http::Response AccountFailure(const Error& error) {
  if (error.code == ErrorCode::kInvalidArgument) return InvalidField("account_id", error.message);
  return FailureOf(error);
}

}  // namespace viv::recoup
