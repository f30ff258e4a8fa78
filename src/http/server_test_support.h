#pragma once
// For tests of the server: one that runs on a thread of its own, and a client that sends exactly
// the bytes it is told to.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/unique_fd.h"
#include "http/server.h"

namespace viv::http {

inline Response RenderForTest(int status, std::string message, const Request&) {
  return Text(status, std::move(message));
}

class RunningServer {
 public:
  explicit RunningServer(Handler handler, ServerOptions options = {}) {
    if (options.threads == 0) options.threads = 1;
    auto created = Server::Create(std::move(options), std::move(handler), RenderForTest);
    if (!created) ADD_FAILURE() << created.error().message;
    server_ = *std::move(created);
    thread_ = std::thread([this] { server_->Run(); });
  }
  ~RunningServer() { StopAndJoin(); }

  void StopAndJoin() {
    server_->Stop();
    if (thread_.joinable()) thread_.join();
  }

  Server& operator*() { return *server_; }
  Server* operator->() { return server_.get(); }
  std::string Url(std::string_view target) const {
    return "http://127.0.0.1:" + std::to_string(server_->port()) + std::string(target);
  }

 private:
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

// A blocking socket. Its receive timeout only keeps a failing test from hanging.
class RawClient {
 public:
  explicit RawClient(UniqueFd connection) : fd_(std::move(connection)) {
    timeval timeout{.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  }

  explicit RawClient(std::uint16_t port)
      : RawClient(UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int connected = ::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    EXPECT_EQ(connected, 0);
  }

  void Send(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t count = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return;  // the server may have closed: what it answered is what counts
      bytes.remove_prefix(count);
    }
  }

  void ResetOnClose() {
    linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }

  int error() const { return error_; }  // that ended the reading; 0 for a proper end

  void EndSending() { ::shutdown(fd_.get(), SHUT_WR); }

  std::string ReadToEnd() {
    while (ReadMore()) {
    }
    return std::exchange(pending_, {});
  }

  // All up to and including `end`; less when the connection ends before.
  std::string ReadThrough(std::string_view end) {
    std::size_t at;
    while ((at = pending_.find(end)) == std::string::npos) {
      if (!ReadMore()) return std::exchange(pending_, {});
    }
    return Take(at + end.size());
  }

  struct RawResponse {
    std::string head;
    std::string body;
  };
  // One answer with a Content-Length.
  RawResponse ReadResponse() {
    RawResponse answer{ReadThrough("\r\n\r\n"), ""};
    std::size_t at = answer.head.find("Content-Length: ");
    std::size_t length =
        at == std::string::npos ? 0 : std::strtoul(&answer.head[at + 16], nullptr, 10);
    while (pending_.size() < length && ReadMore()) {
    }
    answer.body = Take(std::min(length, pending_.size()));
    return answer;
  }

 private:
  bool ReadMore() {
    char bytes[16 * 1024];
    ssize_t count = ::recv(fd_.get(), bytes, sizeof bytes, 0);
    if (count < 0) error_ = errno;
    if (count <= 0) return false;
    pending_.append(bytes, count);
    return true;
  }

  std::string Take(std::size_t count) {
    std::string taken = pending_.substr(0, count);
    pending_.erase(0, count);
    return taken;
  }

  UniqueFd fd_;
  std::string pending_;
  int error_ = 0;
};

}  // namespace viv::http
