#include "http/middleware/auth.h"

#include "base/text.h"

namespace viv::http {
namespace {

Task<Response> ServeAuthenticated(const KeyLookup& lookup,
                                  const AuthRenderer& render,
                                  const BodyLimits& limits,
                                  const Handler& next,
                                  Request& request) {
  std::string_view key = KeyOf(request);
  if (key.empty()) co_return render(AuthFailure::kMissing);
  std::optional<Identity> identity = lookup(key);
  if (!identity) co_return render(AuthFailure::kInvalid);
  if (auto refused = RefuseTooMany(lookup, *identity, render)) co_return *std::move(refused);
  request.identity = std::move(*identity);
  if (request.deferred_body != nullptr) {
    std::optional<Response> refusal = co_await LoadBody(request, limits);
    if (refusal) co_return *std::move(refusal);
  }
  co_return co_await next(request);
}

}  // namespace

std::string_view KeyOf(const Request& request) {
  constexpr std::string_view kBearer = "bearer ";
  std::string_view authorization = Trim(request.headers.Get("authorization"));
  if (authorization.size() > kBearer.size() &&
      EqualsIgnoreCase(authorization.substr(0, kBearer.size()), kBearer)) {
    return Trim(authorization.substr(kBearer.size()));
  }
  return Trim(request.headers.Get("x-api-key"));
}

std::optional<Response> RefuseTooMany(const KeyLookup& lookup,
                                      const Identity& identity,
                                      const AuthRenderer& render) {
  if (!lookup.admit) return std::nullopt;
  const std::optional<int> wait_seconds = lookup.admit(identity.account_id);
  if (!wait_seconds) return std::nullopt;
  Response response = render(AuthFailure::kTooManyRequests);
  response.headers.Set("Retry-After", std::to_string(*wait_seconds));
  return response;
}

Middleware Auth(KeyLookup lookup, AuthRenderer render, BodyLimits limits) {
  return [lookup = std::move(lookup), render = std::move(render),
          limits = std::move(limits)](Handler next) -> Handler {
    return [lookup, render, limits, next = std::move(next)](Request& request) {
      return ServeAuthenticated(lookup, render, limits, next, request);
    };
  };
}

}  // namespace viv::http
