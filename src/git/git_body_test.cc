#include "git/git_body.h"

#include <zlib.h>

#include "git/git_test_support.h"

namespace viv::git {
namespace {

std::string Gzipped(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(::deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(::deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(packed.size() - stream.avail_out);
  ::deflateEnd(&stream);
  return packed;
}

// All of it, or why not; no piece is larger than promised.
Task<Result<std::string>> ReadAllOf(GitBody& body) {
  std::string all;
  for (;;) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await body.Next());
    EXPECT_LE(piece.size(), 256U * 1024);
    if (piece.empty()) co_return all;
    all += piece;
  }
}

struct BodyCase {
  std::deque<std::string> pieces;
  std::string encoding;
  std::uint64_t bytes_max = 1 << 30;
  bool broken = false;
};

Result<std::string> ReadGitBody(BodyCase given) {
  PieceReader reader;
  reader.pieces = std::move(given.pieces);
  reader.broken = given.broken;
  http::Request request;
  request.body_stream = &reader;
  if (!given.encoding.empty()) request.headers.Add("Content-Encoding", given.encoding);
  ASSIGN_OR_RETURN(GitBody body, GitBody::Open(request, given.bytes_max));
  return RunGitTask(ReadAllOf(body));
}

TEST(GitBodyTest, PassesAPlainBodyOn) {
  EXPECT_EQ(*ReadGitBody({.pieces = {"one ", "two"}, .encoding = ""}), "one two");
  EXPECT_EQ(*ReadGitBody({.pieces = {}, .encoding = ""}), "");
}

TEST(GitBodyTest, ReadsABodyThatCameWithItsRequest) {
  http::Request request;
  request.body = Gzipped("whole");
  request.headers.Add("Content-Encoding", "gzip");
  auto body = GitBody::Open(request, 100);
  ASSERT_TRUE(body);
  EXPECT_EQ(*RunGitTask(ReadAllOf(*body)), "whole");
}

TEST(GitBodyTest, UnpacksGzipHoweverItIsCut) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i);
  std::string packed = Gzipped(text);
  EXPECT_EQ(*ReadGitBody({.pieces = {packed}, .encoding = "gzip"}), text);
  std::deque<std::string> bytes;
  for (char c : Gzipped("a small one")) bytes.emplace_back(1, c);
  EXPECT_EQ(*ReadGitBody({.pieces = bytes, .encoding = "x-gzip"}), "a small one");
}

TEST(GitBodyTest, ABombIsStoppedAtTheLimit) {
  std::string bomb = Gzipped(std::string(64 << 20, '\0'));
  EXPECT_LT(bomb.size(), 1U << 20);
  auto read = ReadGitBody({.pieces = {bomb}, .encoding = "gzip", .bytes_max = 1 << 20});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kLimitExceeded);
}

TEST(GitBodyTest, RefusesMoreThanTheLimitAsSent) {
  EXPECT_TRUE(ReadGitBody({.pieces = {"12345", "67890"}, .encoding = "", .bytes_max = 10}));
  auto read = ReadGitBody({.pieces = {"12345", "678901"}, .encoding = "", .bytes_max = 10});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kLimitExceeded);
}

TEST(GitBodyTest, RefusesBrokenPacking) {
  std::string packed = Gzipped("some text that is packed");
  std::string damaged = packed;
  damaged[packed.size() - 6] ^= 1;
  for (const std::string& body : {packed.substr(0, packed.size() - 1), packed + "x", damaged,
                                  std::string("no gzip"), std::string()}) {
    std::deque<std::string> pieces;
    if (!body.empty()) pieces.push_back(body);
    auto read = ReadGitBody({.pieces = pieces, .encoding = "gzip"});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(GitBodyTest, RefusesOtherEncodings) {
  auto read = ReadGitBody({.pieces = {"x"}, .encoding = "br"});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
}

TEST(GitBodyTest, TellsThatTheClientWentAway) {
  auto read = ReadGitBody({.pieces = {"half"}, .encoding = "", .broken = true});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace viv::git
