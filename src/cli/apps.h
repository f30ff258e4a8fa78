#pragma once
// viv apps ls|test: what apps there are, and whether they keep their own promises.

#include <string>
#include <vector>

namespace viv::cli {

struct AppsOptions {
  std::vector<std::string> folders;  // each holds app folders
  std::string name;                  // empty: all
  std::string only;                  // test: files whose name contains this
  bool coverage = true;              // test: a tool without a case counts as a failure
};

int ListApps(const AppsOptions& options);
int TestApps(const AppsOptions& options);

}  // namespace viv::cli
