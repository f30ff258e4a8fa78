#include "http/middleware/request_id.h"

#include <algorithm>

#include "base/ids.h"

namespace viv::http {
namespace {

constexpr std::size_t kLengthMax = 128;

// What may stand in a log line and a header without doing harm.
bool IsSafeRequestId(std::string_view id) {
  auto allowed = [](char c) {
    bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return alphanumeric || c == '-' || c == '_' || c == '.' || c == ':';
  };
  return !id.empty() && id.size() <= kLengthMax && std::all_of(id.begin(), id.end(), allowed);
}

Task<Response> ServeWithRequestId(const Handler& next, Request& request) {
  std::string_view given = request.headers.Get("x-request-id");
  request.request_id = IsSafeRequestId(given) ? std::string(given) : RandomHex(32);
  Response response = co_await next(request);
  response.headers.Set("X-Request-Id", request.request_id);
  co_return response;
}

}  // namespace

Middleware RequestId() {
  return [](Handler next) -> Handler {
    return [next = std::move(next)](Request& request) { return ServeWithRequestId(next, request); };
  };
}

}  // namespace viv::http
