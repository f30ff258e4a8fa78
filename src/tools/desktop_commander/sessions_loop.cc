// The thread of Sessions: reads, writes and reaps.

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <tuple>

#include "tools/desktop_commander/sessions.h"

namespace viv::tools::commander {
namespace {

// How often an exit is looked for that closes no pipe, because a child keeps it open.
constexpr int kReapMs = 20;

}  // namespace

// True when there may be more at once.
bool Sessions::ReadFrom(Session& session, UniqueFd& fd) {
  char buffer[32 << 10];
  const ssize_t count = ::read(fd.get(), buffer, sizeof buffer);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (count <= 0) {
    fd = UniqueFd();
    return false;
  }
  const std::string_view said(buffer, static_cast<std::size_t>(count));
  session.all.Add(said);
  session.unread.Add(said);
  ++session.activity;
  return true;
}

void Sessions::WriteTo(Session& session) {
  const ssize_t count = ::write(session.input.get(), session.unsent.data(), session.unsent.size());
  if (count >= 0) {
    session.unsent.erase(0, static_cast<std::size_t>(count));
  } else if (errno != EAGAIN && errno != EINTR) {
    session.input = UniqueFd();
    session.unsent.clear();
  }
}

void Sessions::Serve(Session& session) {
  if (session.output) ReadFrom(session, session.output);
  if (session.error) ReadFrom(session, session.error);
  if (session.input && !session.unsent.empty()) WriteTo(session);
  if (std::chrono::steady_clock::now() >= session.kill_at) {
    ::kill(-session.pid, SIGKILL);
    session.kill_at = TimePoint::max();
  }
}

void Sessions::Loop() {
  for (;;) {
    std::vector<pollfd> waited = {{wake_.get(), POLLIN, 0}};
    bool any_running;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      for (auto session = running_.begin(); session != running_.end();) {
        Serve(session->second);
        session = Reap(session->second) ? running_.erase(session) : std::next(session);
      }
      for (auto session = lingering_.begin(); session != lingering_.end();) {
        Serve(*session);
        session =
            session->output || session->error ? std::next(session) : lingering_.erase(session);
      }
      activity_changed_.notify_all();
      any_running = !running_.empty();
      const auto wait_for = [&](const Session& session) {
        if (session.output) waited.push_back({session.output.get(), POLLIN, 0});
        if (session.error) waited.push_back({session.error.get(), POLLIN, 0});
        if (session.input && !session.unsent.empty())
          waited.push_back({session.input.get(), POLLOUT, 0});
      };
      for (const auto& [pid, session] : running_) wait_for(session);
      for (const Session& session : lingering_) wait_for(session);
    }
    // The descriptors are closed by this thread alone, so they stay what they are while it waits.
    ::poll(waited.data(), waited.size(), any_running ? kReapMs : -1);
    std::uint64_t count;
    std::ignore = ::read(wake_.get(), &count, sizeof count);
  }
}

}  // namespace viv::tools::commander
