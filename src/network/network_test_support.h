#pragma once
// What the tests of this module share: a scratch folder, a namespace per test, and a guest, which
// is a thread that enters that namespace and behaves as a program of the box would.

#include <errno.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "network/address.h"
#include "network/namespaces.h"
#include "network/scoped_netns.h"

namespace viv::network {

class ScratchDirectory {
 public:
  ScratchDirectory() {
    if (mkdtemp(path_.data()) == nullptr) abort();
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/viv-network-test-XXXXXX";
};

// Runs `act` in a thread inside the namespace.
inline void AsGuest(int netns, const std::function<void()>& act) {
  std::thread([&] {
    auto scope = ScopedNetns::Enter(netns);
    ASSERT_TRUE(scope.has_value()) << scope.error().message;
    act();
  }).join();
}

inline Endpoint EndpointOf(std::string_view address, std::uint16_t port) {
  return {*ParseAddress(address), port};
}

// A blocking socket that is connected to the endpoint, or the errno.
struct Dialled {
  UniqueFd fd;
  int error = 0;
};

inline Dialled DialAs(const Endpoint& endpoint, int type) {
  SocketAddress to = ToSocketAddress(endpoint);
  Dialled dialled{UniqueFd(socket(to.get()->sa_family, type | SOCK_CLOEXEC, 0)), 0};
  if (connect(dialled.fd.get(), to.get(), to.size) != 0) dialled.error = errno;
  return dialled;
}

inline Dialled DialTcp(const Endpoint& endpoint) {
  return DialAs(endpoint, SOCK_STREAM);
}

// A TCP or UDP socket on a free port of that address, in the calling thread's namespace.
struct Listener {
  UniqueFd fd;
  std::uint16_t port = 0;
};

inline Listener ListenOn(std::string_view address, int type = SOCK_STREAM) {
  SocketAddress at = ToSocketAddress(EndpointOf(address, 0));
  Listener listener{UniqueFd(socket(at.get()->sa_family, type | SOCK_CLOEXEC, 0)), 0};
  int on = 1;  // needed for an IPv6 address that only a route makes local
  setsockopt(listener.fd.get(), IPPROTO_IPV6, IPV6_FREEBIND, &on, sizeof on);
  EXPECT_EQ(bind(listener.fd.get(), at.get(), at.size), 0) << address << ": " << errno;
  if (type == SOCK_STREAM) listen(listener.fd.get(), 512);
  getsockname(listener.fd.get(), at.get(), &at.size);
  listener.port = FromSocketAddress(at)->port;
  return listener;
}

inline UniqueFd AcceptOn(const Listener& listener) {
  return UniqueFd(accept4(listener.fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

// Reads all bytes until the other side ends; "reset" if it was reset.
inline std::string ReadToEnd(int fd) {
  std::string all;
  char buffer[65536];
  for (;;) {
    ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0) return errno == ECONNRESET ? "reset" : "error";
    if (got == 0) return all;
    all.append(buffer, static_cast<std::size_t>(got));
  }
}

inline void WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t put = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

class NetworkTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = Namespaces::Open(directory_.path() + "/net");
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    namespaces_ = *std::move(opened);
    auto acquired = namespaces_->Acquire();
    ASSERT_TRUE(acquired.has_value()) << acquired.error().message;
    namespace_ = *std::move(acquired);
  }
  void TearDown() override {
    if (!namespaces_) return;
    namespace_.fd = UniqueFd();
    for (const std::string& name : namespaces_->List()) namespaces_->Release(name);
    namespaces_.reset();
  }
  int netns() const { return namespace_.fd.get(); }

  ScratchDirectory directory_;
  std::unique_ptr<Namespaces> namespaces_;
  Namespaces::Handle namespace_;
};

}  // namespace viv::network
