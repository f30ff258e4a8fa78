#pragma once
// The Python that runs the code: the box's own at first, or a virtual or conda environment that a
// call chose. Thread-safe; it lasts as long as the process.

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace viv::tools::code_executor {

struct EnvironmentConfig {
  std::string type;  // "conda", "venv" or "venv-uv"
  std::optional<std::string> conda_name, venv_path, uv_venv_path;
};

json::object ToJson(const EnvironmentConfig& config);

class Environment {
 public:
  explicit Environment(EnvironmentConfig config) : config_(std::move(config)) {}

  EnvironmentConfig config() const;
  // Takes over what `change` names, and keeps the rest. Gives what there was.
  EnvironmentConfig Change(const EnvironmentConfig& change);

 private:
  mutable std::mutex mutex_;
  EnvironmentConfig config_;
};

struct Launch {
  std::vector<std::string> arguments;
  std::string shown;  // as failures name it
};

// How to run `program` (python3, or a module of it) with `words` in the environment. Nothing of
// them is read by a shell; `shown` is the command as one would type it.
Launch InEnvironment(const EnvironmentConfig& config,
                     std::vector<std::string> words,
                     const std::string& shown);

}  // namespace viv::tools::code_executor
