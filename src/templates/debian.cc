#include "templates/debian.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "templates/program.h"

namespace viv::templates {
namespace {

// What clients, agents and people expect in a sandbox.
constexpr const char* kDebianPackages[] = {"bash",
                                           "build-essential",
                                           "ca-certificates",
                                           "coreutils",
                                           "curl",
                                           "findutils",
                                           "git",
                                           "gzip",
                                           "iproute2",
                                           "jq",
                                           "less",
                                           "locales",
                                           "nano",
                                           "ncurses-bin",
                                           "nodejs",
                                           "npm",
                                           "openssh-client",
                                           "procps",
                                           "python-is-python3",
                                           "python3",
                                           "python3-pip",
                                           "python3-venv",
                                           "ripgrep",
                                           "sudo",
                                           "tar",
                                           "unzip",
                                           "util-linux",
                                           "wget",
                                           "xz-utils",
                                           "zip"};
constexpr std::size_t kPackagesMax = 500;
constexpr std::chrono::minutes kBootstrapTimeout{60};

bool IsPackageName(std::string_view name) {
  auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (name.size() < 2 || name.size() > 128 || !plain(name[0])) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) {
    return plain(c) || c == '+' || c == '.' || c == '-' || c == ':';
  });
}

bool IsMirror(std::string_view mirror) {
  if (!mirror.starts_with("http://") && !mirror.starts_with("https://")) return false;
  return mirror.size() < 1000 &&
         std::all_of(mirror.begin(), mirror.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

std::vector<std::string> HostSources() {
  std::vector<std::string> files;
  std::error_code error;
  if (std::filesystem::exists("/etc/apt/sources.list", error))
    files.emplace_back("/etc/apt/sources.list");
  for (const auto& entry : std::filesystem::directory_iterator("/etc/apt/sources.list.d", error)) {
    const std::string extension = entry.path().extension();
    if (extension == ".list" || extension == ".sources") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<std::vector<std::string>> DebianCommand(const std::string& root,
                                               const DebianOptions& options) {
  if (!IsPackageName(options.suite))
    return Fail(ErrorCode::kInvalidArgument, "'" + options.suite + "' is no suite of Debian");
  if (!options.mirror.empty() && !IsMirror(options.mirror))
    return Fail(ErrorCode::kInvalidArgument, "a mirror is an http or https address");
  if (options.packages.size() > kPackagesMax)
    return Fail(ErrorCode::kInvalidArgument, "there are more than 500 packages");
  std::string packages;
  for (const char* name : kDebianPackages)
    packages += (packages.empty() ? "" : ",") + std::string(name);
  for (const std::string& name : options.packages) {
    if (!IsPackageName(name))
      return Fail(ErrorCode::kInvalidArgument,
                  "'" + name.substr(0, 100) + "' is no name of a package");
    packages += "," + name;
  }
  std::vector<std::string> command = {
      "mmdebstrap",         "--variant=minbase",
      "--format=directory", "--include=" + packages,
      "--skip=check/empty", "--aptopt=APT::Install-Recommends \"false\"",
      options.suite,        root};
  if (!options.mirror.empty()) {
    command.push_back(options.mirror);
  } else {
    for (std::string& file : HostSources()) command.push_back(std::move(file));
  }
  return command;
}

Status BootstrapDebian(const std::string& root,
                       const DebianOptions& options,
                       const Progress& progress) {
  ASSIGN_OR_RETURN(const auto command, DebianCommand(root, options));
  Status built = RunProgram(command, progress, kBootstrapTimeout);
  if (built) return {};
  return PassUp(std::move(built).error(), "build Debian " + options.suite);
}

}  // namespace viv::templates
