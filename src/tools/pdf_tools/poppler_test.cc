#include "tools/pdf_tools/poppler.h"

#include <gtest/gtest.h>

namespace viv::tools::pdf {
namespace {

TEST(PopplerTest, ReadsWhatPdfinfoSays) {
  auto info = ParsePdfInfo(
      "Title:           A title\nAuthor:          \nCreationDate:    D:20240101\n"
      "Pages:           12\nEncrypted:       no\n");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->pages, 12);
  EXPECT_EQ(info->title, "A title");
  EXPECT_EQ(info->author, "");
  EXPECT_FALSE(info->creator);
  EXPECT_EQ(info->created, "D:20240101");
  EXPECT_TRUE(info->has_metadata);
}

TEST(PopplerTest, ATitleDoesNotChangeTheNumberOfPages) {
  EXPECT_EQ(ParsePdfInfo("Title: x\nPages: 999999\nPages: 3\nEncrypted: no\n")->pages, 3);
}

TEST(PopplerTest, WithoutMetadataThereIsNone) {
  EXPECT_FALSE(ParsePdfInfo("Pages: 1\n")->has_metadata);
}

TEST(PopplerTest, NonsenseIsNothing) {
  for (const char* output :
       {"", "Pages:", "Pages: x", "Pages: -1\n", "Pages: 99999999999\n", "Pages"})
    EXPECT_FALSE(ParsePdfInfo(output)) << output;
}

}  // namespace
}  // namespace viv::tools::pdf
