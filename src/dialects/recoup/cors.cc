#include "dialects/recoup/cors.h"

#include <utility>

namespace viv::recoup {

void AllowAnyOrigin(http::Response& response) {
  response.headers.Set("Access-Control-Allow-Origin", "*");
  response.headers.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS, PATCH");
  response.headers.Set("Access-Control-Allow-Headers",
                       "Content-Type, Authorization, X-Requested-With, x-api-key");
}

namespace {

Task<http::Response> WithCors(const http::Handler& next, http::Request& request) {
  http::Response response = co_await next(request);
  AllowAnyOrigin(response);
  co_return response;
}

Task<http::Response> AnswerPreflight(int status) {
  http::Response response = http::Empty(status);
  AllowAnyOrigin(response);
  co_return response;
}

}  // namespace

http::Middleware Cors() {
  return [](http::Handler next) -> http::Handler {
    return [next = std::move(next)](http::Request& request) { return WithCors(next, request); };
  };
}

http::Handler Preflight(int status) {
  return [status](http::Request&) { return AnswerPreflight(status); };
}

}  // namespace viv::recoup
