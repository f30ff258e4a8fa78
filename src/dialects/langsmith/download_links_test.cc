#include "dialects/langsmith/download_links.h"

#include "base/timestamp.h"
#include "dialects/langsmith/service_test_support.h"

namespace viv::langsmith {
namespace {

using boxes::BoxState;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;

class DownloadLinksTest : public ServiceTest {
 protected:
  DownloadLinksTest() : id_(PutNamed("one")) {}

  ParsedResponse Make(std::string body) { return Call("POST", "/boxes/one/download-url", body); }
  std::string LinkOf(std::string body) { return std::string(Make(body).Text("download_url")); }

  const std::string id_;
};

TEST_F(DownloadLinksTest, ALinkIsPinnedToItsFile) {
  ParsedResponse made = Make(
      R"({"path":"/tmp/a b&c.pdf","content_type":"application/pdf; x=\"y\"","content_disposition":"inline"})");
  ASSERT_EQ(made.status, 200);
  EXPECT_TRUE(made.body.at("expires_at").is_null());
  std::string url(made.Text("download_url"));
  EXPECT_THAT(url, StartsWith("http://box.test:8080/_dl/a%20b%26c.pdf?token="));
  EXPECT_EQ(url.substr(url.find("token=") + 6), made.Text("token"));
  ParsedResponse got = Follow("GET", url);
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.text, "from the box");
  EXPECT_THAT(boxes_.dialled, ElementsAre(Pair(id_, 0)));
  EXPECT_EQ(relayed_.at(0).target,
            "/dataplane/download?path=%2Ftmp%2Fa%20b%26c.pdf"
            "&content_type=application%2Fpdf%3B%20x%3D%22y%22&content_disposition=inline");
  EXPECT_EQ(relayed_.at(0).headers.Get("x-access-token"), boxes_.AgentToken(id_));
}

TEST_F(DownloadLinksTest, NothingOfTheRequestMovesIt) {
  std::string url = LinkOf(R"({"path":"/tmp/a"})");
  Follow("GET", url + "&path=/etc/shadow&content_type=text/html",
         {{"Range", "bytes=1-2"}, {"If-Range", "\"e\""}, {"X-Access-Token", "forged"}});
  EXPECT_EQ(relayed_.at(0).target, "/dataplane/download?path=%2Ftmp%2Fa");
  EXPECT_EQ(relayed_.at(0).headers.Get("range"), "bytes=1-2");
  EXPECT_EQ(relayed_.at(0).headers.Get("if-range"), "\"e\"");
  EXPECT_EQ(relayed_.at(0).headers.Get("x-access-token"), boxes_.AgentToken(id_));
  EXPECT_THAT(relayed_.at(0).options.dropped, Contains("Cookie"));
}

TEST_F(DownloadLinksTest, HeadPassesAndNothingElseDoes) {
  std::string url = LinkOf(R"({"path":"/tmp/a"})");
  EXPECT_EQ(Follow("HEAD", url).status, 200);
  EXPECT_EQ(relayed_.at(0).method, "HEAD");
  EXPECT_EQ(Follow("POST", url).status, 405);
  EXPECT_EQ(Follow("DELETE", url).status, 405);
}

TEST_F(DownloadLinksTest, AnOldLinkHasExpired) {
  ParsedResponse made = Make(R"({"path":"/tmp/a","expires_in_seconds":60})");
  std::string url(made.Text("download_url"));
  auto ends = ParseTime(made.Text("expires_at"));
  ASSERT_TRUE(ends);
  boxes_.now_us = *ends - 1'000'000;
  EXPECT_EQ(Follow("GET", url).status, 200);
  boxes_.now_us = *ends;
  ParsedResponse old = Follow("GET", url);
  EXPECT_EQ(old.status, 410);
  EXPECT_EQ(old.message(), "Download link has expired");
  ParsedResponse page = Follow("GET", url, {{"User-Agent", "Mozilla/5.0"}});
  EXPECT_THAT(page.text, HasSubstr("<h1>Download link has expired</h1>"));
  EXPECT_EQ(boxes_.dialled.size(), 1u);
}

TEST_F(DownloadLinksTest, AChangedLinkIsRefused) {
  std::string url = LinkOf(R"({"path":"/tmp/a"})");
  for (std::string bad :
       {url + "x", url.substr(0, url.size() - 1), url.substr(0, url.find('?')),
        std::string("http://x/_dl/a?token="), std::string("http://x/_dl/a?token=%zz"),
        "http://x/_dl/a?token=" + TokenFor(80)}) {
    ParsedResponse response = Follow("GET", bad);
    EXPECT_EQ(response.status, 403) << bad;
    EXPECT_EQ(response.type(), "Forbidden");
  }
  EXPECT_THAT(boxes_.dialled, IsEmpty());
}

TEST_F(DownloadLinksTest, WithoutItsBoxThereIsNoFile) {
  std::string url = LinkOf(R"({"path":"/tmp/a"})");
  boxes_.boxes.erase(id_);
  PutNamed("one");
  EXPECT_EQ(Follow("GET", url).status, 404);
  EXPECT_THAT(boxes_.dialled, IsEmpty());
}

TEST_F(DownloadLinksTest, ASleepingBoxIsWoken) {
  std::string url = LinkOf(R"({"path":"/tmp/a"})");
  boxes_.Edit(id_, [](boxes::Box& box) {
    box.state = BoxState::kStopped;
    box.spec.wake = boxes::WakeOnTraffic::kAlways;
  });
  EXPECT_EQ(Follow("GET", url).status, 200);
  EXPECT_THAT(boxes_.dialled, ElementsAre(Pair(id_, 0)));
}

TEST_F(DownloadLinksTest, AFileRunsNoScriptsOnOurOrigin) {
  relay_response_.headers.Add("Set-Cookie", "a=b");
  relay_response_.headers.Add("Content-Security-Policy", "script-src *");
  ParsedResponse got =
      Follow("GET", LinkOf(R"({"path":"/tmp/a.html","content_type":"text/html"})"));
  EXPECT_THAT(std::string(got.headers.Get("content-security-policy")),
              StartsWith("default-src 'none'"));
  EXPECT_EQ(got.headers.Get("x-content-type-options"), "nosniff");
  EXPECT_FALSE(got.headers.Has("set-cookie"));
}

TEST_F(DownloadLinksTest, RefusesWhatIsWrongWithItsPlace) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"{}", "path"},
      {R"({"path":""})", "path"},
      {R"({"path":7})", "path"},
      {R"({"path":"/a\u0000b"})", "path"},
      {R"({"path":")" + std::string(5000, 'a') + "\"}", "path"},
      {R"({"path":"/a","content_type":"a/b\r\nX: y"})", "content_type"},
      {R"({"path":"/a","content_type":"text"})", "content_type"},
      {R"({"path":"/a","content_type":""})", "content_type"},
      {R"({"path":"/a","content_type":"text/\u00e9"})", "content_type"},
      {R"({"path":"/a","content_disposition":"form-data"})", "content_disposition"},
      {R"({"path":"/a","expires_in_seconds":0})", "expires_in_seconds"},
      {R"({"path":"/a","expires_in_seconds":-5})", "expires_in_seconds"},
      {R"({"path":"/a","expires_in_seconds":9223372036854775807})", "expires_in_seconds"}};
  for (const auto& [body, field] : bad) {
    ParsedResponse response = Make(body);
    EXPECT_EQ(response.status, 422) << body;
    EXPECT_EQ(response.field(), field) << body;
  }
  EXPECT_EQ(Call("POST", "/boxes/none/download-url", R"({"path":"/a"})").status, 404);
  EXPECT_EQ(
      Call("POST", "/boxes/one/download-url", R"({"path":"/a"})", {{"X-Api-Key", "other"}}).status,
      404);
}

TEST_F(DownloadLinksTest, APathThatIsNoNameGetsOne) {
  EXPECT_THAT(LinkOf(R"({"path":"/a/.."})"), HasSubstr("/_dl/file?"));
  EXPECT_THAT(LinkOf(R"({"path":"/a/"})"), HasSubstr("/_dl/file?"));
  EXPECT_THAT(LinkOf(R"({"path":"a"})"), HasSubstr("/_dl/a?"));
}

}  // namespace
}  // namespace viv::langsmith
