#include "tools/pdf_tools/limited_run.h"

namespace viv::tools::pdf {
namespace {

// Address space in KiB, processor seconds, and blocks of 512 bytes in any file it writes. The shell
// sets them and becomes the program.
constexpr const char* kWithLimits =
    "ulimit -v 1048576; ulimit -t 50; ulimit -f 524288; ulimit -c 0; exec \"$@\"";

}  // namespace

Result<RunResult> RunLimited(const LimitedCommand& command) {
  const std::string& program = command.arguments.front();
  if (FindProgram(program).empty())
    return Fail(ErrorCode::kUnavailable, program + " is not installed here; install the package " +
                                             command.package + " to work with PDF files");
  RunRequest run;
  run.arguments = {"/bin/sh", "-c", kWithLimits, "sh"};
  run.arguments.insert(run.arguments.end(), command.arguments.begin(), command.arguments.end());
  run.variables = {{"LC_ALL", "C.UTF-8"}};
  run.time_max = command.time_max;
  run.input = command.input;
  run.output_max = command.output_max;
  run.cancelled = &command.cancelled;
  ASSIGN_OR_RETURN(RunResult end, Run(run));
  if (end.cancelled) return Fail(ErrorCode::kUnavailable, "cancelled");
  // 137 and 152: killed for its time; 153: for the size of a file.
  if (end.timed_out || end.exit_code == 128 + 24 || end.exit_code == 128 + 9)
    return Fail(ErrorCode::kUnavailable,
                program + " needed too much time for this " + command.what);
  if (end.exit_code > 128)
    return Fail(ErrorCode::kUnavailable, program + " failed on this " + command.what + " (signal " +
                                             std::to_string(end.exit_code - 128) + ")");
  return end;
}

}  // namespace viv::tools::pdf
