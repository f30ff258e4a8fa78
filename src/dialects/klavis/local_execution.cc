#include "dialects/klavis/local_execution.h"

#include <algorithm>
#include <cctype>

#include "base/ids.h"
#include "base/text.h"
#include "local/local_servers.h"

namespace viv::klavis {
namespace {

constexpr std::size_t kExecutionNameMax = 64;
constexpr std::size_t kExecutionsKept = 200;
constexpr char kExecutionsKey[] = "executions";

// $1 is the name. The lock is held until the end, whatever ends it.
constexpr char kRunScript[] = R"sh(set -u
state=/executions/.state/$1
mkdir -p "$state" || exit 1
exec 9> "$state/lock"
flock 9
: > "$state/started"
run() {
  if [ -s packages.txt ]; then
    sudo apt-get update -q &&
    grep -Ev '^[[:space:]]*(#|$)' packages.txt |
      xargs -r sudo DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends || return
  fi
  if [ -s requirements.txt ]; then
    python3 -m pip install --no-input --disable-pip-version-check -q -r requirements.txt || return
  fi
  exec python3 -u main.py
}
(run 9>&-) < /dev/null > "$state/log" 2>&1
echo $? > "$state/exit.new"
mv "$state/exit.new" "$state/exit"
)sh";

// $1 is the name, $2 the cursor. The status is read before the output, so that an ended one's
// output is all there is.
constexpr char kReadScript[] =
    R"sh(cd "/executions/.state/$1" 2> /dev/null || { echo pending; exit 0; }
if [ ! -e started ]; then echo pending
elif ! flock -n lock true; then echo running
elif [ -f exit ] && [ "$(cat exit)" = 0 ]; then echo completed
else echo failed
fi
[ -f log ] && tail -c "+$(($2 + 1))" log | head -c 8388608
exit 0
)sh";

// How many bytes at the end are the beginning of a character.
std::size_t CutCharacter(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const std::size_t length = byte > 0xF4    ? 1
                               : byte >= 0xF0 ? 4
                               : byte >= 0xE0 ? 3
                               : byte > 0xC1  ? 2
                                              : 1;
    return length > back ? back : 0;
  }
  return 0;
}

}  // namespace

bool IsExecutionName(std::string_view name) {
  auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  auto fits = [&](char c) { return is_word(c) || c == '.' || c == '-' || c == '_'; };
  return !name.empty() && name.size() <= kExecutionNameMax && is_word(name.front()) &&
         std::all_of(name.begin(), name.end(), fits);
}

std::string ExecutionFolder(const std::string& name) {
  return "/executions/" + name;
}

boxes::AgentProgram RemoveExecution(const std::string& name) {
  boxes::AgentProgram program;
  program.arguments = {"rm", "-rf", "--", ExecutionFolder(name), "/executions/.state/" + name};
  program.user = "root";  // it may have made files as root
  return program;
}

boxes::BackgroundCommand RunExecution(const std::string& name) {
  boxes::BackgroundCommand command;
  command.id = "execution:" + RandomHex(16);
  command.program.arguments = {"/bin/sh", "-c", kRunScript, "sh", name};
  command.program.folder = ExecutionFolder(name);
  command.variables = {{"AGENT_WORKSPACE", std::string(local::kWorkspace)},
                       {"PIP_BREAK_SYSTEM_PACKAGES", "1"}};
  return command;
}

boxes::AgentProgram ReadExecution(const std::string& name, std::int64_t cursor) {
  boxes::AgentProgram program;
  program.arguments = {"/bin/sh", "-c", kReadScript, "sh", name, std::to_string(cursor)};
  return program;
}

Result<ExecutionProgress> ReadProgress(std::string_view printed, std::int64_t cursor) {
  const std::size_t line = printed.find('\n');
  ExecutionProgress progress;
  progress.status = printed.substr(0, line);
  const std::string_view known[] = {"pending", "running", "completed", "failed"};
  if (line == std::string_view::npos ||
      std::find(std::begin(known), std::end(known), progress.status) == std::end(known))
    return Fail(ErrorCode::kUnavailable, "the sandbox does not say how the execution stands");
  std::string_view bytes = printed.substr(line + 1);
  const std::size_t cut = CutCharacter(bytes);
  const bool more = progress.status == "running" || bytes.size() >= kExecutionReadMax - 64;
  if (more && cut < bytes.size()) bytes.remove_suffix(cut);
  progress.logs = Printable(bytes, bytes.size());
  progress.cursor = cursor + static_cast<std::int64_t>(bytes.size());
  return progress;
}

bool HasExecution(const json::object& dialect_data, std::string_view name) {
  const json::value* names = dialect_data.if_contains(kExecutionsKey);
  if (names == nullptr || !names->is_array()) return false;
  const json::array& list = names->get_array();
  return std::any_of(list.begin(), list.end(), [name](const json::value& one) {
    return one.is_string() && View(one.get_string()) == name;
  });
}

void AddExecution(json::object& dialect_data, const std::string& name) {
  if (HasExecution(dialect_data, name)) return;
  json::value& names = dialect_data[kExecutionsKey];
  if (!names.is_array()) names = json::array();
  json::array& list = names.get_array();
  if (list.size() >= kExecutionsKept) list.erase(list.begin());
  list.emplace_back(name);
}

}  // namespace viv::klavis
