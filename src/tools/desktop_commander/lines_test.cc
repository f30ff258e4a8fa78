#include "tools/desktop_commander/lines.h"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/unique_fd.h"
#include "tools/desktop_commander/file_facts.h"
#include "tools/kit/workspace.h"

namespace viv::tools::commander {
namespace {

using ::testing::ElementsAre;

LineWindow WindowOf(std::string_view text, LineRange range) {
  UniqueFd fd(::memfd_create("lines", MFD_CLOEXEC));
  EXPECT_TRUE(WriteAll(fd.get(), text));
  ::lseek(fd.get(), 0, SEEK_SET);
  const std::atomic<bool> cancelled = false;
  return ReadLines(fd.get(), static_cast<std::int64_t>(text.size()), range, cancelled).value();
}

TEST(LinesTest, ReadsFromALineOn) {
  const LineWindow window = WindowOf("a\nb\nc\nd\n", {1, 2});
  EXPECT_THAT(window.lines, ElementsAre("b", "c"));
  EXPECT_EQ(RenderLines(window, {1, 2}),
            "[Reading 2 lines from line 1 (total: 5 lines, 2 remaining)]\n\nb\nc");
}

TEST(LinesTest, ReadsFromTheEnd) {
  const LineWindow window = WindowOf("a\nb\nc", {-2, 1});
  EXPECT_EQ(RenderLines(window, {-2, 1}), "[Reading last 2 lines (total: 3 lines)]\n\nb\nc");
  EXPECT_THAT(WindowOf("a", {-10, 1}).lines, ElementsAre("a"));
}

TEST(LinesTest, KnowsEveryLineEnd) {
  EXPECT_THAT(WindowOf("a\r\nb\rc\xe2\x80\xa8"
                       "d\n\ne",
                       {0, 100})
                  .lines,
              ElementsAre("a", "b", "c", "d", "", "e"));
  EXPECT_THAT(WindowOf("", {0, 100}).lines, ElementsAre());
}

TEST(LinesTest, NoLengthIsNoLine) {
  EXPECT_THAT(WindowOf("a\nb", {0, 0}).lines, ElementsAre());
  EXPECT_THAT(WindowOf("a\nb", {0, -5}).lines, ElementsAre());
  EXPECT_THAT(WindowOf("a\nb", {10, 5}).lines, ElementsAre());
}

TEST(LinesTest, LongLinesAndLargeWindowsAreCut) {
  const std::string line(5 << 18, 'x');
  EXPECT_EQ(WindowOf(line, {0, 1}).lines.at(0).size(), 1u << 20);
  std::string many;
  for (int i = 0; i < 10; ++i) many += line + "\n";
  const LineWindow head = WindowOf(many, {0, 10}), tail = WindowOf(many, {-10, 0});
  EXPECT_TRUE(head.cut);
  EXPECT_TRUE(tail.cut);
  EXPECT_LT(tail.lines.size(), 9u);
  EXPECT_FALSE(head.total);
}

TEST(LinesTest, TellsBinaryFromText) {
  EXPECT_TRUE(LooksBinary(std::string_view("ab\0cd", 5)));
  EXPECT_TRUE(LooksBinary("%PDF-1.4"));
  EXPECT_TRUE(LooksBinary("\x01\x02\x03\x80\x81\x82"));
  EXPECT_FALSE(LooksBinary("größe\n\t日本語"));
  EXPECT_FALSE(LooksBinary(""));
  EXPECT_FALSE(LooksBinary("\xef\xbb\xbf"));
}

}  // namespace
}  // namespace viv::tools::commander
