#include "agent/process/environment.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/text.h"

namespace viv::agent {
namespace {

constexpr const char* kStandardSearchPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// All authorities that a template trusts, ours among them.
constexpr const char* kAuthorities = "/etc/ssl/certs/ca-certificates.crt";

// Programs that have authorities of their own, or look for them elsewhere, and how each is told to
// read that file instead.
constexpr const char* kAuthoritiesVariables[] = {"AWS_CA_BUNDLE",      "CURL_CA_BUNDLE",
                                                 "GIT_SSL_CAINFO",     "PIP_CERT",
                                                 "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"};
// These add ours to their own.
constexpr const char* kOurAuthorityVariables[] = {"DENO_CERT", "NODE_EXTRA_CA_CERTS"};

// Only defaults: templates, boxes and requests may know better. The template's layer with our
// authority also lets sudo keep them (templates/trust.cc).
void AddAuthorities(const std::string& authority_file, Variables& variables) {
  if (::access(authority_file.c_str(), R_OK) != 0) return;
  for (const char* name : kAuthoritiesVariables) variables[name] = kAuthorities;
  for (const char* name : kOurAuthorityVariables) variables[name] = authority_file;
}

bool HasNul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

bool IsProgram(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & 0111) != 0;
}

}  // namespace

Result<Variables> EnvironmentFor(const Context& context,
                                 const User& user,
                                 const Variables& requested) {
  const char* path = std::getenv("PATH");
  Variables variables{{"PATH", path != nullptr && *path != '\0' ? path : kStandardSearchPath},
                      {"HOME", user.home},
                      {"USER", user.name},
                      {"LOGNAME", user.name}};
  AddAuthorities(context.authority_file, variables);
  for (const auto& [name, value] : context.variables) variables[name] = value;
  for (const auto& [name, value] : requested) {
    if (name.empty() || name.find('=') != std::string::npos || HasNul(name) || HasNul(value)) {
      return Fail(ErrorCode::kInvalidArgument,
                  "environment variable with an invalid name or value; a name is not empty and has "
                  "no '=', and neither has a NUL");
    }
    variables[name] = value;
  }
  return variables;
}

std::vector<std::string> AsAssignments(const Variables& variables) {
  std::vector<std::string> list;
  list.reserve(variables.size());
  for (const auto& [name, value] : variables) list.push_back(name + "=" + value);
  return list;
}

Result<std::string> FindProgram(const std::string& command, std::string_view search_path) {
  constexpr std::size_t kFoldersMax = 256;
  if (command.find('/') != std::string::npos) return command;
  std::size_t tried = 0;
  for (std::string_view folder : Split(search_path, ':')) {
    if (command.empty() || ++tried > kFoldersMax) break;
    if (!folder.starts_with('/')) continue;
    std::string candidate = std::string(folder) + "/" + command;
    if (IsProgram(candidate)) return candidate;
  }
  return Fail(ErrorCode::kNotFound,
              "exec: \"" + command + "\": executable file not found in $PATH");
}

}  // namespace viv::agent
