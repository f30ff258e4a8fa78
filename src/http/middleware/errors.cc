#include "http/middleware/errors.h"

#include <exception>

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include "base/log.h"

namespace viv::http {
namespace {

Task<Response> ServeRenderingErrors(const Handler& next,
                                    const ErrorRenderer& render,
                                    Request& request) {
  std::string what = "unknown exception";
  try {
    co_return co_await next(request);
  } catch (const boost::system::system_error& error) {
    // Cancelled by the server's stop: not a failure of the handler, and nobody waits for a
    // response.
    if (error.code() == asio::error::operation_aborted) {
      co_return render(503, "the server is stopping", request);
    }
    what = error.what();
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  log::Error("http.handler_threw",
             {{"path", request.path}, {"request", request.request_id}, {"error", what}});
  co_return render(500, "internal error",
                   request);  // the exception's text is ours, not the client's
}

}  // namespace

Middleware Errors(ErrorRenderer render) {
  return [render = std::move(render)](Handler next) -> Handler {
    return [next = std::move(next), render](Request& request) {
      return ServeRenderingErrors(next, render, request);
    };
  };
}

}  // namespace viv::http
