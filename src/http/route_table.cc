#include "http/route_table.h"

namespace viv::http {
namespace {

Task<Response> RenderAlways(int status,
                            const std::string& message,
                            const ErrorRenderer& render,
                            const Request& request) {
  co_return render(status, message, request);
}

}  // namespace

Handler AlwaysError(int status, std::string message, ErrorRenderer render) {
  return [status, message = std::move(message), render = std::move(render)](Request& request) {
    return RenderAlways(status, message, render, request);
  };
}

}  // namespace viv::http
