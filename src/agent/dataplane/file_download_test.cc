#include "agent/dataplane/data_plane_test_support.h"

namespace viv::agent {
namespace {

class DataPlaneDownloadTest : public PlaneTest {};

TEST_F(DataPlaneDownloadTest, SendsAFileWithItsValidators) {
  PutOwn("a b.txt", "0123456789");
  http::Response response = Download("path=" + Home("a%20b.txt"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "0123456789");
  EXPECT_EQ(response.headers.Get("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(response.headers.Get("content-length"), "10");
  EXPECT_EQ(response.headers.Get("accept-ranges"), "bytes");
  EXPECT_TRUE(response.headers.Get("etag").starts_with('"'));
  EXPECT_TRUE(response.headers.Get("last-modified").ends_with("GMT"));
  EXPECT_FALSE(response.headers.Has("content-disposition"));
  EXPECT_EQ(Download("path=a+b.txt").body, "0123456789") << "below the home";
}

TEST_F(DataPlaneDownloadTest, FindsRelativePathsBelowTheFolderForWork) {
  std::filesystem::create_directories(Home("work"));
  Put("home/user/work/here", "found");
  context_.default_workdir = Home("work");
  EXPECT_EQ(Download("path=here").body, "found");
  EXPECT_EQ(Download("path=~/work/here").body, "found");
  EXPECT_EQ(Download("path=./here").body, "found");
}

TEST_F(DataPlaneDownloadTest, SendsRanges) {
  PutOwn("f", "0123456789");
  struct Case {
    const char* range;
    const char* content_range;
    const char* body;
  };
  for (const Case& wanted :
       {Case{"bytes=2-4", "bytes 2-4/10", "234"}, Case{"bytes=7-", "bytes 7-9/10", "789"},
        Case{"bytes=-3", "bytes 7-9/10", "789"}, Case{"bytes=8-500", "bytes 8-9/10", "89"},
        Case{"bytes=-500", "bytes 0-9/10", "0123456789"}, Case{"bytes=0-0", "bytes 0-0/10", "0"}}) {
    http::Response response = Download("path=f", {"Range", wanted.range});
    EXPECT_EQ(response.status, 206) << wanted.range;
    EXPECT_EQ(response.headers.Get("content-range"), wanted.content_range);
    EXPECT_EQ(response.body, wanted.body);
    EXPECT_EQ(response.headers.Get("content-length"), std::to_string(response.body.size()));
    EXPECT_TRUE(response.headers.Has("etag"));
  }
}

TEST_F(DataPlaneDownloadTest, RefusesRangesPastTheEnd) {
  PutOwn("f", "0123456789");
  for (const char* range : {"bytes=10-", "bytes=10-12", "bytes=4-2", "bytes=x-y", "lines=1-2"}) {
    http::Response response = Download("path=f", {"Range", range});
    EXPECT_EQ(ErrorOf(response), "416 ReadError") << range;
    EXPECT_EQ(response.headers.Get("content-range"), "bytes */10");
  }
}

TEST_F(DataPlaneDownloadTest, SendsTheWholeFileForSeveralRangesAndStaleOnes) {
  PutOwn("f", "0123456789");
  std::string tag(Download("path=f").headers.Get("etag"));
  std::string modified(Download("path=f").headers.Get("last-modified"));
  EXPECT_EQ(Download("path=f", {"Range", "bytes=0-1,4-5"}).status, 200);
  EXPECT_EQ(Download("path=f", {"Range", "bytes=2-4", "If-Range", tag}).status, 206);
  EXPECT_EQ(Download("path=f", {"Range", "bytes=2-4", "If-Range", modified}).status, 206);
  for (std::string stale : {std::string("\"other\""), "W/" + tag, std::string("yesterday")}) {
    http::Response response = Download("path=f", {"Range", "bytes=2-4", "If-Range", stale});
    EXPECT_EQ(response.status, 200) << stale;
    EXPECT_EQ(response.body, "0123456789");
  }
  PutOwn("f", "0123456780+");
  EXPECT_EQ(Download("path=f", {"Range", "bytes=2-4", "If-Range", tag}).status, 200);
}

TEST_F(DataPlaneDownloadTest, SaysWhenNothingHasChanged) {
  PutOwn("f", "0123456789");
  std::string tag(Download("path=f").headers.Get("etag"));
  for (std::string known : {tag, "\"x\", W/" + tag, std::string("*")}) {
    http::Response response = Download("path=f", {"Range", "bytes=0-", "If-None-Match", known});
    EXPECT_EQ(response.status, 304) << known;
    EXPECT_EQ(response.body, "");
    EXPECT_EQ(response.headers.Get("etag"), tag);
  }
  EXPECT_EQ(Download("path=f", {"If-None-Match", "\"x\""}).status, 200);
}

TEST_F(DataPlaneDownloadTest, AnswersHeadWithTheWholeLength) {
  PutOwn("large", std::string(700'000, 'x'));
  reads_streams_ = false;
  http::Response response = Download("path=large", {"Range", "bytes=0-1"}, "HEAD");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.Get("content-length"), "700000");
}

TEST_F(DataPlaneDownloadTest, StreamsLargeFilesAndRangesOfThem) {
  std::string content;
  for (std::size_t i = 0; content.size() < 3'000'000; ++i) content += std::to_string(i * 7919);
  PutOwn("large", content);
  http::Response whole = Download("path=large");
  EXPECT_TRUE(whole.stream);
  EXPECT_TRUE(whole.body == content);
  http::Response part = Download("path=large", {"Range", "bytes=1000000-2499999"});
  EXPECT_EQ(part.headers.Get("content-length"), "1500000");
  EXPECT_TRUE(part.body == content.substr(1'000'000, 1'500'000));
}

TEST_F(DataPlaneDownloadTest, SendsEmptyFilesWhateverTheRange) {
  PutOwn("empty", "");
  http::Response response = Download("path=empty", {"Range", "bytes=0-"});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "");
}

TEST_F(DataPlaneDownloadTest, IsShownAsALinkWants) {
  PutOwn("p.html", "<p>");
  http::Response response =
      Download("path=p.html&content_type=application%2Fpdf&content_disposition=attachment");
  EXPECT_EQ(response.headers.Get("content-type"), "application/pdf");
  EXPECT_EQ(response.headers.Get("content-disposition"), "attachment; filename=p.html");
  EXPECT_EQ(Download("path=p.html&content_disposition=inline").headers.Get("content-disposition"),
            "inline; filename=p.html");
  for (const char* bad : {"content_type=a%0D%0AX-Evil:%201", "content_type=%00",
                          "content_type=;;;=", "content_type=text", "content_disposition=form-data",
                          "content_disposition=inline%0D%0AA:b"}) {
    EXPECT_EQ(ErrorOf(Download(std::string("path=p.html&") + bad)), "400 InvalidRequest") << bad;
  }
}

TEST_F(DataPlaneDownloadTest, TellsWhyAFileCannotBeRead) {
  PutOwn("secret", "x", 0000);
  PutOwn("file", "x");
  std::filesystem::create_directories(Home("folder"));
  ASSERT_EQ(::mkfifo(Home("pipe").c_str(), 0666), 0);
  EXPECT_EQ(ErrorOf(Download("path=nope")), "404 FileNotFound");
  EXPECT_EQ(ErrorOf(Download("path=file/below")), "404 FileNotFound");
  EXPECT_EQ(ErrorOf(Download("path=secret")), "403 ReadError");
  EXPECT_EQ(ErrorOf(Download("path=folder")), "400 ReadError");
  EXPECT_EQ(ErrorOf(Download("path=pipe")), "400 ReadError");
  EXPECT_EQ(ErrorOf(Download("path=a%00b")), "400 ReadError");
  EXPECT_EQ(ErrorOf(Download("path=")), "400 InvalidRequest");
  EXPECT_EQ(ErrorOf(Download("")), "400 InvalidRequest");
  context_.default_user = "nobody-here";
  EXPECT_EQ(ErrorOf(Download("path=file")), "403 ReadError");
}

}  // namespace
}  // namespace viv::agent
