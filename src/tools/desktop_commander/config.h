#pragma once
// The server's settings: one JSON object, kept in a file of the box so that they outlive the
// server. An agent may set any key; those that the server itself reads are taken only when they
// have the right type. Thread-safe.

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace viv::tools::commander {

class Config {
 public:
  // `file` need not exist; a broken one counts as absent. Without a name nothing is kept.
  Config(std::string file, const std::string& workspace);

  json::object Snapshot() const;
  std::vector<std::string> BlockedCommands() const;
  std::vector<std::string> AllowedDirectories() const;  // "/" alone when all are
  std::string DefaultShell() const;
  std::int64_t WriteLineLimit() const;

  // kLimitExceeded when the settings would grow beyond reason; kUnavailable when the value is set
  // but could not be written to the file.
  Status Set(std::string_view key, json::value value);
  // For the server's own notes, whose loss with a full disk does not matter.
  void Change(const std::function<void(json::object&)>& change);

 private:
  Status Save() const;
  std::vector<std::string> Strings(std::string_view key) const;

  const std::string file_;
  mutable std::mutex mutex_;
  json::object values_;
};

// Below the home folder of whoever runs the server.
std::string ConfigFile();

}  // namespace viv::tools::commander
