#include "agent/dataplane/yamux_session.h"

#include <gtest/gtest.h>

#include <exception>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

namespace viv::agent {
namespace {

struct SeenFrame {
  YamuxHeader header;
  std::string data;
};

class YamuxSessionTest : public ::testing::Test {
 protected:
  static std::string Frame(YamuxType type,
                           std::uint16_t flags,
                           std::uint32_t stream,
                           std::string_view data = {}) {
    YamuxHeader header{type, flags, stream, static_cast<std::uint32_t>(data.size())};
    return EncodeYamux(header) + std::string(data);
  }
  static std::string Open(std::uint32_t stream) {
    return Frame(YamuxType::kWindowUpdate, kYamuxSyn, stream);
  }
  static std::string GrowSendWindow(std::uint32_t stream, std::uint32_t count) {
    return EncodeYamux({YamuxType::kWindowUpdate, 0, stream, count});
  }

  // What the session sends until it has nothing more.
  std::vector<SeenFrame> Output() {
    YamuxParser parser;
    std::vector<SeenFrame> frames;
    for (std::string bytes = session_.TakeOutput(); !bytes.empty(); bytes = session_.TakeOutput()) {
      EXPECT_LE(bytes.size(), 32U * 1024);
      parser.Feed(bytes);
      for (auto step = parser.Next(); step != YamuxParser::Step::kMore; step = parser.Next()) {
        if (step == YamuxParser::Step::kFrame) frames.push_back({parser.header(), ""});
        if (step == YamuxParser::Step::kData) frames.back().data += parser.data();
      }
      io_.restart();
      io_.poll();
    }
    return frames;
  }
  // The only frame; what it is about is compared in full.
  void ExpectOutput(YamuxType type,
                    std::uint16_t flags,
                    std::uint32_t stream,
                    std::uint32_t length) {
    std::vector<SeenFrame> frames = Output();
    ASSERT_EQ(frames.size(), 1U);
    EXPECT_EQ(frames[0].header.type, type);
    EXPECT_EQ(frames[0].header.flags, flags);
    EXPECT_EQ(frames[0].header.stream, stream);
    EXPECT_EQ(frames[0].header.length, length);
  }
  std::shared_ptr<YamuxStream> OpenOne(std::uint32_t id = 1) {
    EXPECT_TRUE(session_.Receive(Open(id)));
    Output();
    return opened_.empty() ? nullptr : opened_.back();
  }

  void Start(Task<void> task) {
    asio::co_spawn(io_, std::move(task), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
    io_.restart();
    io_.poll();
  }
  // What a read gives now; "waits" when it gives nothing yet.
  std::string ReadNow(std::shared_ptr<YamuxStream> stream) {
    auto result = std::make_shared<std::string>("waits");
    Start(ReadInto(std::move(stream), result));
    return *result;
  }
  static Task<void> ReadInto(std::shared_ptr<YamuxStream> stream,
                             std::shared_ptr<std::string> into) {
    Result<std::string> bytes = co_await stream->Read();
    *into = bytes ? *bytes : "error";
  }
  static Task<void> WriteAll(std::shared_ptr<YamuxStream> stream,
                             std::string bytes,
                             std::shared_ptr<std::string> result) {
    Status written = co_await stream->Write(std::move(bytes));
    *result = written ? "written" : "error";
  }
  std::shared_ptr<std::string> WriteNow(std::shared_ptr<YamuxStream> stream, std::size_t count) {
    auto result = std::make_shared<std::string>("waits");
    Start(WriteAll(std::move(stream), std::string(count, 'x'), result));
    return result;
  }
  static std::size_t DataBytes(const std::vector<SeenFrame>& frames) {
    std::size_t bytes = 0;
    for (const SeenFrame& frame : frames) bytes += frame.data.size();
    return bytes;
  }
  void ExpectBroken(const std::string& bytes) {
    EXPECT_FALSE(session_.Receive(bytes));
    EXPECT_TRUE(session_.ended());
    EXPECT_FALSE(session_.error().empty());
    std::vector<SeenFrame> frames = Output();
    ASSERT_FALSE(frames.empty());
    EXPECT_EQ(frames.back().header.type, YamuxType::kGoAway);
    EXPECT_EQ(frames.back().header.length, kYamuxProtocolError);
  }

  std::vector<std::shared_ptr<YamuxStream>> opened_;
  YamuxSession session_{
      [this](std::shared_ptr<YamuxStream> stream) { opened_.push_back(std::move(stream)); }};
  asio::io_context io_;
};

TEST_F(YamuxSessionTest, OpensStreamsAndAcknowledgesThem) {
  ASSERT_TRUE(session_.Receive(Open(1)));
  ExpectOutput(YamuxType::kWindowUpdate, kYamuxAck, 1, 0);
  ASSERT_TRUE(session_.Receive(Frame(YamuxType::kData, kYamuxSyn, 3, "abc")));
  ASSERT_EQ(opened_.size(), 2U);
  EXPECT_EQ(ReadNow(opened_[1]), "abc");
  EXPECT_EQ(session_.streams(), 2U);
}

TEST_F(YamuxSessionTest, AnswersPings) {
  ASSERT_TRUE(session_.Receive(EncodeYamux({YamuxType::kPing, kYamuxSyn, 0, 77})));
  ExpectOutput(YamuxType::kPing, kYamuxAck, 0, 77);
  ASSERT_TRUE(session_.Receive(EncodeYamux({YamuxType::kPing, kYamuxAck, 0, 77})));
  EXPECT_TRUE(Output().empty());
  session_.Ping();
  ExpectOutput(YamuxType::kPing, kYamuxSyn, 0, 1);
}

TEST_F(YamuxSessionTest, GivesRoomBackOnceHalfOfItIsUsed) {
  auto stream = OpenOne();
  std::string half(kYamuxWindowBytes / 2, 'a');
  ASSERT_TRUE(session_.Receive(Frame(YamuxType::kData, 0, 1, half)));
  EXPECT_EQ(ReadNow(stream).size(), half.size());
  stream->Consumed(half.size() - 1);
  EXPECT_TRUE(Output().empty());
  stream->Consumed(1);
  ExpectOutput(YamuxType::kWindowUpdate, 0, 1, kYamuxWindowBytes / 2);
  ASSERT_TRUE(session_.Receive(Frame(YamuxType::kData, 0, 1, half + half)));
}

TEST_F(YamuxSessionTest, EndsWhenAWindowIsOverrun) {
  OpenOne();
  ASSERT_TRUE(session_.Receive(Frame(YamuxType::kData, 0, 1, std::string(kYamuxWindowBytes, 'a'))));
  ExpectBroken(Frame(YamuxType::kData, 0, 1, "b"));
}

TEST_F(YamuxSessionTest, EndsAtTheHeaderOfAFrameThatIsTooLarge) {
  OpenOne();
  ExpectBroken(EncodeYamux({YamuxType::kData, 0, 1, kYamuxWindowBytes + 1}));
}

TEST_F(YamuxSessionTest, EndsForWhatTheProtocolForbids) {
  OpenOne();
  ExpectBroken(Open(1));
}

TEST_F(YamuxSessionTest, EndsForStreamsThatAreNotTheClients) {
  ExpectBroken(Open(2));
}

TEST_F(YamuxSessionTest, EndsForStreamZero) {
  ExpectBroken(Open(0));
}

TEST_F(YamuxSessionTest, EndsForAWindowWithoutBounds) {
  OpenOne();
  EXPECT_TRUE(session_.Receive(GrowSendWindow(1, UINT32_MAX - kYamuxWindowBytes)));
  ExpectBroken(GrowSendWindow(1, 1));
}

TEST_F(YamuxSessionTest, EndsForOtherProtocols) {
  ExpectBroken("GET / HTTP/1.1\r\n\r\n");
  EXPECT_FALSE(session_.Receive(Open(1))) << "nothing counts after that";
}

TEST_F(YamuxSessionTest, WritesNoMoreThanThePeerHasRoomFor) {
  auto stream = OpenOne();
  auto result = WriteNow(stream, kYamuxWindowBytes + 100);
  EXPECT_EQ(DataBytes(Output()), kYamuxWindowBytes);
  EXPECT_EQ(*result, "waits");
  ASSERT_TRUE(session_.Receive(GrowSendWindow(1, 60)));
  io_.restart();
  io_.poll();
  EXPECT_EQ(DataBytes(Output()), 60U);
  EXPECT_EQ(*result, "waits");
  ASSERT_TRUE(session_.Receive(GrowSendWindow(1, 1000)));
  io_.restart();
  io_.poll();
  EXPECT_EQ(DataBytes(Output()), 40U);
  EXPECT_EQ(*result, "written");
}

TEST_F(YamuxSessionTest, WritersWaitWhileNothingIsSent) {
  std::vector<std::shared_ptr<std::string>> results;
  for (std::uint32_t id = 1; id <= 9; id += 2) {
    results.push_back(WriteNow(OpenOne(id), 0));
  }
  results.clear();
  for (auto& stream : opened_) results.push_back(WriteNow(stream, 250'000));
  EXPECT_TRUE(session_.is_full());
  EXPECT_EQ(*results.back(), "waits");
  EXPECT_EQ(DataBytes(Output()), 5U * 250'000);
  EXPECT_EQ(*results.back(), "written");
}

TEST_F(YamuxSessionTest, EachWayEndsByItself) {
  auto stream = OpenOne();
  ASSERT_TRUE(session_.Receive(Frame(YamuxType::kData, kYamuxFin, 1, "last")));
  EXPECT_EQ(ReadNow(stream), "last");
  EXPECT_EQ(ReadNow(stream), "");
  EXPECT_EQ(*WriteNow(stream, 10), "written");
  EXPECT_EQ(DataBytes(Output()), 10U);
  stream->Finish();
  ExpectOutput(YamuxType::kWindowUpdate, kYamuxFin, 1, 0);
  EXPECT_EQ(session_.streams(), 0U);
  EXPECT_EQ(*WriteNow(stream, 1), "error");
  EXPECT_FALSE(stream->reset());
}

TEST_F(YamuxSessionTest, ReadsOnAfterItsOwnEnd) {
  auto stream = OpenOne();
  stream->Finish();
  ASSERT_TRUE(session_.Receive(Frame(YamuxType::kData, 0, 1, "more")));
  EXPECT_EQ(ReadNow(stream), "more");
  ASSERT_TRUE(session_.Receive(Frame(YamuxType::kData, 0, 1, "rest")));
  ASSERT_TRUE(session_.Receive(Frame(YamuxType::kWindowUpdate, kYamuxFin, 1)));
  EXPECT_EQ(session_.streams(), 0U);
  EXPECT_EQ(ReadNow(stream), "rest");
  EXPECT_EQ(ReadNow(stream), "");
}

TEST_F(YamuxSessionTest, AResetEndsBothWays) {
  auto stream = OpenOne();
  int resets = 0;
  stream->OnReset([&] { ++resets; });
  auto waiting = std::make_shared<std::string>("waits");
  Start(ReadInto(stream, waiting));
  ASSERT_TRUE(session_.Receive(Frame(YamuxType::kWindowUpdate, kYamuxRst, 1)));
  io_.restart();
  io_.poll();
  EXPECT_EQ(*waiting, "error");
  EXPECT_EQ(*WriteNow(stream, 1), "error");
  EXPECT_EQ(resets, 1);
  EXPECT_EQ(session_.streams(), 0U);
  EXPECT_TRUE(Output().empty());
}

TEST_F(YamuxSessionTest, TellsThePeerOfItsOwnResets) {
  auto stream = OpenOne();
  stream->Reset();
  ExpectOutput(YamuxType::kWindowUpdate, kYamuxRst, 1, 0);
  stream->Reset();
  EXPECT_TRUE(Output().empty());
}

TEST_F(YamuxSessionTest, PassesOverWhatComesForStreamsThatAreOver) {
  OpenOne()->Reset();
  Output();
  EXPECT_TRUE(session_.Receive(Frame(YamuxType::kData, 0, 1, std::string(100'000, 'x'))));
  EXPECT_TRUE(session_.Receive(GrowSendWindow(1, 5)));
  EXPECT_TRUE(session_.Receive(Frame(YamuxType::kData, kYamuxFin, 99, "x")));
  EXPECT_TRUE(Output().empty());
  EXPECT_EQ(ReadNow(OpenOne(3)), "waits") << "the next frame is found";
}

TEST_F(YamuxSessionTest, ResetsMoreStreamsThanItServes) {
  for (std::uint32_t i = 0; i < YamuxSession::kStreamsMax; ++i) {
    ASSERT_TRUE(session_.Receive(Open(2 * i + 1)));
  }
  Output();
  ASSERT_TRUE(session_.Receive(Open(9999)));
  ExpectOutput(YamuxType::kWindowUpdate, kYamuxRst, 9999, 0);
  EXPECT_EQ(opened_.size(), YamuxSession::kStreamsMax);
  opened_[0]->Reset();
  Output();
  ASSERT_TRUE(session_.Receive(Open(10001)));
  ExpectOutput(YamuxType::kWindowUpdate, kYamuxAck, 10001, 0);
}

TEST_F(YamuxSessionTest, IsDoneWhenThePeerLeavesAndItsStreamsAreOver) {
  auto stream = OpenOne();
  ASSERT_TRUE(session_.Receive(EncodeYamux({YamuxType::kGoAway, 0, 0, 0})));
  EXPECT_FALSE(session_.is_done());
  ASSERT_TRUE(session_.Receive(Open(3)));
  ExpectOutput(YamuxType::kWindowUpdate, kYamuxRst, 3, 0);
  stream->Finish();
  ASSERT_TRUE(session_.Receive(Frame(YamuxType::kWindowUpdate, kYamuxFin, 1)));
  EXPECT_TRUE(session_.is_done());
}

TEST_F(YamuxSessionTest, EndResetsEveryStream) {
  auto stream = OpenOne();
  bool told = false;
  stream->OnReset([&] { told = true; });
  session_.End(kYamuxNormalEnd);
  EXPECT_TRUE(told);
  EXPECT_TRUE(session_.is_done());
  EXPECT_EQ(ReadNow(stream), "error");
  ExpectOutput(YamuxType::kGoAway, 0, 0, kYamuxNormalEnd);
}

TEST_F(YamuxSessionTest, ResetsHalfClosedStreamsThatAreSilent) {
  auto half = OpenOne(1);
  auto whole = OpenOne(3);
  ASSERT_TRUE(session_.Receive(Frame(YamuxType::kWindowUpdate, kYamuxFin, 1)));
  auto now = std::chrono::steady_clock::now();
  session_.ResetIdle(now - std::chrono::hours(1));
  EXPECT_FALSE(half->reset());
  session_.ResetIdle(now + std::chrono::hours(1));
  EXPECT_TRUE(half->reset());
  EXPECT_FALSE(whole->reset());
}

TEST_F(YamuxSessionTest, SaysWhenItIsFloodedWithPings) {
  std::string pings;
  for (int i = 0; i < 100'000; ++i) pings += EncodeYamux({YamuxType::kPing, kYamuxSyn, 0, 1});
  ASSERT_TRUE(session_.Receive(pings));
  EXPECT_TRUE(session_.is_flooded());
  Output();
  EXPECT_FALSE(session_.is_flooded());
}

}  // namespace
}  // namespace viv::agent
