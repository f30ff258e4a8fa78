#include "tools/git/repository.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "tools/kit/run.h"

namespace viv::tools::git {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kGitTimeMax{60};
constexpr std::size_t kTextMax = 4 << 20;    // of an answer
constexpr std::size_t kExactMax = 64 << 20;  // of output that we read
constexpr std::size_t kLinkFileMax = 64 << 10;

bool IsFolder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// As git itself decides: a HEAD, objects and references.
bool IsGitFolder(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(path / "HEAD", error))) return false;
  if (fs::is_regular_file(path / "commondir", error)) return true;  // of a linked working tree
  return IsFolder(path / "objects") && IsFolder(path / "refs");
}

// A working tree or submodule has a file ".git" that says where its repository is.
bool LinksToGitFolder(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return false;
  auto text = ReadAll(fd.get(), kLinkFileMax);
  if (!text || !text->starts_with("gitdir: ")) return false;
  return IsGitFolder(file.parent_path() / Trim(std::string_view(*text).substr(8)));
}

std::map<std::string, std::string> Variables() {
  constexpr std::array<std::array<const char*, 2>, 6> kSettings = {{
      {"safe.directory", "*"},          // files of an archive may belong to anyone
      {"core.hooksPath", "/dev/null"},  // a repository's programs are not ours to run
      {"core.fsmonitor", "false"},
      {"core.pager", "cat"},
      {"diff.mnemonicPrefix", "false"},
      {"diff.noprefix", "false"},
  }};
  std::map<std::string, std::string> variables = {
      {"GIT_TERMINAL_PROMPT", "0"},
      {"GIT_PAGER", "cat"},
      {"GIT_EDITOR", "true"},
      {"GIT_ASKPASS", "true"},
      {"LC_ALL", "C"},
      {"LANGUAGE", "C"},
      {"GIT_CONFIG_COUNT", std::to_string(kSettings.size())}};
  for (std::size_t i = 0; i < kSettings.size(); ++i) {
    variables["GIT_CONFIG_KEY_" + std::to_string(i)] = kSettings[i][0];
    variables["GIT_CONFIG_VALUE_" + std::to_string(i)] = kSettings[i][1];
  }
  return variables;
}

void DropLastLineEnd(std::string& text) {
  if (text.ends_with('\n')) text.pop_back();
}

std::string CommandText(const std::vector<std::string>& arguments) {
  std::string text = "git";
  for (const std::string& argument : arguments) (text += ' ') += argument;
  return text;
}

tl::unexpected<Error> CommandFailed(const std::vector<std::string>& arguments, RunResult end) {
  DropLastLineEnd(end.output);
  DropLastLineEnd(end.error);
  std::string text = "Cmd('git') failed due to: exit code(" + std::to_string(end.exit_code) +
                     ")\n  cmdline: " + CommandText(arguments);
  if (!end.output.empty()) text += "\n  stdout: '" + end.output + "'";
  if (!end.error.empty()) text += "\n  stderr: '" + end.error + "'";
  return Fail(ErrorCode::kInvalidArgument, std::move(text));
}

struct GitCall {
  const std::string& folder;
  const std::vector<std::string>& arguments;
  const std::string& input;
  const std::vector<std::pair<std::string, std::string>>& identity;
  const std::atomic<bool>* cancelled;
  std::size_t output_max;
};

Result<RunResult> RunGit(const GitCall& call) {
  RunRequest request;
  request.arguments = {"git"};
  for (const std::string& argument : call.arguments) {
    if (argument.find('\0') != std::string::npos)
      return Fail(ErrorCode::kInvalidArgument, "embedded null byte");
    request.arguments.push_back(argument);
  }
  request.folder = call.folder;
  request.variables = Variables();
  for (const auto& [name, value] : call.identity) request.variables[name] = value;
  request.input = call.input;
  request.time_max = kGitTimeMax;
  request.output_max = call.output_max;
  request.cancelled = call.cancelled;
  auto end = Run(request);
  if (!end && end.error().code == ErrorCode::kNotFound)
    return Fail(ErrorCode::kUnavailable, "git is not installed in this sandbox");
  if (!end) return PassUp(std::move(end).error(), CommandText(call.arguments));
  if (end->cancelled)
    return Fail(ErrorCode::kUnavailable, CommandText(call.arguments) + " was cancelled");
  if (end->timed_out)
    return Fail(ErrorCode::kLimitExceeded, CommandText(call.arguments) + " was stopped after " +
                                               std::to_string(kGitTimeMax.count()) +
                                               " seconds; ask for less at once");
  if (end->exit_code != 0) return CommandFailed(call.arguments, *std::move(end));
  return end;
}

}  // namespace

Result<Repository> Repository::Open(const Workspace& workspace,
                                    const std::string& path,
                                    const std::atomic<bool>& cancelled) {
  const std::string absolute = workspace.Absolute(path);
  const auto none = [&] { return Fail(ErrorCode::kNotFound, absolute); };
  if (absolute.find('\0') != std::string::npos || !IsFolder(absolute)) return none();
  const fs::path dot_git = fs::path(absolute) / ".git";
  if (IsGitFolder(dot_git) || LinksToGitFolder(dot_git)) return Repository(absolute, cancelled);
  if (!IsGitFolder(absolute)) return none();
  const fs::path folder(absolute);
  if (folder.filename() == ".git") return Repository(folder.parent_path().string(), cancelled);
  return Repository(absolute, cancelled);  // a bare one
}

Result<std::string> Repository::Git(const std::vector<std::string>& arguments,
                                    const std::string& input) const {
  ASSIGN_OR_RETURN(RunResult end,
                   RunGit({folder_, arguments, input, identity_, cancelled_, kTextMax}));
  DropLastLineEnd(end.output);
  if (end.output_cut)
    end.output += "\n[cut after " + std::to_string(kTextMax >> 20) + " MiB; ask for less at once]";
  return std::move(end.output);
}

Result<std::string> Repository::GitExact(const std::vector<std::string>& arguments,
                                         const std::string& input) const {
  ASSIGN_OR_RETURN(RunResult end,
                   RunGit({folder_, arguments, input, identity_, cancelled_, kExactMax}));
  if (end.output_cut)
    return Fail(ErrorCode::kLimitExceeded, CommandText(arguments) + " gives more than " +
                                               std::to_string(kExactMax >> 20) + " MiB");
  return std::move(end.output);
}

void Repository::SetIdentity() {
  const auto configured = [&](const char* name) {
    auto value = Git({"config", "--get", name});
    return value ? *value : std::string();
  };
  std::array<char, HOST_NAME_MAX + 1> host{};
  ::gethostname(host.data(), host.size() - 1);
  const char* known = ::getenv("USER");
  const std::string user = known != nullptr && *known != '\0' ? known : "user";
  const std::string name = configured("user.name"), email = configured("user.email");
  const std::string default_email = user + "@" + host.data();
  for (const char* role : {"GIT_AUTHOR", "GIT_COMMITTER"}) {
    const auto set = [&](const std::string& variable, const std::string& value) {
      if (::getenv(variable.c_str()) == nullptr) identity_.emplace_back(variable, value);
    };
    set(std::string(role) + "_NAME", name.empty() ? user : name);
    set(std::string(role) + "_EMAIL", email.empty() ? default_email : email);
  }
}

}  // namespace viv::tools::git
