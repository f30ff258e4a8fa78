#include "blobs/blob_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <optional>

#include "base/ids.h"
#include "base/json.h"
#include "http/client.h"
#include "http/server_test_support.h"

namespace viv::blobs {
namespace {

using ::testing::HasSubstr;

// The routes behind a real server, as clients meet them.
class BlobRoutesTest : public ::testing::Test {
 protected:
  using Fields = std::vector<std::pair<std::string, std::string>>;

  BlobRoutesTest() {
    store_ = *BlobStore::Open(folder_);
    blobs_.emplace(
        *store_, pool_, [](std::string_view text) { return Sha256Hex("k" + std::string(text)); },
        [this] { return now_ms_; });
    blobs_->OnUploaded(checked_.leaf, [this](BlobName) { return CheckUpload(); });
    blobs_->AddTo(router_);
    http::ServerOptions options;
    options.streams_body = IsStreamedToBlobs;
    server_ = std::make_unique<http::RunningServer>(http::Dispatch(router_, http::RenderForTest),
                                                    std::move(options));
  }
  ~BlobRoutesTest() override {
    server_.reset();
    std::filesystem::remove_all(folder_);
  }
  static std::string MakeFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "viv-blobs-XXXXXX").string();
    EXPECT_NE(::mkdtemp(path.data()), nullptr);
    return path;
  }
  Task<Status> CheckUpload() {
    if (refusal_) co_return PassUp(*refusal_);
    co_return Status();
  }

  http::ClientResponse Ask(std::string method,
                           const std::string& url,
                           std::string body = "",
                           Fields headers = {}) {
    http::ClientRequest request;
    request.method = std::move(method);
    request.url = url;
    request.body = std::move(body);
    for (auto& [name, value] : headers) request.headers.Add(name, value);
    auto answer = http::FetchBlocking(std::move(request));
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? *std::move(answer) : http::ClientResponse();
  }
  std::string PutUrl(const BlobName& name) { return *blobs_->UploadUrl(server_->Url(""), name); }
  std::string GetUrl(const BlobName& name) { return blobs_->DownloadUrl(server_->Url(""), name); }

  const std::string folder_ = MakeFolder();
  std::int64_t now_ms_ = 1'700'000'000'000;
  std::optional<Error> refusal_;
  BlockingPool pool_{2};
  std::unique_ptr<BlobStore> store_;
  std::optional<Blobs> blobs_;
  http::Router router_;
  const BlobName name_ = NameOf("ibox", BlobName::Kind::kUpload, "workspace");
  const BlobName checked_ = NameOf("ibox", BlobName::Kind::kUpload, "checked");
  std::unique_ptr<http::RunningServer> server_;
};

TEST_F(BlobRoutesTest, GivesBackWhatWasPut) {
  std::string bytes(3'000'000, 'x');
  bytes[1'500'000] = 'y';
  EXPECT_EQ(Ask("PUT", PutUrl(name_), bytes).status, 200);
  auto answer = Ask("GET", GetUrl(name_));
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.body == bytes);
  EXPECT_EQ(answer.headers.Get("content-length"), "3000000");
  auto again =
      Ask("GET", GetUrl(name_), "", {{"If-None-Match", std::string(answer.headers.Get("etag"))}});
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(Ask("PUT", PutUrl(name_), "shorter").status, 200);
  EXPECT_EQ(Ask("GET", GetUrl(name_)).body, "shorter");
}

TEST_F(BlobRoutesTest, GivesParts) {
  Ask("PUT", PutUrl(name_), "0123456789");
  auto part = Ask("GET", GetUrl(name_), "", {{"Range", "bytes=2-4"}});
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, "234");
  EXPECT_EQ(part.headers.Get("content-range"), "bytes 2-4/10");
  EXPECT_EQ(Ask("GET", GetUrl(name_), "", {{"Range", "bytes=10-"}}).status, 416);
  EXPECT_EQ(Ask("GET", GetUrl(name_), "", {{"Range", "bytes=2-4"}, {"If-Range", "\"old\""}}).body,
            "0123456789");
  auto head = Ask("HEAD", GetUrl(name_));
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.Get("content-length"), "10");
}

TEST_F(BlobRoutesTest, TakesPiecesAndSaysWhatHasArrived) {
  const std::string url = PutUrl(name_);
  auto first = Ask("PUT", url, "01234", {{"Content-Range", "bytes 0-4/10"}});
  EXPECT_EQ(first.status, 308);
  EXPECT_EQ(first.headers.Get("range"), "bytes=0-4");
  EXPECT_EQ(Ask("GET", GetUrl(name_)).status, 404);
  auto asked = Ask("PUT", url, "", {{"Content-Range", "bytes */10"}});
  EXPECT_EQ(asked.status, 308);
  EXPECT_EQ(asked.headers.Get("range"), "bytes=0-4");
  auto gap = Ask("PUT", url, "9", {{"Content-Range", "bytes 9-9/10"}});
  EXPECT_EQ(gap.status, 308);
  EXPECT_EQ(gap.headers.Get("range"), "bytes=0-4");
  // Some of it is known already.
  EXPECT_EQ(Ask("PUT", url, "3456789", {{"Content-Range", "bytes 3-9/10"}}).status, 200);
  EXPECT_EQ(Ask("GET", GetUrl(name_)).body, "0123456789");
  EXPECT_EQ(Ask("PUT", url, "", {{"Content-Range", "bytes */10"}}).status, 200);
  EXPECT_EQ(Ask("PUT", url, "x", {{"Content-Range", "nonsense"}}).status, 400);
  EXPECT_EQ(Ask("PUT", url, "x", {{"Content-Range", "bytes 0-0/99999999999999"}}).status, 413);
}

TEST_F(BlobRoutesTest, RefusesWhatIsNotSigned) {
  const std::string put = PutUrl(name_);
  for (const std::string& url :
       {put + "0", put.substr(0, put.find('?')), server_->Url("/blobs/x"), GetUrl(name_)}) {
    auto answer = Ask("PUT", url, "x");
    EXPECT_EQ(answer.status, 403) << url;
    EXPECT_THAT(answer.body, HasSubstr(R"("code":"access_denied")"));
  }
  EXPECT_EQ(Ask("GET", put).status, 403);
  EXPECT_EQ(Ask("GET", GetUrl(name_)).status, 404);
  now_ms_ += 31 * 60'000;
  auto late = Ask("PUT", put, "x");
  EXPECT_EQ(late.status, 403);
  EXPECT_THAT(late.body, HasSubstr("expired"));
}

TEST_F(BlobRoutesTest, KnowsNothingOfAnOwnerThatIsGone) {
  const std::string put = PutUrl(name_);
  store_->RemoveOwner("ibox");
  EXPECT_EQ(Ask("PUT", put, "x").status, 404);
}

TEST_F(BlobRoutesTest, AnswersWithWhatBecomesOfTheUpload) {
  EXPECT_EQ(Ask("PUT", PutUrl(checked_), "good").status, 200);
  refusal_ = Error{ErrorCode::kInvalidArgument, "line 3 is no JSON"};
  auto refused = Ask("PUT", PutUrl(checked_), "bad");
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.body, HasSubstr("line 3 is no JSON"));
  EXPECT_EQ(Ask("GET", GetUrl(checked_)).status, 404);
}

TEST_F(BlobRoutesTest, ForgetsAnUploadThatBreaksOff) {
  const std::string url = PutUrl(name_);
  {
    http::RawClient client((*server_)->port());
    client.Send("PUT " + url.substr(url.find("/blobs/")) +
                " HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nonly this");
  }
  server_->StopAndJoin();  // the handler has ended
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_))
    if (entry.is_regular_file()) ++files;
  EXPECT_EQ(files, 0U);
}

}  // namespace
}  // namespace viv::blobs
