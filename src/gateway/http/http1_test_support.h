#pragma once
// For tests of HTTP/1.1: a TCP connection. The code under test has one end as a transport, and the
// test has the other end as plain bytes. Everything runs on the test's own thread.

#include <errno.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "base/task.h"
#include "base/unique_fd.h"
#include "http/transport.h"

namespace viv::gateway {

// Over TCP, because a unix socket has no reset.
inline std::pair<UniqueFd, UniqueFd> MakeTcpPair() {
  UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(listener.get(), plain, size), 0);
  EXPECT_EQ(::listen(listener.get(), 1), 0);
  EXPECT_EQ(::getsockname(listener.get(), plain, &size), 0);
  UniqueFd near(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(near.get(), plain, size), 0);
  UniqueFd far(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  return {std::move(near), std::move(far)};
}

class TestPeer {
 public:
  TestPeer() {
    auto [near, far] = MakeTcpPair();
    transport = http::MakePlainTransport(*http::AdoptSocket(io.get_executor(), std::move(near)));
    far_ = std::move(far);
  }
  ~TestPeer() {
    far_ = UniqueFd();
    transport.reset();
  }

  void Spawn(Task<void> task) {
    ++running_;
    asio::co_spawn(io, std::move(task), [this](std::exception_ptr failure) {
      EXPECT_FALSE(failure);
      --running_;
    });
  }
  bool all_ended() const { return running_ == 0; }

  // Runs the loop until `holds`. The timeout only keeps a failing test from hanging.
  template <typename Condition>
  [[nodiscard]] bool Until(Condition holds) {
    while (!holds()) {
      io.restart();
      if (io.run_one_for(std::chrono::seconds(30)) == 0) return holds();
    }
    return true;
  }
  void RunToEnd() {
    EXPECT_TRUE(Until([this] { return all_ended(); }));
  }
  void LetWork() {  // runs what needs no waiting
    io.restart();
    io.poll();
  }

  void Send(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t put = ::send(far_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (put > 0) bytes.remove_prefix(static_cast<std::size_t>(put));
      if (put < 0 && errno != EAGAIN) return;
      if (put < 0) LetWork();
    }
  }
  // The bytes that arrived up to and including `end`, or all bytes if the connection ended before.
  std::string ReceiveTo(std::string_view end) {
    EXPECT_TRUE(Until([&] {
      Pull();
      return received_.find(end) != std::string::npos || ended_;
    }));
    std::size_t at = received_.find(end);
    std::size_t size = at == std::string::npos ? received_.size() : at + end.size();
    std::string already_read = received_.substr(0, size);
    received_.erase(0, size);
    return already_read;
  }
  std::string ReceiveHead() { return ReceiveTo("\r\n\r\n"); }
  std::string ReceiveToEnd() {
    EXPECT_TRUE(Until([&] {
      Pull();
      return ended_;
    }));
    return std::exchange(received_, {});
  }
  bool was_reset() const { return reset_; }
  void CloseWrite() { ::shutdown(far_.get(), SHUT_WR); }
  void Close() { far_ = UniqueFd(); }
  void PassTime(std::chrono::seconds time) {
    transport->Tick(std::chrono::steady_clock::now() + time);
  }

  asio::io_context io;
  std::unique_ptr<http::Transport> transport;

 private:
  void Pull() {
    char bytes[16 * 1024];
    while (!ended_) {
      ssize_t got = ::recv(far_.get(), bytes, sizeof bytes, 0);
      if (got < 0 && errno == EAGAIN) return;
      reset_ |= got < 0;
      ended_ |= got <= 0;
      if (got > 0) received_.append(bytes, static_cast<std::size_t>(got));
    }
  }

  UniqueFd far_;
  std::string received_;
  bool ended_ = false;
  bool reset_ = false;
  int running_ = 0;
};

}  // namespace viv::gateway
