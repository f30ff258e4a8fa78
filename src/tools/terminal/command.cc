#include "tools/terminal/command.h"

#include "tools/kit/run.h"
#include "tools/terminal/authorize.h"
#include "tools/terminal/output.h"

namespace viv::tools::terminal {
namespace {

constexpr std::size_t kOutputMax = 1 << 20;  // of each stream

// Failures are blocks of an answer that succeeded, marked as the original marks them.
void AddErrorBlock(ToolResult& result, std::string text) {
  AddText(result, std::move(text));
  result.content.back().get_object()["error"] = true;
}

ToolResult Violation(const std::string& reason) {
  ToolResult result;
  AddErrorBlock(result, "Security violation: " + reason);
  return result;
}

ToolResult Failure(const std::string& reason) {
  ToolResult result;
  AddErrorBlock(result, "Error: " + reason);
  return result;
}

std::string NotStarted(const Error& error, const std::string& program) {
  if (error.code == ErrorCode::kNotFound)
    return "[Errno 2] No such file or directory: '" + program + "'";
  return error.message;
}

ToolResult Completed(const Policy& policy, RunResult end) {
  const Completeness output_whole = end.output_cut ? Completeness::kCut : Completeness::kWhole;
  const Completeness error_whole = end.error_cut ? Completeness::kCut : Completeness::kWhole;
  auto output = DecodeOutput(std::move(end.output), output_whole);
  if (!output) return Failure("Command execution failed: " + output.error().message);
  auto error = DecodeOutput(std::move(end.error), error_whole);
  if (!error) return Failure("Command execution failed: " + error.error().message);
  ToolResult result;
  if (!output->empty())
    AddText(result, CutOutput(*std::move(output), policy.output_characters_max, output_whole));
  if (!error->empty())
    AddErrorBlock(result, CutOutput(*std::move(error), policy.error_characters_max, error_whole));
  AddText(result, "\nCommand completed with return code: " + std::to_string(end.exit_code));
  return result;
}

}  // namespace

ToolResult RunCommand(const Policy& policy,
                      const std::string& folder,
                      const std::string& command,
                      const CallContext& context) {
  auto words = Authorize(policy, folder, command);
  if (!words) return Violation(words.error().message);
  if (command.find('\0') != std::string::npos)
    return Failure("Command execution failed: embedded null byte");
  RunRequest request;
  request.arguments = *std::move(words);
  request.folder = folder;
  request.time_max = policy.time_max;
  request.output_max = kOutputMax;
  request.cancelled = &context.cancelled;
  auto end = Run(request);
  if (!end)
    return Failure("Command execution failed: " +
                   NotStarted(end.error(), request.arguments.front()));
  if (end->cancelled) return Failure("Command was cancelled and stopped");
  if (end->timed_out)
    return Failure("Command timed out after " + std::to_string(policy.time_max.count()) +
                   " seconds");
  return Completed(policy, *std::move(end));
}

}  // namespace viv::tools::terminal
