#pragma once
// For tests of the egress: the test's own thread moves into a test internet and starts the egress
// there, beside a resolver whose replies the test decides.

#include <fcntl.h>
#include <netinet/in.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "network/dns_message.h"
#include "network/dns_name.h"
#include "network/egress.h"
#include "network/network_test_support.h"
#include "network/test_internet.h"

namespace viv::network {

// Answers every question by calling `answer`, which gets the question's bytes and sends any bytes.
class FakeResolver {
 public:
  using Send = std::function<void(const std::string&)>;
  using Answer = std::function<void(const std::string& question, bool by_tcp, const Send& send)>;

  explicit FakeResolver(Answer answer) : answer_(std::move(answer)) {
    udp_ = ListenOn("127.0.0.1", SOCK_DGRAM);
    SocketAddress same = ToSocketAddress(EndpointOf("127.0.0.1", udp_.port));
    tcp_.fd = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(bind(tcp_.fd.get(), same.get(), same.size), 0);
    listen(tcp_.fd.get(), 16);
    EXPECT_EQ(pipe2(stop_, O_CLOEXEC), 0);
    thread_ = std::thread([this] { Serve(); });
  }
  ~FakeResolver() {
    close(stop_[1]);
    thread_.join();
    close(stop_[0]);
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(udp_.port); }
  int questions() const { return questions_; }

 private:
  void Serve() {
    for (;;) {
      pollfd waits[3] = {
          {stop_[0], POLLIN, 0}, {udp_.fd.get(), POLLIN, 0}, {tcp_.fd.get(), POLLIN, 0}};
      poll(waits, 3, -1);
      if (waits[0].revents != 0) return;
      if (waits[1].revents != 0) ServeDatagram();
      if (waits[2].revents != 0) ServeConnection();
    }
  }

  void ServeDatagram() {
    std::string question(4096, '\0');
    SocketAddress from;
    ssize_t got =
        recvfrom(udp_.fd.get(), question.data(), question.size(), 0, from.get(), &from.size);
    if (got < 0) return;
    question.resize(static_cast<std::size_t>(got));
    ++questions_;
    answer_(question, false, [&](const std::string& bytes) {
      sendto(udp_.fd.get(), bytes.data(), bytes.size(), 0, from.get(), from.size);
    });
  }

  void ServeConnection() {
    UniqueFd fd = AcceptOn(tcp_);
    std::string question(4096, '\0');
    ssize_t got = recv(fd.get(), question.data(), question.size(), 0);
    if (got < 2) return;
    ++questions_;
    answer_(question.substr(2, static_cast<std::size_t>(got) - 2), true,
            [&](const std::string& bytes) {
              std::string framed = {static_cast<char>(bytes.size() >> 8),
                                    static_cast<char>(bytes.size())};
              WriteAll(fd.get(), framed + bytes);
            });
  }

  Answer answer_;
  Listener udp_, tcp_;
  int stop_[2] = {-1, -1};
  std::atomic<int> questions_{0};
  std::thread thread_;
};

inline DnsRecord AddressRecord(const DnsName& owner, std::string_view address) {
  std::string raw = ParseAddress(address)->Raw();
  return {owner, raw.size() == 4 ? DnsType::kA : DnsType::kAaaa, 60, raw};
}

// The names and addresses of a resolver that replies correctly.
using Zone = std::map<std::string, std::vector<std::string>, std::less<>>;

inline std::string AnswerFromZone(const Zone& zone, const std::string& question) {
  auto query = ParseDnsQuery(question);
  if (!query) return WriteDnsFailure(question, DnsCode::kFormError);
  DnsReply reply;
  auto found = zone.find(query->question.text);
  if (found == zone.end()) reply.code = DnsCode::kNoName;
  if (found != zone.end())
    for (const std::string& address : found->second) {
      DnsRecord record = AddressRecord(query->question.name, address);
      if (record.type == query->question.type) reply.answers.push_back(std::move(record));
    }
  return WriteDnsReply(*query, reply, kDnsMessageMax);
}

inline FakeResolver::Answer ZoneResolver(Zone zone) {
  return
      [zone = std::move(zone)](const std::string& question, bool, const FakeResolver::Send& send) {
        send(AnswerFromZone(zone, question));
      };
}

inline BoxEgress EgressWithPolicy(Policy policy) {
  BoxEgress egress;
  egress.policy = std::move(policy);
  return egress;
}

class EgressTest : public NetworkTest {
 protected:
  void SetUp() override {
    NetworkTest::SetUp();
    auto scope = ScopedNetns::EnterNew();
    ASSERT_TRUE(scope.has_value());
    internet_ = std::make_unique<ScopedNetns>(*std::move(scope));
    auto made = MakeTestInternet();
    ASSERT_TRUE(made.has_value()) << made.error().message;
  }
  void TearDown() override {
    egress_.reset();
    resolver_.reset();
    NetworkTest::TearDown();
    internet_.reset();
  }

  void ServeNames(FakeResolver::Answer answer) {
    resolver_ = std::make_unique<FakeResolver>(std::move(answer));
  }

  void StartEgress(const Policy& policy, EgressOptions options = {}) {
    StartBox(EgressWithPolicy(policy), std::move(options));
  }

  void StartBox(BoxEgress egress, EgressOptions options = {}) {
    options.resolvers = {resolver_ ? resolver_->address() : "127.0.0.1:1"};
    auto started = Egress::Start(std::move(options));
    ASSERT_TRUE(started.has_value()) << started.error().message;
    egress_ = *std::move(started);
    auto opened = egress_->Open("box", netns(), std::move(egress));
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
  }

  // What a guest reads that connects there: the bytes up to the end, or "reset".
  std::string GuestReads(std::string_view address, std::uint16_t port) {
    std::string got;
    AsGuest(netns(), [&] {
      Dialled dialled = DialTcp(EndpointOf(address, port));
      got = dialled.error == 0            ? ReadToEnd(dialled.fd.get())
            : dialled.error == ECONNRESET ? "reset"
                                          : strerror(dialled.error);
    });
    return got;
  }

  // Sends bytes as a datagram to port 53 and returns the reply.
  std::string GuestAsksRaw(const std::string& question, std::string_view server = kNameserver) {
    std::string answer(65536, '\0');
    AsGuest(netns(), [&] {
      Dialled dialled = DialAs(EndpointOf(server, 53), SOCK_DGRAM);
      send(dialled.fd.get(), question.data(), question.size(), 0);
      ssize_t got = recv(dialled.fd.get(), answer.data(), answer.size(), 0);
      answer.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    });
    return answer;
  }

  DnsReply GuestAsks(std::string_view name,
                     DnsType type = DnsType::kA,
                     std::string_view server = kNameserver) {
    DnsQuestion question{*DnsNameFromText(name), type, std::string(name)};
    auto reply = ParseDnsReply(GuestAsksRaw(WriteDnsQuery(0x4242, question), server));
    EXPECT_TRUE(reply.has_value()) << (reply ? "" : reply.error().message);
    if (!reply) return {};
    EXPECT_EQ(reply->id, 0x4242);
    return *reply;
  }

  std::vector<std::string> GuestResolves(std::string_view name, DnsType type = DnsType::kA) {
    std::vector<std::string> addresses;
    for (const DnsRecord& record : GuestAsks(name, type).answers)
      if (record.type == DnsType::kA || record.type == DnsType::kAaaa)
        addresses.push_back(AddressFromRaw(record.data).Text());
    return addresses;
  }

  std::unique_ptr<ScopedNetns> internet_;
  std::unique_ptr<FakeResolver> resolver_;
  std::unique_ptr<Egress> egress_;
};

// A server that sends "hello" on every connection and closes it, until it is destroyed.
class GreetingServer {
 public:
  explicit GreetingServer(std::string_view address) : listener_(ListenOn(address)) {
    thread_ = std::thread([this] {
      while (UniqueFd fd = AcceptOn(listener_)) WriteAll(fd.get(), "hello");
    });
  }
  ~GreetingServer() {
    shutdown(listener_.fd.get(), SHUT_RDWR);
    thread_.join();
  }
  std::uint16_t port() const { return listener_.port; }

 private:
  Listener listener_;
  std::thread thread_;
};

}  // namespace viv::network
