#include <sys/stat.h>

#include "agent/files/access.h"
#include "agent/files/files_test_support.h"
#include "agent/files/gzip.h"

namespace viv::agent {
namespace {

class DownloadTest : public FilesTest {
 protected:
  static std::string Unpacked(const std::string& bytes) {
    GzipReader reader(1 << 30);
    reader.Feed(bytes);
    std::string out;
    for (;;) {
      Result<std::string> piece = reader.Next();
      EXPECT_TRUE(piece);
      if (!piece || piece->empty()) break;
      out += *piece;
    }
    EXPECT_TRUE(reader.complete());
    return out;
  }
  static std::string Varied(std::size_t size) {
    std::string bytes;
    for (std::size_t i = 0; bytes.size() < size; ++i) bytes += std::to_string(i * 7919);
    bytes.resize(size);
    return bytes;
  }
};

TEST_F(DownloadTest, SendsAFile) {
  PutOwn("a b.txt", "hello");
  http::Response response = Get("path=a+b.txt");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "hello");
  EXPECT_FALSE(response.stream);
  EXPECT_EQ(response.headers.Get("content-disposition"), "inline; filename=\"a b.txt\"");
  EXPECT_EQ(response.headers.Get("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(response.headers.Get("vary"), "Accept-Encoding");
  EXPECT_EQ(Get("path=" + Home("a%20b.txt") + "&username=root").body, "hello");
  EXPECT_EQ(Get("path=~/a%20b.txt").body, "hello");
}

TEST_F(DownloadTest, SendsAnEmptyFile) {
  PutOwn("empty", "");
  http::Response response = Get("path=empty", {"Accept-Encoding", "gzip", "Range", "bytes=0-"});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "");
  EXPECT_FALSE(response.stream);
}

TEST_F(DownloadTest, StreamsALargeFileInPieces) {
  std::string content = Varied(3'000'000);
  PutOwn("large", content);
  http::Response response = Get("path=large");
  EXPECT_TRUE(response.stream);
  EXPECT_TRUE(response.body == content);
  EXPECT_LE(*std::max_element(body_.pieces.begin(), body_.pieces.end()), 256U * 1024);
  EXPECT_FALSE(body_.aborted);
}

TEST_F(DownloadTest, BreaksOffWhenTheFileIsCutMeanwhile) {
  PutOwn("large", Varied(3'000'000));
  reads_streams_ = false;
  http::Response response = Get("path=large");
  ASSERT_EQ(::truncate(Home("large").c_str(), 100'000), 0);
  ReadStream(response);
  EXPECT_TRUE(body_.aborted);
}

TEST_F(DownloadTest, SendsGzipToWhoeverTakesIt) {
  std::string content = Varied(1'000'000);
  PutOwn("large", content);
  PutOwn("small", content.substr(0, 5000));
  for (const char* name : {"large", "small"}) {
    http::Response response =
        Get(std::string("path=") + name, {"Accept-Encoding", "gzip, deflate"});
    EXPECT_EQ(response.headers.Get("content-encoding"), "gzip");
    EXPECT_TRUE(Unpacked(response.body) == Content(Home(name)));
    EXPECT_LT(response.body.size(), Content(Home(name)).size());
  }
  PutOwn("tiny", "x");
  EXPECT_EQ(Get("path=tiny", {"Accept-Encoding", "gzip"}).body, "x");
  http::Response forced = Get("path=tiny", {"Accept-Encoding", "gzip, identity;q=0"});
  EXPECT_EQ(Unpacked(forced.body), "x");
}

TEST_F(DownloadTest, RefusesWhoeverTakesNothing) {
  PutOwn("a", "x");
  http::Response response = Get("path=a", {"Accept-Encoding", "br, identity;q=0"});
  EXPECT_EQ(response.status, 406);
  EXPECT_EQ(
      response.body,
      R"({"code":406,"message":"no acceptable encoding found, supported: [identity, gzip]"})");
}

TEST_F(DownloadTest, SendsRanges) {
  std::string content = Varied(2'000'000);
  PutOwn("large", content);
  http::Response response = Get("path=large", {"Range", "bytes=10-14", "Accept-Encoding", "gzip"});
  EXPECT_EQ(response.status, 206);
  EXPECT_EQ(response.body, content.substr(10, 5));
  EXPECT_EQ(response.headers.Get("content-range"), "bytes 10-14/2000000");
  EXPECT_FALSE(response.headers.Has("content-encoding"));
  EXPECT_TRUE(Get("path=large", {"Range", "bytes=500000-"}).body == content.substr(500'000));

  response = Get("path=large", {"Range", "bytes=2000000-"});
  EXPECT_EQ(response.status, 416);
  EXPECT_EQ(response.headers.Get("content-range"), "bytes */2000000");
}

TEST_F(DownloadTest, SendsARangeOnlyOfTheFileTheClientKnows) {
  PutOwn("a", "hello");
  std::string modified(Get("path=a").headers.Get("last-modified"));
  EXPECT_EQ(Get("path=a", {"Range", "bytes=0-1", "If-Range", modified}).body, "he");
  EXPECT_EQ(Get("path=a", {"Range", "bytes=0-1", "If-Range", "another"}).body, "hello");
}

TEST_F(DownloadTest, TellsWhatIsWrongWithAPath) {
  EXPECT_EQ(Get("path=missing").body,
            "{\"code\":404,\"message\":\"path '" + Home("missing") + "' does not exist\"}");
  http::Response response = Get("");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.body, "{\"code\":400,\"message\":\"path '" + Home() + "' is a directory\"}");
  EXPECT_EQ(Get("path=a%00b").status, 400);
  EXPECT_EQ(Get("path=" + std::string(5000, 'a')).status, 400);
  EXPECT_EQ(Get("path=%FF%FE").status, 404);
  response = Get("path=a&username=nobody");
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(
      response.body,
      R"({"code":401,"message":"error looking up user 'nobody': user: unknown user nobody"})");
}

TEST_F(DownloadTest, ReadsWhateverThereIsForWhomeverAsks) {
  PutOwn("mine", "x", 0600);
  ASSERT_EQ(::chown(Home("mine").c_str(), 0, 0), 0);
  EXPECT_EQ(Get("path=mine").body, "x");
  EXPECT_EQ(Get("path=" + Home("mine") + "&username=root").body, "x");
}

TEST_F(DownloadTest, NeverWaitsForPipesOrDevices) {
  ASSERT_EQ(::mkfifo(Home("pipe").c_str(), 0666), 0);
  EXPECT_EQ(Get("path=pipe").status, 400);
  EXPECT_EQ(Get("path=/dev/zero").status, 400);
  ASSERT_EQ(::symlink("pipe", Home("link").c_str()), 0);
  EXPECT_EQ(Get("path=link").status, 400);
}

TEST_F(DownloadTest, ReadsFilesThatDoNotTellTheirSize) {
  http::Response response = Get("path=/proc/self/status");
  EXPECT_EQ(response.status, 200);
  EXPECT_NE(response.body.find("Uid:"), std::string::npos);
}

TEST_F(DownloadTest, AsksForTheTokenOrASignature) {
  PutOwn("a", "x");
  context_.access_token = "secret";
  EXPECT_EQ(Get("path=a").body, R"({"code":401,"message":"missing signature query parameter"})");
  EXPECT_EQ(Get("path=a", {"X-Access-Token", "secret"}).body, "x");
  EXPECT_EQ(Get("path=a", {"X-Access-Token", "other"}).status, 401);
}

TEST_F(DownloadTest, NotesReadsInTheLog) {
  PutOwn("a", "hello");
  Get("path=a");
  Get("path=missing");
  std::string log = context_.logs.Render();
  EXPECT_NE(log.find("File read"), std::string::npos);
  EXPECT_NE(log.find("\"bytes\":5"), std::string::npos);
  EXPECT_NE(log.find("\"error_code\":404"), std::string::npos);
}

}  // namespace
}  // namespace viv::agent
