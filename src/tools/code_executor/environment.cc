#include "tools/code_executor/environment.h"

#include <unistd.h>

namespace viv::tools::code_executor {
namespace {

bool CanRead(const std::string& path) {
  return ::access(path.c_str(), R_OK) == 0;
}

// The words come as parameters, so the shell only enters the environment.
Launch ByShell(const std::string& script,
               const std::string& parameter,
               std::vector<std::string> words,
               std::string shown) {
  Launch launch{{"/bin/bash", "-c", script, "/bin/bash", parameter}, std::move(shown)};
  launch.arguments.insert(launch.arguments.end(), words.begin(), words.end());
  return launch;
}

}  // namespace

json::object ToJson(const EnvironmentConfig& config) {
  json::object out{{"type", config.type}};
  if (config.conda_name) out["conda_name"] = *config.conda_name;
  if (config.venv_path) out["venv_path"] = *config.venv_path;
  if (config.uv_venv_path) out["uv_venv_path"] = *config.uv_venv_path;
  return out;
}

EnvironmentConfig Environment::config() const {
  const std::lock_guard lock(mutex_);
  return config_;
}

EnvironmentConfig Environment::Change(const EnvironmentConfig& change) {
  const std::lock_guard lock(mutex_);
  EnvironmentConfig previous = config_;
  config_.type = change.type;
  const auto take = [](std::optional<std::string>& to, const std::optional<std::string>& from) {
    if (from && !from->empty()) to = from;
  };
  take(config_.conda_name, change.conda_name);
  take(config_.venv_path, change.venv_path);
  take(config_.uv_venv_path, change.uv_venv_path);
  return previous;
}

Launch InEnvironment(const EnvironmentConfig& config,
                     std::vector<std::string> words,
                     const std::string& shown) {
  if (config.type == "conda") {
    const std::string name = config.conda_name.value_or("base");
    return ByShell(
        "name=$1; shift; source \"$(conda info --base)/etc/profile.d/conda.sh\" && "
        "conda activate \"$name\" && \"$@\"",
        name, std::move(words),
        "source $(conda info --base)/etc/profile.d/conda.sh && conda activate " + name + " && " +
            shown);
  }
  const std::string folder =
      (config.type == "venv" ? config.venv_path : config.uv_venv_path).value_or("/usr");
  const std::string activate = folder + "/bin/activate";
  const std::string python = folder + "/bin/python3";
  // The system's own Python is an environment without anything to activate.
  if (!CanRead(activate) && CanRead(python)) {
    words.front() = python;
    return {std::move(words), shown};
  }
  return ByShell("activate=$1; shift; source \"$activate\" && \"$@\"", activate, std::move(words),
                 "source " + activate + " && " + shown);
}

}  // namespace viv::tools::code_executor
