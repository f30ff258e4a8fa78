#pragma once
// What tests of sniffing share: echo servers, guests that send first, and an interceptor that
// records what it gets.

#include <netinet/tcp.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "network/client_hello_test_support.h"
#include "network/egress_test_support.h"
#include "network/flow.h"

namespace viv::network {

// Echoes every byte until the other side ends.
class EchoServer {
 public:
  explicit EchoServer(std::string_view address) : listener_(ListenOn(address)) {
    thread_ = std::thread([this] {
      while (UniqueFd fd = AcceptOn(listener_)) {
        ++connections_;
        char buffer[4096];
        ssize_t got = 0;
        while ((got = recv(fd.get(), buffer, sizeof buffer, 0)) > 0) {
          bytes_ += got;
          WriteAll(fd.get(), {buffer, static_cast<std::size_t>(got)});
        }
      }
    });
  }
  ~EchoServer() {
    shutdown(listener_.fd.get(), SHUT_RDWR);
    thread_.join();
  }
  std::uint16_t port() const { return listener_.port; }
  int connections() const { return connections_; }
  ssize_t bytes() const { return bytes_; }  // received so far

 private:
  Listener listener_;
  std::atomic<int> connections_{0};
  std::atomic<ssize_t> bytes_{0};
  std::thread thread_;
};

// Intercepts some hosts, answers each flow with "served HOST" and records what it gets.
class FakeInterceptor : public Interceptor {
 public:
  explicit FakeInterceptor(std::set<std::string, std::less<>> hosts) : hosts_(std::move(hosts)) {}

  bool InterceptsHost(std::string_view host) const override { return hosts_.contains(host); }
  Task<void> Serve(std::shared_ptr<Flow> flow,
                   FirstBytes first_bytes,
                   std::string already_read) override {
    {
      std::lock_guard lock(mutex_);
      seen_first_bytes_.push_back(first_bytes);
      already_read_.push_back(std::move(already_read));
      for (const char* host : {"good.org", "bad.org", "api.org", "literal.org", "93.184.216.34"})
        if (flow->AllowsHost(host)) allowed_hosts_ += std::string(host) + " ";
    }
    UniqueFd guest = flow->ReleaseGuestSocket();
    WriteAll(guest.get(), "served " + first_bytes.host);
    co_return;
  }

  void OnReplacedBy(Interceptor*) override {}

  std::vector<FirstBytes> seen_first_bytes() const {
    std::lock_guard lock(mutex_);
    return seen_first_bytes_;
  }
  std::vector<std::string> already_read() const {
    std::lock_guard lock(mutex_);
    return already_read_;
  }
  std::string allowed_hosts() const {
    std::lock_guard lock(mutex_);
    return allowed_hosts_;
  }

 private:
  const std::set<std::string, std::less<>> hosts_;
  mutable std::mutex mutex_;
  std::vector<FirstBytes> seen_first_bytes_;
  std::vector<std::string> already_read_;
  std::string allowed_hosts_;
};

inline const Zone kSniffZone = {{"good.org", {std::string(kPublic)}},
                                {"bad.org", {std::string(kPublic)}},
                                {"api.org", {std::string(kOtherPublic)}},
                                {"sub.api.org", {std::string(kOtherPublic)}}};

inline const std::string kNameAlert = {21, 3, 3, 0, 2, 2, 112};
inline const std::string kDecodeAlert = {21, 3, 3, 0, 2, 2, 50};

inline std::string RequestFor(std::string_view host) {
  return "GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n";
}

class SniffTest : public EgressTest {
 protected:
  void SetUp() override {
    EgressTest::SetUp();
    ServeNames(ZoneResolver(kSniffZone));
  }

  // What a guest reads up to the end that sends these bytes in pieces and then closes its side.
  std::string GuestSends(std::string_view address,
                         std::uint16_t port,
                         std::string_view bytes,
                         std::size_t piece_bytes = 1 << 20) {
    std::string got;
    AsGuest(netns(), [&] {
      Dialled dialled = DialTcp(EndpointOf(address, port));
      int on = 1;
      setsockopt(dialled.fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      bool reset = false;  // a reset that a write reported is not reported again by a read
      while (!bytes.empty() && !reset) {
        std::string_view piece = bytes.substr(0, std::min(piece_bytes, bytes.size()));
        ssize_t put = send(dialled.fd.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
        reset = put < 0;
        if (!reset) bytes.remove_prefix(static_cast<std::size_t>(put));
      }
      reset = shutdown(dialled.fd.get(), SHUT_WR) != 0 || reset;
      got = ReadToEnd(dialled.fd.get());
      if (reset && got.empty()) got = "reset";
    });
    return got;
  }

  UniqueFd GuestConnects(std::string_view address, std::uint16_t port) {
    UniqueFd fd;
    AsGuest(netns(), [&] { fd = DialTcp(EndpointOf(address, port)).fd; });
    return fd;
  }

  static BoxEgress WithInterceptor(std::shared_ptr<Interceptor> interceptor, Policy policy = {}) {
    BoxEgress egress = EgressWithPolicy(std::move(policy));
    egress.interceptor = std::move(interceptor);
    return egress;
  }
};

}  // namespace viv::network
