#include "mcp/box_endpoint.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "boxes/box_ids.h"
#include "boxes/fake_boxes.h"
#include "http/server_test_support.h"
#include "local/local_annotation.h"
#include "mcp/http_responses.h"

namespace viv::mcp {
namespace {

using ::testing::HasSubstr;

// Boxes whose agent is a server of the test.
class ServedBoxes : public boxes::FakeBoxes {
 public:
  std::uint16_t port = 0;
  Task<Result<UniqueFd>> DialAgent(std::string) override {
    if (dial_failure) co_return PassUp(*dial_failure);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    co_return socket;
  }
};

// An agent that says what the test wants; "!" cuts the response there.
struct FakeAgent {
  int status = 200;
  std::vector<std::string> pieces;
  std::string body;   // that it was sent
  std::string token;  // likewise

  Task<http::Response> Respond(http::Request& request) {
    body = request.body;
    token = request.headers.Get("x-access-token");
    http::Response response;
    response.status = status;
    response.stream = [this](http::BodyWriter& writer) -> Task<void> {
      for (const std::string& piece : pieces) {
        if (piece == "!") {
          writer.Abort();
          co_return;
        }
        Status written = co_await writer.Write(piece);
        if (!written) co_return;
      }
    };
    co_return response;
  }
};

class BoxEndpointTest : public ::testing::Test {
 protected:
  BoxEndpointTest() : server_([this](http::Request& r) { return agent_.Respond(r); }) {
    boxes_.port = server_->port();
    local::LocalAnnotation annotation;
    annotation.servers = {{"filesystem", "1"}, {"arxiv", "2"}};
    annotation.benchmark = "MCP_Mark";
    boxes::Box box;
    box.spec.annotations[local::kLocalAnnotation] = local::WriteLocalAnnotation(annotation);
    box_id_ = boxes_.Put(box);
    sandbox_id_ = boxes::UuidOfBox(box_id_);
  }

  std::shared_ptr<BoxEndpoint> Find(std::string_view id, std::string_view name) {
    return BoxEndpoint::Find(boxes_, servers_, id, name);
  }
  template <typename T>
  T Run(Task<T> task) {
    std::optional<T> result;
    asio::co_spawn(io_, std::move(task), [&](std::exception_ptr failure, T value) {
      EXPECT_FALSE(failure);
      result = std::move(value);
    });
    io_.restart();
    while (!result && io_.run_one() > 0) {  // a live response never lets it come to an end
    }
    return *std::move(result);
  }
  Reply Send(const std::string& text) {
    ReceivedMessage incoming{rpc::ReadJsonRpc(*ParseJson(text)), text};
    Caller caller{.version = "2025-11-25", .session = "s"};
    return Run(Find(sandbox_id_, "filesystem")->Handle(incoming, caller));
  }

  asio::io_context io_{1};
  FakeAgent agent_;
  ServedBoxes boxes_;
  local::LocalServers servers_;
  http::RunningServer server_;
  std::string box_id_, sandbox_id_;
};

constexpr char kTestCall[] =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"n":1.00}})";

TEST_F(BoxEndpointTest, IsFoundByItsSandboxAndName) {
  ASSERT_NE(Find(sandbox_id_, "filesystem"), nullptr);
  EXPECT_EQ(Find(sandbox_id_, "filesystem")->query(), "local_sandbox_id=" + sandbox_id_);
  EXPECT_EQ(Find(sandbox_id_, "git"), nullptr);  // it was not acquired
  EXPECT_EQ(Find(sandbox_id_, "nothing"), nullptr);
  EXPECT_EQ(Find("", "filesystem"), nullptr);
  EXPECT_EQ(Find(box_id_, "filesystem"), nullptr);
  EXPECT_EQ(Find("00000000-0000-4000-8000-000000000000", "filesystem"), nullptr);
  std::string plain = boxes_.Put(boxes::Box());
  EXPECT_EQ(Find(boxes::UuidOfBox(plain), "filesystem"), nullptr);  // no local sandbox
}

TEST_F(BoxEndpointTest, OneThatIsNotOnOfferSaysSo) {
  std::shared_ptr<BoxEndpoint> endpoint = Find(sandbox_id_, "arxiv");
  ASSERT_NE(endpoint, nullptr);
  for (const char* method : {"initialize", "tools/list", "ping"}) {
    std::string text = std::string(R"({"jsonrpc":"2.0","id":7,"method":")") + method + "\"}";
    ReceivedMessage incoming{rpc::ReadJsonRpc(*ParseJson(text)), text};
    Reply answer = Run(endpoint->Handle(incoming, {.version = "2025-11-25"}));
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(answer.body, HasSubstr(R"("id":7)"));
    EXPECT_THAT(answer.body, HasSubstr("'arxiv' is not offered here yet"));
  }
  EXPECT_EQ(agent_.body, "");  // the box heard nothing of it
}

TEST_F(BoxEndpointTest, SendsTheMessageAsItIsWrittenWithItsDefinition) {
  agent_.pieces = {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":", "1.00}}\n"};
  Reply answer = Send(kTestCall);
  EXPECT_EQ(answer.body, R"({"jsonrpc":"2.0","id":1,"result":{"x":1.00}})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(agent_.token, "agent-" + box_id_);
  EXPECT_THAT(agent_.body, HasSubstr(R"("message":)" + std::string(kTestCall) + "}"));
  json::value frame = *ParseJson(agent_.body);
  EXPECT_EQ(
      WriteJson(frame.at("server").at("command")),
      R"(["/opt/vivarium/viv-tools","filesystem","--workspace","/data","--profile","MCP_Mark"])");
  EXPECT_EQ(FindString(frame, "caller"), "s");
  EXPECT_EQ(FindString(frame, "version"), "2025-11-25");
}

TEST_F(BoxEndpointTest, NotificationsComeOneByOneBeforeTheResponse) {
  agent_.pieces = {"{\"method\":\"a\"}\n{\"meth", "od\":\"b\"}\n", "{\"id\":1,\"result\":{}}\n"};
  Reply answer = Send(kTestCall);
  ASSERT_EQ(answer.messages, std::vector<std::string>{R"({"method":"a"})"});
  ASSERT_NE(answer.stream, nullptr);
  ReplyStream::Line second = Run(NextLine(1, answer.stream));
  EXPECT_EQ(second.message, R"({"method":"b"})");
  EXPECT_FALSE(second.last);
  EXPECT_EQ(Run(AwaitResponse(1, answer.stream)), R"({"id":1,"result":{}})");
}

TEST_F(BoxEndpointTest, AStreamThatEndsWithoutAResponseWasCancelled) {
  agent_.pieces = {"{\"method\":\"a\"}\n"};
  Reply answer = Send(kTestCall);
  ASSERT_NE(answer.stream, nullptr);
  EXPECT_EQ(Run(AwaitResponse(1, answer.stream)), "");
}

TEST_F(BoxEndpointTest, ACancelledRequestHasNoResponse) {
  agent_.status = 202;
  EXPECT_TRUE(Send(kTestCall).cancelled);
}

TEST_F(BoxEndpointTest, WhatGoesWrongIsAnErrorOfTheRequest) {
  agent_.pieces = {"{\"id\":1,\"res", "!"};
  EXPECT_THAT(Send(kTestCall).body, HasSubstr("while the call was under way"));
  agent_.status = 500;
  EXPECT_EQ(Send(kTestCall).status, 502);
  agent_.status = 413;
  EXPECT_EQ(Send(kTestCall).status, 413);
  boxes_.dial_failure = Error{ErrorCode::kConflict, "paused"};
  EXPECT_EQ(Send(kTestCall).status, 409);
  boxes_.dial_failure = Error{ErrorCode::kUnavailable, "nobody listens"};
  EXPECT_EQ(Send(kTestCall).status, 503);
  boxes_.dial_failure = Error{ErrorCode::kNotFound, "gone"};
  Reply gone = Send(kTestCall);
  EXPECT_EQ(gone.status, 404);
  EXPECT_THAT(gone.body, HasSubstr("This sandbox does not exist or has been released"));
  EXPECT_THAT(gone.body, HasSubstr(R"("id":1)"));
}

// Lines without an agent.
class ScriptedAnswer : public ReplyStream {
 public:
  explicit ScriptedAnswer(std::vector<Line> lines) : lines_(std::move(lines)) {}
  Task<Result<Line>> Next() override {
    if (at_ == lines_.size()) co_return Fail(ErrorCode::kUnavailable, "it broke off");
    co_return lines_[at_++];
  }

 private:
  std::vector<Line> lines_;
  std::size_t at_ = 0;
};

TEST_F(BoxEndpointTest, TheResponseAloneForThoseWhoWantNoEvents) {
  using Line = ReplyStream::Line;
  auto stream = std::make_shared<ScriptedAnswer>(std::vector<Line>{{"n", false}, {"r", true}});
  EXPECT_EQ(Run(AwaitResponse(1, stream)), "r");
  auto broken = std::make_shared<ScriptedAnswer>(std::vector<Line>{{"n", false}});
  EXPECT_THAT(Run(AwaitResponse("x", broken)), HasSubstr("it broke off"));
  auto cancelled = std::make_shared<ScriptedAnswer>(std::vector<Line>{{"", true}});
  EXPECT_EQ(Run(AwaitResponse(1, cancelled)), "");
}

}  // namespace
}  // namespace viv::mcp
