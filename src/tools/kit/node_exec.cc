#include "tools/kit/node_exec.h"

namespace viv::tools {

ExecResult Exec(RunRequest request, const std::string& shown) {
  request.output_max = kExecOutputMax;
  const std::string failed = "Command failed: " + shown + "\n";
  for (const std::string& argument : request.arguments)
    if (argument.find('\0') != std::string::npos)
      return {failed + "an argument cannot contain a NUL byte", "", ""};
  auto end = Run(request);
  if (!end) return {failed + end.error().message, "", ""};
  ExecResult out{"", std::move(end->output), std::move(end->error)};
  if (end->cancelled) {
    out.failure = failed + out.error + "The call was cancelled and the program stopped.";
  } else if (end->timed_out) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(request.time_max).count();
    out.failure = failed + out.error + "It was stopped after " + std::to_string(seconds) +
                  " seconds, the most a program may take.";
  } else if (end->output_cut) {
    out.failure = "stdout maxBuffer length exceeded";
  } else if (end->error_cut) {
    out.failure = "stderr maxBuffer length exceeded";
  } else if (end->exit_code != 0) {
    out.failure = failed + out.error;
  }
  return out;
}

}  // namespace viv::tools
