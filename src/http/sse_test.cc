#include "http/sse.h"

#include <gtest/gtest.h>

namespace viv::http {
namespace {

TEST(SseTest, WritesAllFields) {
  EXPECT_EQ(FormatEvent({.id = "7", .event = "message", .data = "hello"}),
            "id: 7\nevent: message\ndata: hello\n\n");
}

TEST(SseTest, LeavesOutWhatIsEmpty) {
  EXPECT_EQ(FormatEvent({.id = "", .event = "", .data = "x"}), "data: x\n\n");
}

TEST(SseTest, SplitsDataAtEveryKindOfLineBreak) {
  EXPECT_EQ(FormatEvent({.id = "", .event = "", .data = "a\nb\r\nc\rd"}),
            "data: a\ndata: b\ndata: c\ndata: d\n\n");
}

TEST(SseTest, KeepsEmptyLinesOfData) {
  EXPECT_EQ(FormatEvent({.id = "", .event = "", .data = ""}), "data: \n\n");
  EXPECT_EQ(FormatEvent({.id = "", .event = "", .data = "a\n\n"}), "data: a\ndata: \ndata: \n\n");
}

TEST(SseTest, LetsNoFieldBeginAnother) {
  EXPECT_EQ(FormatEvent({.id = "1\ndata: evil", .event = "a\r\nb", .data = "x"}),
            "id: 1data: evil\nevent: ab\ndata: x\n\n");
}

TEST(SseTest, AnEventStreamIsNotCached) {
  Response response = EventStream([](BodyWriter&) -> Task<void> { co_return; });
  EXPECT_EQ(response.headers.Get("content-type"), "text/event-stream");
  EXPECT_EQ(response.headers.Get("cache-control"), "no-cache, no-transform");
  EXPECT_TRUE(response.stream);
}

}  // namespace
}  // namespace viv::http
