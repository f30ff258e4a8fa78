#include "agent/agent.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "agent/context.h"
#include "agent/control.h"
#include "agent/dataplane/dataplane.h"
#include "agent/envd_schema.h"
#include "agent/files/files.h"
#include "agent/mcp/mcp_servers.h"
#include "agent/pipe/pipe.h"
#include "agent/process/processes.h"
#include "base/log.h"
#include "http/router.h"
#include "http/server.h"

namespace viv::agent {
namespace {

constexpr std::size_t kAgentBodyBytesMax = 32 * 1024 * 1024;  // a message of 16 MiB in base64
constexpr std::size_t kAgentConnectionsMax = 1024;

// Descriptors 0 to 2 must be taken, or a pipe would get one of them and be mistaken for ours.
void OccupyStandardDescriptors() {
  for (;;) {
    UniqueFd file(::open("/", O_PATH | O_CLOEXEC));
    if (!file || file.get() > 2) return;
    (void)file.release();
  }
}

bool IsStreamed(const http::Request& request) {
  if (IsStreamedByDataPlane(request) || IsStreamedByPipe(request)) return true;
  return request.method == "POST" &&
         (request.path == "/files" || request.path == "/process.Process/StreamInput");
}

http::Response RenderAgentError(int status, std::string message, const http::Request&) {
  return ControlError(status, std::move(message));
}

}  // namespace

void Run(UniqueFd listener) {
  // The kernel lets nothing in the box signal pid 1 but what it handles; it handles none. Children
  // that exit before the first process is started are reaped by the kernel.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGCHLD, SIG_IGN);
  OccupyStandardDescriptors();
  Context context;
  Processes processes(context);
  Commands commands(context);
  Files files(context);
  Pipes pipes(context);
  McpServers mcp_servers(context);
  http::Router router;
  AddControlRoutes(context, router, [&] {
    return processes.running() + commands.running() + pipes.running() + mcp_servers.running();
  });
  processes.AddTo(router, EnvdSchema());
  files.AddTo(router, EnvdSchema());
  commands.AddTo(router);
  AddFileTransfers(context, router);
  AddTunnel(context, router);
  pipes.AddTo(router);
  mcp_servers.AddTo(router);
  http::ServerOptions options;
  options.threads = 1;
  options.body_bytes_max = kAgentBodyBytesMax;
  options.connections_max = kAgentConnectionsMax;
  options.streams_body = IsStreamed;
  options.listener = std::move(listener);
  http::Handler handler = RequireAccessToken(context)(http::Dispatch(router, RenderAgentError));
  auto server = http::Server::Create(std::move(options), std::move(handler), RenderAgentError);
  if (!server) {
    log::Error("agent.start_failed", {{"error", server.error().message}});
    ::_exit(1);
  }
  (*server)->Run();
  ::_exit(0);
}

}  // namespace viv::agent
