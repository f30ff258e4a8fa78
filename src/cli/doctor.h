#pragma once
// viv doctor: whether this machine can run Vivarium, and what to do where it cannot.

#include <string>
#include <vector>

namespace viv::cli {

struct DoctorOptions {
  std::string data;
  std::vector<std::string> app_folders;
  std::string agent;  // path of viv-agent
  std::string tools;  // path of viv-tools
};

int Doctor(const DoctorOptions& options);

}  // namespace viv::cli
