#include "boxes/exit_poller.h"

#include <sys/epoll.h>

#include <cerrno>

#include "base/errno_error.h"

namespace viv::boxes {

Result<ExitPoller> ExitPoller::Open() {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return FailErrno(ErrorCode::kUnavailable, "watch boxes");
  return ExitPoller(std::move(epoll));
}

void ExitPoller::Add(int pidfd, const std::string& name) {
  std::lock_guard lock(names_->mutex);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLONESHOT;
  event.data.u64 = names_->next++;
  // A process whose exit was taken is still registered, without events.
  const bool is_added = ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, pidfd, &event) == 0;
  if (!is_added &&
      (errno != EEXIST || ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, pidfd, &event) != 0))
    return;
  names_->by_number[event.data.u64] = name;
  names_->by_name[name] = event.data.u64;
}

void ExitPoller::Remove(const std::string& name) {
  std::lock_guard lock(names_->mutex);
  auto found = names_->by_name.find(name);
  if (found == names_->by_name.end()) return;
  names_->by_number.erase(found->second);
  names_->by_name.erase(found);
}

std::vector<std::string> ExitPoller::TakeExited() {
  std::vector<std::string> ended;
  epoll_event events[64];
  int count = 0;
  while ((count = ::epoll_wait(epoll_.get(), events, 64, 0)) > 0) {
    std::lock_guard lock(names_->mutex);
    for (int i = 0; i < count; ++i) {
      auto found = names_->by_number.find(events[i].data.u64);
      if (found == names_->by_number.end()) continue;
      ended.push_back(found->second);
      names_->by_name.erase(found->second);
      names_->by_number.erase(found);
    }
  }
  return ended;
}

}  // namespace viv::boxes
