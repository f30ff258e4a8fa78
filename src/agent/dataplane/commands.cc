#include "agent/dataplane/command_service.h"
#include "agent/dataplane/dataplane.h"
#include "agent/dataplane/execute_once.h"
#include "agent/dataplane/execute_socket.h"
#include "agent/dataplane/execute_stream.h"

namespace viv::agent {
namespace {

Task<http::Response> OpenExecuteSocket(CommandService& service, http::Request&) {
  http::Response response;
  response.web_socket = [&service](http::WebSocket& socket) {
    return ServeExecuteSocket(service, socket);
  };
  co_return response;
}

}  // namespace

class Commands::Impl {
 public:
  explicit Impl(Context& context) : service(context) {}
  CommandService service;
};

Commands::Commands(Context& context) : impl_(std::make_unique<Impl>(context)) {}
Commands::~Commands() = default;

std::size_t Commands::running() const {
  return impl_->service.running();
}

void Commands::AddTo(http::Router& router) {
  CommandService& service = impl_->service;
  router.Add("GET", "/dataplane/execute/ws",
             [&service](http::Request& request) { return OpenExecuteSocket(service, request); });
  router.Add("POST", "/dataplane/execute",
             [&service](http::Request& request) { return ExecuteOnce(service, request); });
  router.Add("POST", "/dataplane/execute/stream/start",
             [&service](http::Request& request) { return StartStream(service, request); });
  router.Add("POST", "/dataplane/execute/stream/resume",
             [&service](http::Request& request) { return ResumeStream(service, request); });
}

}  // namespace viv::agent
