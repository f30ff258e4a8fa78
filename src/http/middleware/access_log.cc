#include "http/middleware/access_log.h"

#include "base/clock.h"
#include "base/log.h"

namespace viv::http {
namespace {

constexpr std::size_t kLoggedPathBytesMax = 512;

void LogRequest(const Request& request, int status, std::int64_t began_micros) {
  double ms = static_cast<double>(NowMicros() - began_micros) / 1000.0;
  std::string_view path = std::string_view(request.path).substr(0, kLoggedPathBytesMax);
  log::Info("http.request", {{"method", request.method},
                             {"path", path},
                             {"status", status},
                             {"ms", ms},
                             {"request", request.request_id}});
}

Task<Response> ServeLogged(const Handler& next, Request& request) {
  std::int64_t began_micros = NowMicros();
  try {
    Response response = co_await next(request);
    LogRequest(request, response.web_socket ? 101 : response.status, began_micros);
    co_return response;
  } catch (...) {
    LogRequest(request, 500, began_micros);  // what the server makes of it
    throw;
  }
}

}  // namespace

Middleware AccessLog() {
  return [](Handler next) -> Handler {
    return [next = std::move(next)](Request& request) { return ServeLogged(next, request); };
  };
}

}  // namespace viv::http
