#include "agent/files/multipart.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace viv::agent {
namespace {

// What was read, as text: "[name|filename]content;" of each part and the end.
std::string ReadForm(std::string_view bytes, std::size_t step, std::string_view boundary = "b") {
  MultipartParser parser(boundary);
  std::string seen;
  for (;;) {
    switch (parser.Next()) {
      case MultipartParser::Step::kMore:
        if (bytes.empty()) parser.Finish();
        parser.Feed(bytes.substr(0, step));
        bytes.remove_prefix(std::min(step, bytes.size()));
        break;
      case MultipartParser::Step::kBegin:
        seen += "[" + parser.name() + "|" + parser.filename().value_or("-") + "]";
        break;
      case MultipartParser::Step::kData:
        EXPECT_FALSE(parser.data().empty());
        seen += parser.data();
        break;
      case MultipartParser::Step::kEnd:
        seen += ";";
        break;
      case MultipartParser::Step::kDone:
        return seen + "done";
      case MultipartParser::Step::kBroken:
        EXPECT_FALSE(parser.error().empty());
        return seen + "broken";
    }
  }
}

constexpr char kTwoParts[] =
    "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"/a b/ü.txt\"\r\n"
    "Content-Type: text/plain\r\n\r\none\r\ntwo\r\n"
    "--b\r\ncontent-disposition: form-data; name=other\r\n\r\n\r\n--b--\r\nepilogue";

TEST(MultipartTest, ReadsPartsHoweverTheyAreCut) {
  for (std::size_t step = 1; step < 200; ++step) {
    EXPECT_EQ(ReadForm(kTwoParts, step), "[file|/a b/ü.txt]one\r\ntwo;[other|-];done") << step;
  }
}

TEST(MultipartTest, TakesDataThatLooksLikeABoundaryForData) {
  std::string form =
      "--b\r\n\r\n\r\n--bc\r\n--b x\r\n-b\r\n--b-\r\n\r--b\r\n--b \t\r\n\r\nz\r\n--b--";
  for (std::size_t step = 1; step < form.size(); ++step) {
    EXPECT_EQ(ReadForm(form, step), "[|-]\r\n--bc\r\n--b x\r\n-b\r\n--b-\r\n\r--b;[|-]z;done")
        << step;
  }
}

TEST(MultipartTest, SkipsAPreamble) {
  EXPECT_EQ(ReadForm("hello\r\n--b\r\n\r\nx\r\n--b--", 3), "[|-]x;done");
  EXPECT_EQ(ReadForm("--b--", 3), "done");
}

TEST(MultipartTest, CallsABodyThatEndsEarlyBroken) {
  std::string form(kTwoParts);
  std::size_t end = form.find("--b--") + 5;
  for (std::size_t length = 0; length < end; ++length) {
    EXPECT_TRUE(ReadForm(form.substr(0, length), 16).ends_with("broken")) << length;
  }
  EXPECT_TRUE(ReadForm(form.substr(0, end), 16).ends_with("done"));
}

TEST(MultipartTest, RefusesWhatIsNoForm) {
  EXPECT_EQ(ReadForm(std::string(100'000, 'x'), 1000), "broken");
  EXPECT_EQ(ReadForm("--b\r\nno colon\r\n\r\nx\r\n--b--", 9), "broken");
  EXPECT_EQ(ReadForm("--b\r\nContent-Disposition: form-data; name=\"x\r\n\r\nx\r\n--b--", 9),
            "broken");
  std::string huge = "--b\r\nA: " + std::string(20'000, 'x') + "\r\n\r\nx\r\n--b--";
  EXPECT_EQ(ReadForm(huge, 1000), "broken");
  EXPECT_EQ(ReadForm(huge, huge.size()), "broken");
  std::string many = "--b\r\n";
  for (int i = 0; i < 100; ++i) many += "A: b\r\n";
  EXPECT_EQ(ReadForm(many + "\r\nx\r\n--b--", 1000), "broken");
}

TEST(MultipartTest, LimitsTheNumberOfParts) {
  std::string form;
  for (int i = 0; i < 10'001; ++i) form += "\r\n--b\r\n\r\n";
  EXPECT_TRUE(ReadForm(form + "\r\n--b--", 4096).ends_with("broken"));
}

TEST(MultipartTest, UnescapesNames) {
  EXPECT_EQ(ReadForm("--b\r\nContent-Disposition: form-data; name=\"f\"; "
                     "filename=\"a\\\"b\\\\c\\d\"\r\n\r\n\r\n--b--",
                     50),
            "[f|a\"b\\c\\d];done");
  EXPECT_EQ(ReadForm("--b\r\nContent-Disposition: form-data; name=f; "
                     "filename*=UTF-8''a%20%C3%BC; filename=x\r\n\r\n\r\n--b--",
                     50),
            "[f|a ü];done");
  EXPECT_EQ(ReadForm("--b\r\nContent-Disposition: attachment; name=f\r\n\r\n\r\n--b--", 50),
            "[|-];done");
}

TEST(MultipartTest, FindsTheBoundary) {
  EXPECT_EQ(BoundaryOf("multipart/form-data; boundary=----x1"), "----x1");
  EXPECT_EQ(BoundaryOf("Multipart/Form-Data;charset=utf-8; Boundary=\"a b\""), "a b");
  EXPECT_EQ(BoundaryOf("multipart/form-data"), std::nullopt);
  EXPECT_EQ(BoundaryOf("multipart/form-data; boundary="), std::nullopt);
  EXPECT_EQ(BoundaryOf("multipart/form-data; boundary=\"a \""), std::nullopt);
  EXPECT_EQ(BoundaryOf("multipart/form-data; boundary=\"a\tb\""), std::nullopt);
  EXPECT_EQ(BoundaryOf("multipart/form-data; boundary=" + std::string(71, 'x')), std::nullopt);
  EXPECT_EQ(BoundaryOf("text/plain; boundary=x"), std::nullopt);
}

}  // namespace
}  // namespace viv::agent
