#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <deque>
#include <filesystem>

#include "base/ids.h"
#include "base/run_to_end.h"
#include "boxes/fake_boxes.h"
#include "dialects/klavis/errors.h"
#include "dialects/klavis/local_context.h"

namespace viv::klavis {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// Boxes whose agents answer what the test wrote down, one answer to each call.
class AnsweringBoxes : public boxes::FakeBoxes {
 public:
  std::deque<std::string> answers;

  Task<Result<UniqueFd>> DialAgent(std::string) override {
    if (answers.empty()) co_return Fail(ErrorCode::kUnavailable, "nobody listens");
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const std::string answer = std::move(answers.front());
    answers.pop_front();
    EXPECT_EQ(::write(ends[1], answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
    ::shutdown(ends[1], SHUT_WR);
    peers_.emplace_back(ends[1]);
    co_return UniqueFd(ends[0]);
  }
  void ParsedResponse(int status, std::string_view body) {
    answers.push_back("HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " +
                      std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
  }

 private:
  std::vector<UniqueFd> peers_;
};

class LocalTest : public ::testing::Test {
 protected:
  struct ParsedResponse {
    int status = 0;
    json::value body;
    std::string text;
  };

  LocalTest() {
    store_ = *blobs::BlobStore::Open(folder_);
    blobs_.emplace(*store_, pool_,
                   [](std::string_view text) { return Sha256Hex(std::string(text) + "k"); });
    context_.emplace(LocalContext{local_, *blobs_, pool_});
    router_.Mount("", LocalRoutes(*context_, Lookup));
    blobs_->AddTo(router_);
  }
  ~LocalTest() override { std::filesystem::remove_all(folder_); }

  static std::string MakeFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "viv-local-XXXXXX").string();
    EXPECT_NE(::mkdtemp(path.data()), nullptr);
    return path;
  }
  static std::optional<http::Identity> Lookup(std::string_view key) {
    if (key == "mine" || key == "other") return http::Identity{std::string(key), "k"};
    return std::nullopt;
  }
  ParsedResponse Call(std::string method,
                      std::string target,
                      std::string body = "",
                      std::string key = "mine") {
    http::Request request;
    request.method = std::move(method);
    request.target = target;
    const std::size_t mark = target.find('?');
    request.path = target.substr(0, mark);
    if (mark != std::string::npos) request.query = target.substr(mark + 1);
    request.body = std::move(body);
    request.headers.Add("Host", "viv.test");
    if (!key.empty()) request.headers.Add("Authorization", "Bearer " + key);
    http::Handler handler =
        http::Dispatch(router_, [](int status, std::string message, const http::Request&) {
          return Detail(status, std::move(message));
        });
    http::Response response = RunToEnd(handler(request));
    ParsedResponse answer{response.status, nullptr, response.body};
    if (auto parsed = ParseJson(response.body)) answer.body = std::move(*parsed);
    return answer;
  }
  std::string Acquire(std::string body = R"({"server_names":["filesystem","localmemory"]})") {
    ParsedResponse answer = Call("POST", "/local-sandbox", std::move(body));
    EXPECT_EQ(answer.status, 201) << answer.text;
    return "/local-sandbox/" + std::string(FindString(answer.body, "local_sandbox_id"));
  }
  // Of a signed URL what follows the host.
  static std::string TargetIn(const ParsedResponse& answer, std::string_view member) {
    const std::string url(FindString(answer.body, member));
    return url.substr(std::min(url.find("/blobs/"), url.size()));
  }

  const std::string folder_ = MakeFolder();
  BlockingPool pool_{2};
  AnsweringBoxes boxes_;
  local::LocalServers servers_;
  local::LocalSandboxes local_{
      boxes_, servers_, [](std::string_view) { return std::vector<storage::OverlayMount>(); }};
  std::unique_ptr<blobs::BlobStore> store_;
  std::optional<blobs::Blobs> blobs_;
  std::optional<LocalContext> context_;
  http::Router router_;
};

TEST_F(LocalTest, AcquiresWhatIsAskedFor) {
  ParsedResponse answer =
      Call("POST", "/local-sandbox",
           R"({"server_names":["git","filesystem","git"],"benchmark":"Toolathlon",
                           "test_account_email":"a@b.c","ttl_seconds":null,"unknown":1})");
  ASSERT_EQ(answer.status, 201) << answer.text;
  EXPECT_EQ(FindString(answer.body, "status"), "occupied");
  EXPECT_EQ(FindString(answer.body, "benchmark"), "Toolathlon");
  const json::array& servers = Find(answer.body, "servers")->as_array();
  ASSERT_EQ(servers.size(), 2U);
  EXPECT_EQ(FindString(servers[0], "server_name"), "git");
  EXPECT_THAT(
      std::string(FindString(servers[0], "mcp_server_url")),
      MatchesRegex("http://viv.test/git/mcp/\\?local_sandbox_id=[0-9a-f]{8}-[0-9a-f-]{27}"));
  EXPECT_TRUE(IsUuid(FindString(servers[0], "id")));
  EXPECT_NE(Find(servers[0], "auth_data"), nullptr);
  EXPECT_NE(Find(servers[0], "tags"), nullptr);
  EXPECT_EQ(boxes_.boxes.begin()->second->spec.timeout_seconds, 0);
  ParsedResponse all = Call("POST", "/local-sandbox", R"({"server_names":"ALL"})");
  EXPECT_EQ(Find(all.body, "servers")->as_array().size(), servers_.List().size());
  EXPECT_EQ(Find(all.body, "benchmark")->is_null(), true);
}

TEST_F(LocalTest, WhatIsNotOfferedDoesNotRefuseTheRest) {
  ParsedResponse answer =
      Call("POST", "/local-sandbox",
           R"({"server_names":["arxiv","git","word"],"test_account_email":"a@b.c"})");
  ASSERT_EQ(answer.status, 201) << answer.text;
  EXPECT_EQ(FindString(answer.body, "status"), "occupied");
  const std::string path =
      "/local-sandbox/" + std::string(FindString(answer.body, "local_sandbox_id"));
  for (const json::value& shown : {answer.body, Call("GET", path).body}) {
    const json::array& servers = Find(shown, "servers")->as_array();
    ASSERT_EQ(servers.size(), 3U);
    EXPECT_EQ(FindString(servers[0], "server_name"), "arxiv");
    EXPECT_EQ(FindString(servers[0], "status"), "error");
    EXPECT_THAT(std::string(FindString(servers[0].at("metadata"), "error")),
                HasSubstr("'arxiv' is not offered"));
    EXPECT_EQ(FindString(servers[0].at("metadata"), "test_account_email"), "a@b.c");
    EXPECT_THAT(std::string(FindString(servers[0], "mcp_server_url")), HasSubstr("/arxiv/mcp/"));
    EXPECT_EQ(FindString(servers[1], "status"), "occupied");
    EXPECT_EQ(Find(servers[1].at("metadata"), "error"), nullptr);
    EXPECT_EQ(FindString(servers[2], "status"), "error");
  }
}

TEST_F(LocalTest, RefusesWhatCannotBeAcquired) {
  for (const auto& [body, why] : std::vector<std::pair<std::string, std::string>>{
           {"", "Field required"},
           {"{", "JSON decode error"},
           {"[]", "valid dictionary"},
           {"{}", "Field required"},
           {R"({"server_names":"filesystem"})", "valid list or 'ALL'"},
           {R"({"server_names":[]})", "between 1 and 1000 items"},
           {R"({"server_names":["nope"]})", "Input should be 'code-executor'"},
           {R"({"server_names":[7]})", "Input should be"},
           {R"({"server_names":["git","word","nope"]})", "Input should be 'code-executor'"},
           {R"({"server_names":["playwright","word"]})", "none of these local servers is offered"},
           {R"({"server_names":["git"],"benchmark":"x"})", "MCP_Atlas"},
           {R"({"server_names":["git"],"ttl_seconds":59})", "greater than or equal to 60"},
           {R"({"server_names":["git"],"ttl_seconds":86401})", "less than or equal"},
           {R"({"server_names":["git"],"test_account_email":5})", "valid string"}}) {
    ParsedResponse answer = Call("POST", "/local-sandbox", body);
    EXPECT_EQ(answer.status, 422) << body;
    EXPECT_THAT(answer.text, HasSubstr(why)) << body;
  }
  EXPECT_TRUE(boxes_.boxes.empty());
}

TEST_F(LocalTest, ShowsItToItsOwnerUntilItIsReleased) {
  const std::string path = Acquire();
  ParsedResponse shown = Call("GET", path);
  EXPECT_EQ(shown.status, 200);
  EXPECT_NE(FindString(shown.body, "created_at"), "");
  EXPECT_EQ(Find(Call("GET", "/local-sandbox").body, "total_count")->as_int64(), 1);
  EXPECT_EQ(Find(Call("GET", "/local-sandbox", "", "other").body, "total_count")->as_int64(), 0);
  for (const char* operation : {"", "/dump"})
    EXPECT_EQ(Call("GET", path + operation, "", "other").status, 404) << operation;
  for (const char* operation : {"/reset", "/initialize", "/upload-url", "/memory-upload-url"})
    EXPECT_EQ(Call("POST", path + operation, "", "other").status, 404) << operation;
  EXPECT_EQ(Call("DELETE", path, "", "other").status, 404);
  EXPECT_EQ(Call("GET", path, "", "").status, 401);
  ParsedResponse released = Call("DELETE", path + "?is_ttl=false");
  EXPECT_EQ(released.status, 200);
  EXPECT_THAT(std::string(FindString(released.body, "message")), HasSubstr("released"));
  EXPECT_EQ(Call("GET", path).status, 404);
  EXPECT_EQ(Call("DELETE", path).status, 404);
}

TEST_F(LocalTest, UploadsAndInitializes) {
  const std::string path = Acquire();
  EXPECT_EQ(Call("POST", path + "/initialize").status, 400);
  ParsedResponse url = Call("POST", path + "/upload-url?region=asia");
  ASSERT_EQ(url.status, 200) << url.text;
  EXPECT_EQ(Find(url.body, "expires_in_minutes")->as_int64(), 30);
  const std::string target = TargetIn(url, "upload_url");
  EXPECT_EQ(Call("PUT", target + "0", "bytes", "").status, 403);
  EXPECT_EQ(Call("PUT", target, "bytes", "").status, 200);
  boxes_.ParsedResponse(422, R"({"code":422,"message":"the archive is damaged: it is cut off\n"})");
  ParsedResponse refused = Call("POST", path + "/initialize");
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.text, HasSubstr("as it was: the archive is damaged: it is cut off"));
  boxes_.ParsedResponse(200, R"({"files":12,"bytes":100})");
  ParsedResponse done = Call("POST", path + "/initialize");
  EXPECT_EQ(done.status, 200) << done.text;
  EXPECT_EQ(FindString(done.body, "message"), "Extracted archive to workspace: 12 files");
  EXPECT_EQ(FindString(done.body, "status"), "occupied");
  EXPECT_EQ(Call("POST", path + "/initialize").status, 503);  // the box does not answer
  EXPECT_EQ(Call("POST", path + "/upload-url?region=mars").status, 422);
  EXPECT_EQ(Call("DELETE", path).status, 200);
  EXPECT_EQ(Call("PUT", target, "bytes", "").status, 404);  // the blobs went with it
}

TEST_F(LocalTest, DumpsToAUrl) {
  const std::string path = Acquire();
  boxes_.ParsedResponse(200, "packed bytes");
  ParsedResponse dump = Call("GET", path + "/dump");
  ASSERT_EQ(dump.status, 200) << dump.text;
  EXPECT_EQ(Call("GET", TargetIn(dump, "download_url"), "", "").status, 200);
  boxes_.answers.push_back("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\npac\r\n");
  EXPECT_EQ(Call("GET", path + "/dump").status, 503);  // half of one is none
}

TEST_F(LocalTest, ResetsIt) {
  const std::string path = Acquire();
  ParsedResponse reset = Call("POST", path + "/reset");
  EXPECT_EQ(reset.status, 200) << reset.text;
  EXPECT_TRUE(reset.body.is_object());
}

TEST_F(LocalTest, PutsAMemoryInItsPlaceWithTheUploadAlone) {
  const std::string path = Acquire();
  ParsedResponse url = Call("POST", "/sandbox/local_memory/" + path.substr(15) + "/upload-url");
  ASSERT_EQ(url.status, 200) << url.text;
  const std::string target = TargetIn(url, "upload_url");
  ParsedResponse refused = Call("PUT", target, "no json", "");
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.text, HasSubstr("line 1 is no JSON"));
  boxes_.ParsedResponse(200, "");
  EXPECT_EQ(
      Call("PUT", target, R"({"type":"entity","name":"a","entityType":"t","observations":[]})", "")
          .status,
      200);
  const std::string without = Acquire(R"({"server_names":["git"]})");
  EXPECT_EQ(Call("POST", without + "/memory-upload-url").status, 400);
}

TEST_F(LocalTest, RunsWhatWasUploadedUnderAName) {
  const std::string path = Acquire();
  const std::string name = R"({"execution_name":"one"})";
  EXPECT_EQ(Call("POST", path + "/execute", name).status, 404);
  EXPECT_EQ(Call("GET", path + "/execution-status?execution_name=one").status, 404);
  ParsedResponse url = Call("POST", path + "/execution-upload-url", name);
  ASSERT_EQ(url.status, 200) << url.text;
  EXPECT_EQ(Call("POST", path + "/execute", name).status, 400);
  EXPECT_EQ(Call("PUT", TargetIn(url, "upload_url"), "archive", "").status, 200);
  boxes_.ParsedResponse(200, "pending\n");
  boxes_.ParsedResponse(200, "");
  boxes_.ParsedResponse(200, R"({"files":1,"bytes":1})");
  boxes_.ParsedResponse(200, ": x\n\n");
  ParsedResponse started = Call("POST", path + "/execute", name);
  EXPECT_EQ(started.status, 200) << started.text;
  EXPECT_EQ(FindString(started.body, "execution_name"), "one");
  boxes_.ParsedResponse(200, "running\nhello");
  ParsedResponse logs = Call("GET", path + "/execution-logs?execution_name=one&cursor=3");
  EXPECT_EQ(FindString(logs.body, "logs"), "hello");
  EXPECT_EQ(Find(logs.body, "cursor")->as_int64(), 8);
  boxes_.ParsedResponse(200, "running\n");
  EXPECT_EQ(Call("POST", path + "/execute", name).status, 409);
  boxes_.ParsedResponse(422, R"({"code":422,"message":"there is no folder /executions/one"})");
  EXPECT_EQ(Call("POST", path + "/export-artifacts", name).status, 404);
}

TEST_F(LocalTest, RefusesNamesThatAreNoNames) {
  const std::string path = Acquire();
  for (const char* body : {"", "{}", R"({"execution_name":"../x"})", R"({"execution_name":""})",
                           R"({"execution_name":7})", R"({"execution_name":"a b"})"}) {
    EXPECT_EQ(Call("POST", path + "/execution-upload-url", body).status, 422) << body;
    EXPECT_EQ(Call("POST", path + "/execute", body).status, 422) << body;
  }
  EXPECT_EQ(Call("GET", path + "/execution-status").status, 422);
  EXPECT_EQ(Call("GET", path + "/execution-logs?execution_name=a&cursor=-1").status, 422);
}

}  // namespace
}  // namespace viv::klavis
