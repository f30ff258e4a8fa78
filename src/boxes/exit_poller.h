#pragma once
// Polls pidfds for processes that have exited, with one epoll descriptor for all of them.
// Thread-safe.

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::boxes {

class ExitPoller {
 public:
  static Result<ExitPoller> Open();

  // `pidfd` stays open while it is registered; closing it unregisters it. A process that is added
  // again after its exit was taken is reported again.
  void Add(int pidfd, const std::string& name);
  void Remove(const std::string& name);
  std::vector<std::string> TakeExited();

 private:
  struct Names {
    std::mutex mutex;  // guards all below
    std::uint64_t next = 1;
    std::unordered_map<std::uint64_t, std::string> by_number;
    std::unordered_map<std::string, std::uint64_t> by_name;
  };
  explicit ExitPoller(UniqueFd epoll)
      : epoll_(std::move(epoll)), names_(std::make_unique<Names>()) {}

  UniqueFd epoll_;
  std::unique_ptr<Names> names_;
};

}  // namespace viv::boxes
