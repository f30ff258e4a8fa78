#include "tools/ooxml/zip.h"

#include <gmock/gmock.h>

namespace viv::tools::ooxml {
namespace {

using ::testing::HasSubstr;

std::string ZipOf(const std::vector<ZipSource>& entries) {
  auto bytes = WriteZip(entries);
  EXPECT_TRUE(bytes) << bytes.error().message;
  return bytes.value_or("");
}

std::string Refusal(std::string_view bytes, const ZipLimits& limits = {}) {
  const auto entries = ReadZip(bytes, limits);
  return entries ? "read" : entries.error().message;
}

TEST(ZipTest, ReadsWhatItWrote) {
  const std::string big(300'000, 'x');
  const auto entries = ReadZip(ZipOf({{"a.xml", "<a/>"}, {"b/c.bin", big}, {"empty", ""}}), {});
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[0].name, "a.xml");
  EXPECT_EQ((*entries)[1].bytes, big);
  EXPECT_EQ((*entries)[2].bytes, "");
}

TEST(ZipTest, GivesTheSameBytesForTheSameEntries) {
  EXPECT_EQ(ZipOf({{"a", "text"}}), ZipOf({{"a", "text"}}));
}

TEST(ZipTest, RefusesWhatIsNoZip) {
  EXPECT_EQ(Refusal(""), "File is not a zip file");
  EXPECT_EQ(Refusal("PK"), "File is not a zip file");
  EXPECT_EQ(Refusal(std::string(5000, 'x')), "File is not a zip file");
}

TEST(ZipTest, RefusesEveryTruncation) {
  const std::string whole = ZipOf({{"a.xml", "<a>some text</a>"}, {"b.xml", "<b/>"}});
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(Refusal(whole.substr(0, size)), "read") << size;
}

TEST(ZipTest, RefusesDamagedContent) {
  std::string bytes = ZipOf({{"a.xml", std::string(2000, 'a') + "tail"}});
  bytes[40] = static_cast<char>(bytes[40] ^ 0x55);
  EXPECT_THAT(Refusal(bytes), HasSubstr("damaged"));
}

TEST(ZipTest, RefusesNamesThatLeadOut) {
  for (const char* name : {"../a", "/etc/passwd", "a/../../b", "a\\b", "C:x", "a/./b"})
    EXPECT_THAT(Refusal(ZipOf({{name, "x"}})), HasSubstr("leads out of it")) << name;
}

TEST(ZipTest, RefusesANameThatComesTwice) {
  EXPECT_THAT(Refusal(ZipOf({{"a", "x"}, {"a", "y"}})), HasSubstr("twice"));
}

TEST(ZipTest, RefusesTooManyEntries) {
  ZipLimits limits;
  limits.entries_max = 2;
  EXPECT_THAT(Refusal(ZipOf({{"a", ""}, {"b", ""}, {"c", ""}}), limits),
              HasSubstr("more than 2 entries"));
}

TEST(ZipTest, RefusesABombByItsRatio) {
  ZipLimits limits;
  limits.ratio_from_bytes = 1000;
  limits.ratio_max = 50;
  EXPECT_THAT(Refusal(ZipOf({{"a", std::string(1 << 20, '\0')}}), limits), HasSubstr("zip bomb"));
}

TEST(ZipTest, RefusesTooMuchInOneEntryAndInAll) {
  ZipLimits limits;
  limits.entry_bytes_max = 1 << 20;
  limits.total_bytes_max = 2 << 20;
  const std::string mebibyte(1 << 20, 'x');
  EXPECT_EQ(Refusal(ZipOf({{"a", mebibyte}, {"b", mebibyte}}), limits), "read");
  EXPECT_THAT(Refusal(ZipOf({{"a", mebibyte + "x"}}), limits), HasSubstr("more than 1 MiB"));
  EXPECT_THAT(Refusal(ZipOf({{"a", mebibyte}, {"b", mebibyte}, {"c", "x"}}), limits),
              HasSubstr("more than 2 MiB"));
}

}  // namespace
}  // namespace viv::tools::ooxml
