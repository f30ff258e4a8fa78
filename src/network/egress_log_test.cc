// The records of a box's connections in the flow log.

#include "network/sniff_test_support.h"

namespace viv::network {
namespace {

class EgressLogTest : public SniffTest {
 protected:
  void SetUp() override {
    SniffTest::SetUp();
    auto opened = FlowLog::Open(directory_.path() + "/egress");
    ASSERT_TRUE(opened.has_value());
    log_ = *std::move(opened);
  }
  void TearDown() override {
    SniffTest::TearDown();
    log_.reset();
  }

  void StartLogged(Policy policy, std::shared_ptr<Interceptor> interceptor = nullptr) {
    BoxEgress egress = WithInterceptor(std::move(interceptor), std::move(policy));
    egress.box_id = "box-1";
    EgressOptions options;
    options.flow_log = log_.get();
    StartBox(std::move(egress), options);
  }

  // Waits for that many records and returns them without what differs from run to run.
  std::vector<std::string> Lines(std::size_t count) {
    std::vector<json::object> records;
    while ((records = log_->Read("box-1", 100)).size() < count) sched_yield();
    std::vector<std::string> lines;
    for (json::object& record : records) {
      EXPECT_FALSE(FindString(record, "at").empty());
      EXPECT_TRUE(record.contains("duration_us") || FindString(record, "protocol") == "dns");
      for (const char* name : {"at", "duration_us", "port"}) record.stable_erase(name);
      lines.push_back(WriteJson(record));
    }
    return lines;
  }

  std::unique_ptr<FlowLog> log_;
};

using LogLines = std::vector<std::string>;

TEST_F(EgressLogTest, TellsWhereConnectionsWentByWhichRuleAndHowMuch) {
  EchoServer server(kPublic);
  StartLogged({{"good.org", "*.fine.org"}, {"0.0.0.0/0"}, true});
  GuestResolves("good.org");
  GuestSends(kPublic, server.port(), "12345");
  GuestSends(kPublic, server.port(), ClientHelloFor("good.org"));
  std::string size = std::to_string(ClientHelloFor("good.org").size());
  EXPECT_EQ(Lines(2),
            (LogLines{R"({"name":"good.org","address":"93.184.216.34","protocol":"tcp",)"
                      R"("rule":"allow good.org","verdict":"allowed","bytes_out":5,"bytes_in":5})",
                      R"({"name":"good.org","address":"93.184.216.34","protocol":"tls",)"
                      R"("rule":"allow good.org","verdict":"allowed","bytes_out":)" +
                          size + R"(,"bytes_in":)" + size + "}"}));
}

TEST_F(EgressLogTest, TellsWhatWasRefusedAndWhy) {
  EchoServer server(kPublic);
  StartLogged({{"good.org"}, {"0.0.0.0/0"}, true});
  GuestReads(kOtherPublic, 443);
  GuestReads("10.1.2.3", 443);
  GuestResolves("bad.org");
  GuestResolves("good.org");
  GuestSends(kPublic, server.port(), RequestFor("bad.org"));
  EXPECT_EQ(
      Lines(4),
      (LogLines{
          R"({"address":"93.184.216.35","protocol":"tcp","rule":"deny 0.0.0.0/0",)"
          R"("verdict":"refused","reason":"the network policy of the box refuses it"})",
          R"({"address":"10.1.2.3","protocol":"tcp","rule":"private","verdict":"refused",)"
          R"("reason":"private addresses are closed to boxes"})",
          R"({"name":"bad.org","protocol":"dns","rule":"deny 0.0.0.0/0","verdict":"refused",)"
          R"("reason":"the network policy of the box refuses the name"})",
          R"({"name":"bad.org","address":"93.184.216.34","protocol":"http",)"
          R"("rule":"allow good.org","verdict":"refused","reason":)"
          R"("it asks for a host that was not resolved to the address it is connected to"})"}));
}

TEST_F(EgressLogTest, TellsWhatFailed) {
  StartLogged({});
  GuestReads(kPublic, 9);
  EXPECT_EQ(Lines(1), (LogLines{R"({"address":"93.184.216.34","protocol":"tcp","rule":"default",)"
                                R"("verdict":"failed","reason":)"
                                R"("connect to 93.184.216.34 port 9: Connection refused"})"}));
}

TEST_F(EgressLogTest, TellsWhichNamesWereAskedForInVain) {
  ServeNames(ZoneResolver({{"good.org", {std::string(kPublic)}}, {"inner.org", {"10.0.0.1"}}}));
  StartLogged({});
  GuestResolves("good.org");
  GuestResolves("nothing.org");
  GuestResolves("nothing.org", DnsType::kAaaa);  // the same name again, which is not logged twice
  GuestResolves("inner.org");
  EXPECT_EQ(
      Lines(2),
      (LogLines{R"({"name":"nothing.org","protocol":"dns","verdict":"failed",)"
                R"("reason":"the name does not exist"})",
                R"({"name":"inner.org","protocol":"dns","rule":"private","verdict":"refused",)"
                R"("reason":"the name leads only to addresses that are closed to boxes"})"}));
}

TEST_F(EgressLogTest, TellsThatTheResolverFailed) {
  resolver_.reset();  // nobody listens there
  StartLogged({});
  EXPECT_EQ(GuestAsks("good.org").code, DnsCode::kServerFailure);
  EXPECT_EQ(Lines(1), (LogLines{R"({"name":"good.org","protocol":"dns","verdict":"failed",)"
                                R"("reason":"the resolver cannot be reached"})"}));
}

TEST_F(EgressLogTest, TellsThatANewPolicyAbortedAConnection) {
  Listener listener = ListenOn(kPublic);
  StartLogged({});
  UniqueFd guest = GuestConnects(kPublic, listener.port);
  UniqueFd server = AcceptOn(listener);
  BoxEgress denied = EgressWithPolicy({{}, {}, false});
  denied.box_id = "box-1";
  ASSERT_TRUE(egress_->Set("box", denied));
  EXPECT_EQ(Lines(1), (LogLines{R"({"address":"93.184.216.34","protocol":"tcp","rule":"default",)"
                                R"("verdict":"allowed",)"
                                R"("reason":"cut when the rules of the box changed"})"}));
}

// Logs one record for each request in what was already read.
class LoggingInterceptor : public Interceptor {
 public:
  explicit LoggingInterceptor(int requests) : requests_(requests) {}
  bool InterceptsHost(std::string_view host) const override { return host == "api.org"; }
  Task<void> Serve(std::shared_ptr<Flow> flow, FirstBytes, std::string) override {
    for (int i = 0; i < requests_; ++i) {
      FlowRecord record = flow->Describe();
      record.protocol = "https";
      record.path = "/" + std::to_string(i);
      record.rule = "header rule x";
      flow->Log(record);
    }
    co_return;
  }
  void OnReplacedBy(Interceptor*) override {}

 private:
  const int requests_;
};

TEST_F(EgressLogTest, AnInterceptorLogsRequestsInsteadOfTheConnection) {
  StartLogged({}, std::make_shared<LoggingInterceptor>(2));
  GuestResolves("api.org");
  GuestSends(kOtherPublic, 443, ClientHelloFor("api.org"));
  const std::string known = R"({"name":"api.org","address":"93.184.216.35",)";
  EXPECT_EQ(Lines(2), (LogLines{known + R"("protocol":"https","path":"/0",)"
                                        R"("rule":"header rule x","verdict":"allowed"})",
                                known + R"("protocol":"https","path":"/1",)"
                                        R"("rule":"header rule x","verdict":"allowed"})"}));
  BoxEgress silent = WithInterceptor(std::make_shared<LoggingInterceptor>(0));
  silent.box_id = "box-1";
  ASSERT_TRUE(egress_->Set("box", silent));
  GuestSends(kOtherPublic, 443, ClientHelloFor("api.org"));
  EXPECT_EQ(Lines(3)[2], known + R"("protocol":"tls","rule":"default","verdict":"allowed"})");
}

TEST_F(EgressLogTest, ABoxThatIsNobodysYetHasNoLog) {
  EchoServer server(kPublic);
  EgressOptions options;
  options.flow_log = log_.get();
  StartBox(BoxEgress(), options);
  GuestSends(kPublic, server.port(), "before");
  egress_->Close("box");
  BoxEgress named;
  named.box_id = "box-1";
  ASSERT_TRUE(egress_->Open("box", netns(), named));
  GuestSends(kPublic, server.port(), "after");
  EXPECT_EQ(Lines(1).size(), 1U);
  EXPECT_EQ(Lines(1)[0].find("\"bytes_out\":6"), std::string::npos);
}

}  // namespace
}  // namespace viv::network
