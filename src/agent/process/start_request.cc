#include "agent/process/start_request.h"

#include <algorithm>
#include <limits>

#include "agent/process/spawn_program.h"

namespace viv::agent {
namespace {

using connect::Code;

std::uint16_t TerminalExtent(const json::value* size, std::string_view name) {
  const json::value* value = size ? Find(*size, name) : nullptr;
  if (value == nullptr || !value->is_int64()) return 0;
  constexpr std::int64_t kMost = std::numeric_limits<std::uint16_t>::max();
  return static_cast<std::uint16_t>(std::clamp<std::int64_t>(value->get_int64(), 0, kMost));
}

Variables RequestedVariables(const json::value& config) {
  Variables variables;
  const json::value* envs = Find(config, "envs");
  if (envs == nullptr || !envs->is_object()) return variables;
  for (const auto& [name, value] : envs->get_object()) {
    if (value.is_string()) variables[std::string(name)] = View(value.get_string());
  }
  return variables;
}

ProgramSpec ReadProgramSpec(const Context& context,
                            const User& user,
                            const json::object& request,
                            const json::value& config) {
  ProgramSpec spec;
  spec.user = user;
  spec.folder = ResolvePath(context, user, FindString(config, "cwd"));
  spec.arguments.emplace_back(FindString(config, "cmd"));
  if (const json::value* list = Find(config, "args"); list != nullptr && list->is_array()) {
    for (const json::value& item : list->get_array()) {
      spec.arguments.emplace_back(item.is_string() ? View(item.get_string()) : "");
    }
  }
  spec.variables = RequestedVariables(config);
  const json::value* input = request.if_contains("stdin");
  bool wanted = input == nullptr || !input->is_bool() || input->get_bool();
  spec.input = wanted ? StandardInput::kPipe : StandardInput::kNone;
  if (const json::value* pty = request.if_contains("pty")) spec.terminal = ReadTerminalSize(*pty);
  return spec;
}

}  // namespace

TerminalSize ReadTerminalSize(const json::value& pty) {
  const json::value* size = Find(pty, "size");
  return {TerminalExtent(size, "cols"), TerminalExtent(size, "rows")};
}

connect::RpcResult<std::shared_ptr<Process>> StartFromRequest(Context& context,
                                                              const User& user,
                                                              const json::object& request,
                                                              std::uint64_t sequence,
                                                              asio::any_io_executor executor) {
  const json::value* config = request.if_contains("process");
  if (config == nullptr || FindString(*config, "cmd").empty()) {
    return connect::FailRpc(Code::kInvalidArgument, "process.cmd is missing");
  }
  connect::RpcResult<SpawnedProgram> spawned =
      SpawnProgram(context, ReadProgramSpec(context, user, request, *config));
  if (!spawned) return tl::unexpected<connect::RpcError>(std::move(spawned).error());
  Process::Info info{
      .pid = spawned->pid, .sequence = sequence, .config = config->get_object(), .tag = {}};
  if (const json::value* tag = request.if_contains("tag"); tag != nullptr && tag->is_string()) {
    info.tag = View(tag->get_string());
  }
  return std::make_shared<Process>(executor, std::move(info), std::move(spawned->channels),
                                   context.logs);
}

}  // namespace viv::agent
