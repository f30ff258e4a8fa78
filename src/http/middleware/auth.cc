#include "http/middleware/auth.h"

#include "base/text.h"

namespace viv::http {
namespace {

Task<Response> Authenticated(const KeyLookup& lookup,
                             const AuthRenderer& render,
                             const Handler& next,
                             Request& request) {
  std::string_view key = KeyOf(request);
  if (key.empty()) co_return render(AuthFailure::kMissing);
  std::optional<Identity> identity = lookup(key);
  if (!identity) co_return render(AuthFailure::kInvalid);
  request.identity = std::move(*identity);
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

Middleware Auth(KeyLookup lookup, AuthRenderer render) {
  return [lookup = std::move(lookup), render = std::move(render)](Handler next) -> Handler {
    return [lookup, render, next = std::move(next)](Request& request) {
      return Authenticated(lookup, render, next, request);
    };
  };
}

}  // namespace viv::http
