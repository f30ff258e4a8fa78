#pragma once
// SOCKS5 proxies for tests: one that serves each connection as the test says, and one that works.

#include <poll.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "network/network_test_support.h"

namespace viv::network {

inline std::string ReceiveExactly(int fd, std::size_t count) {
  std::string bytes(count, '\0');
  ssize_t got = recv(fd, bytes.data(), count, MSG_WAITALL);
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

// Serves one connection after the other with `serve`, until it is destroyed.
class FakeProxy {
 public:
  FakeProxy(std::string_view address, std::function<void(int fd)> serve)
      : listener_(ListenOn(address)), serve_(std::move(serve)) {
    thread_ = std::thread([this] {
      while (UniqueFd fd = AcceptOn(listener_)) {
        ++connections_;
        serve_(fd.get());
      }
    });
  }
  ~FakeProxy() {
    shutdown(listener_.fd.get(), SHUT_RDWR);
    thread_.join();
  }
  std::uint16_t port() const { return listener_.port; }
  int connections() const { return connections_; }

 private:
  Listener listener_;
  std::function<void(int)> serve_;
  std::atomic<int> connections_{0};
  std::thread thread_;
};

// Copies bytes both ways until both sides have ended.
inline void PassBytes(int one, int other) {
  pollfd waits[2] = {{one, POLLIN, 0}, {other, POLLIN, 0}};
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {
    poll(waits, 2, -1);
    for (int i : {0, 1}) {
      if (waits[i].fd < 0 || waits[i].revents == 0) continue;
      char buffer[4096];
      ssize_t got = recv(waits[i].fd, buffer, sizeof buffer, 0);
      int to = i == 0 ? other : one;
      if (got > 0)
        WriteAll(to, {buffer, static_cast<std::size_t>(got)});
      else
        waits[i].fd = shutdown(to, SHUT_WR) == 0 ? -1 : -2;
    }
  }
}

// A working proxy without a password: it records each request as "name:port" or "address:port" and
// connects to `where`.
class WorkingProxy {
 public:
  WorkingProxy(std::string_view address, std::string_view where)
      : where_(where), proxy_(address, [this](int fd) { Serve(fd); }) {}

  std::uint16_t port() const { return proxy_.port(); }
  int connections() const { return proxy_.connections(); }
  std::vector<std::string> requests() const {
    std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void Serve(int fd) {
    std::string greeting = ReceiveExactly(fd, 2);
    ReceiveExactly(fd, static_cast<std::uint8_t>(greeting[1]));
    WriteAll(fd, std::string("\x05\x00", 2));
    std::string head = ReceiveExactly(fd, 4), host;
    if (head[3] == 3) {
      host = ReceiveExactly(fd, static_cast<std::uint8_t>(ReceiveExactly(fd, 1)[0]));
    } else {
      host = AddressFromRaw(ReceiveExactly(fd, head[3] == 1 ? 4 : 16)).Text();
    }
    std::string port = ReceiveExactly(fd, 2);
    auto number = static_cast<std::uint16_t>(static_cast<std::uint8_t>(port[0]) << 8 |
                                             static_cast<std::uint8_t>(port[1]));
    {
      std::lock_guard lock(mutex_);
      requests_.push_back(host + ":" + std::to_string(number));
    }
    Dialled dialled = DialTcp(EndpointOf(where_, number));
    std::string answer("\x05\x00\x00\x01\0\0\0\0\0\0", 10);
    if (dialled.error != 0) answer[1] = 5;
    WriteAll(fd, answer);
    if (dialled.error == 0) PassBytes(fd, dialled.fd.get());
  }

  const std::string where_;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  FakeProxy proxy_;
};

}  // namespace viv::network
