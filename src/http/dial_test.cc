#include "http/dial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "http/client_tls.h"
#include "http/server_test_support.h"

namespace viv::http {
namespace {

using asio::ip::make_address;
using asio::ip::tcp;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Task<Response> DialEcho(Request& request) {
  co_return Text(200, request.target);
}

Status RefuseLoopback(const std::string& address, std::uint16_t) {
  if (address != "127.0.0.1") return {};
  return Fail(ErrorCode::kPermissionDenied, address + " is closed");
}

std::vector<tcp::endpoint> EndpointsAt(const std::vector<std::string>& addresses) {
  std::vector<tcp::endpoint> endpoints;
  for (const std::string& address : addresses) endpoints.emplace_back(make_address(address), 80);
  return endpoints;
}

TEST(DialTest, ANameWithOneForbiddenAddressIsRefusedWhicheverComesFirst) {
  EXPECT_TRUE(CheckAddresses("h", EndpointsAt({"192.0.2.1", "2001:db8::1"}), RefuseLoopback));
  for (const auto& order : {std::vector<std::string>{"192.0.2.1", "127.0.0.1"},
                            std::vector<std::string>{"127.0.0.1", "192.0.2.1"},
                            std::vector<std::string>{"127.0.0.1"}}) {
    const Status checked = CheckAddresses("mixed.example", EndpointsAt(order), RefuseLoopback);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, ErrorCode::kPermissionDenied);
    EXPECT_EQ(checked.error().message, "mixed.example: 127.0.0.1 is closed");
  }
}

TEST(DialTest, EveryAddressAndThePortAreShownToTheCheck) {
  std::vector<std::string> seen;
  const AddressCheck note = [&seen](const std::string& address, std::uint16_t port) {
    seen.push_back(address + " " + std::to_string(port));
    return Status();
  };
  EXPECT_TRUE(CheckAddresses("h", EndpointsAt({"192.0.2.1", "2001:db8::1"}), note));
  EXPECT_THAT(seen, ElementsAre("192.0.2.1 80", "2001:db8::1 80"));
  EXPECT_TRUE(CheckAddresses("h", EndpointsAt({"127.0.0.1"}), nullptr));
}

TEST(DialTest, AFetchOfAForbiddenAddressReachesNobody) {
  int asked = 0;
  RunningServer server([&asked](Request& request) {
    ++asked;
    return DialEcho(request);
  });
  ClientRequest request;
  request.url = server.Url("/");
  request.check_address = RefuseLoopback;
  const auto response = FetchBlocking(std::move(request));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(asked, 0);
}

TEST(DialTest, NobodyIsDialledForOneWhoLeft) {
  RunningServer server(DialEcho);
  ClientRequest request;
  request.url = server.Url("/");
  request.is_abandoned = [] { return true; };
  bool was_checked = false;
  request.check_address = [&was_checked](const std::string&, std::uint16_t) {
    was_checked = true;
    return Status();
  };
  EXPECT_FALSE(FetchBlocking(std::move(request)));
  EXPECT_FALSE(was_checked);
}

// Stands in for TLS: notes the host, and goes on in the clear or fails.
class NotingTls final : public ClientTls {
 public:
  explicit NotingTls(bool succeeds) : succeeds_(succeeds) {}
  Task<Result<std::unique_ptr<Transport>>> Secure(StreamSocket socket, std::string host) override {
    hosts.push_back(std::move(host));
    if (!succeeds_) co_return Fail(ErrorCode::kPermissionDenied, "the certificate is bad");
    co_return MakePlainTransport(std::move(socket));
  }
  std::vector<std::string> hosts;

 private:
  const bool succeeds_;
};

TEST(DialTest, HttpsGoesThroughTheGivenTls) {
  RunningServer server(DialEcho);
  NotingTls tls(true);
  ClientRequest request;
  request.url = "https" + server.Url("/a?b").substr(4);
  request.tls = &tls;
  const auto response = FetchBlocking(std::move(request));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "/a?b");
  EXPECT_THAT(tls.hosts, ElementsAre("127.0.0.1"));
}

TEST(DialTest, ACertificateThatIsRefusedEndsTheFetch) {
  RunningServer server(DialEcho);
  NotingTls tls(false);
  ClientRequest request;
  request.url = "https" + server.Url("/").substr(4);
  request.tls = &tls;
  const auto response = FetchBlocking(std::move(request));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(response.error().message, HasSubstr("TLS with 127.0.0.1:"));
}

TEST(DialTest, TheTotalTimeEndsAFetchThatHangs) {
  // A listener whose connections nobody accepts: the request is taken, and never answered.
  asio::io_context io;
  tcp::acceptor silent(io, tcp::endpoint(make_address("127.0.0.1"), 0));
  ClientRequest request;
  request.url = "http://127.0.0.1:" + std::to_string(silent.local_endpoint().port()) + "/";
  request.total_timeout = std::chrono::milliseconds(30);
  const auto response = FetchBlocking(std::move(request));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(response.error().message, HasSubstr("did not answer in time"));
}

TEST(DialTest, AnAnswerWithinTheTotalTimeIsGiven) {
  RunningServer server(DialEcho);
  ClientRequest request;
  request.url = server.Url("/in-time");
  request.total_timeout = std::chrono::minutes(5);
  const auto response = FetchBlocking(std::move(request));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "/in-time");
}

}  // namespace
}  // namespace viv::http
