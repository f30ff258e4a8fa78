#pragma once
// Answers for the agents of FakeBoxHost's boxes: one HTTP request on each connection, on a thread
// of its own. Test code. Thread-safe.

#include <sys/socket.h>

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::boxes {

class FakeAgent {
 public:
  struct Request {
    std::string kernel_name;  // of the box
    std::string line;         // "POST /init HTTP/1.1"
    std::string body;
  };
  // Returns the whole response as it is sent; empty: the connection is closed without one.
  using Handler = std::function<std::string(const Request&)>;

  explicit FakeAgent(Handler handler) : handler_(std::move(handler)), thread_([this] { Run(); }) {}
  ~FakeAgent() {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  // A connection whose other end is served.
  Result<UniqueFd> Connect(const std::string& kernel_name) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return Fail(ErrorCode::kInternal, "socketpair");
    UniqueFd client(ends[0]);
    {
      std::lock_guard lock(mutex_);
      waiting_.emplace_back(kernel_name, UniqueFd(ends[1]));
    }
    wake_.notify_all();
    return client;
  }

 private:
  void Run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      auto [kernel_name, connection] = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      Serve(kernel_name, connection);
      connection = UniqueFd();
      lock.lock();
    }
  }

  void Serve(const std::string& kernel_name, const UniqueFd& connection) {
    std::string text;
    std::size_t head_end = std::string::npos, body_size = 0;
    while (head_end == std::string::npos || text.size() < head_end + body_size) {
      char buffer[4096];
      const ssize_t count = ::recv(connection.get(), buffer, sizeof buffer, 0);
      if (count <= 0) return;
      text.append(buffer, static_cast<std::size_t>(count));
      if (head_end != std::string::npos) continue;
      head_end = text.find("\r\n\r\n");
      if (head_end == std::string::npos) continue;
      head_end += 4;
      constexpr std::string_view kLength = "Content-Length: ";
      if (std::size_t at = text.find(kLength); at < head_end)
        body_size = std::strtoul(text.c_str() + at + kLength.size(), nullptr, 10);
    }
    const std::string response =
        handler_({kernel_name, text.substr(0, text.find("\r\n")), text.substr(head_end)});
    std::size_t sent = 0;
    while (sent < response.size()) {
      const ssize_t count =
          ::send(connection.get(), response.data() + sent, response.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return;
      sent += static_cast<std::size_t>(count);
    }
  }

  const Handler handler_;
  std::mutex mutex_;  // guards all below
  std::condition_variable wake_;
  std::deque<std::pair<std::string, UniqueFd>> waiting_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace viv::boxes
