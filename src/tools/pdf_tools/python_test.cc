#include "tools/pdf_tools/python.h"

#include <gmock/gmock.h>

#include "tools/kit/run.h"

namespace viv::tools::pdf {
namespace {

using ::testing::HasSubstr;

class PythonPatternTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (FindProgram("python3").empty()) GTEST_SKIP() << "python3 is not installed";
  }
  // What was found, each with its page.
  std::string Found(std::string pattern, std::vector<std::string> pages) {
    PdfSearch search;
    search.pattern = std::move(pattern);
    search.pages = std::move(pages);
    Status status = FindMatchesByPython(search, cancelled_);
    if (!status) return status.error().message;
    std::string found;
    for (const PdfMatch& match : search.matches)
      found += std::to_string(match.page) + ":" +
               search.pages[static_cast<std::size_t>(match.page) - 1].substr(
                   match.begin, match.end - match.begin) +
               " ";
    return found;
  }
  std::atomic<bool> cancelled_ = false;
};

TEST_F(PythonPatternTest, LooksAround) {
  EXPECT_EQ(Found(R"(\w+(?= \$))", {"cost $5, price $6", "none"}), "1:cost 1:price ");
  EXPECT_EQ(Found(R"((?<=\$)\d+)", {"cost $5", "price $66"}), "1:5 2:66 ");
  EXPECT_EQ(Found(R"(a(?!b))", {"ab ac"}), "1:a ");
  EXPECT_EQ(Found(R"((?<!x)y)", {"xy zy"}), "1:y ");
  EXPECT_EQ(Found(R"((\w)\1)", {"Hello book"}), "1:ll 1:oo ");
}

TEST_F(PythonPatternTest, PlacesAreInBytes) {
  EXPECT_EQ(Found("(?<=ü)ß", {"süß größe süß"}), "1:ß 1:ß ");
  EXPECT_EQ(Found("(?=ß)", {"äß"}), "1: ");
}

TEST_F(PythonPatternTest, SaysWhatIsNoPattern) {
  EXPECT_THAT(Found("(?<=a+)b", {"ab"}), HasSubstr("look-behind requires fixed-width pattern"));
  EXPECT_THAT(Found("(", {"a"}), HasSubstr("unterminated subpattern"));
}

TEST_F(PythonPatternTest, IsGivenUpWithItsCall) {
  cancelled_ = true;
  EXPECT_THAT(Found("(?=(a+)+$)b", {std::string(60, 'a') + "!"}), HasSubstr("cancelled"));
}

TEST_F(PythonPatternTest, PyPdf2IsNotAskedForPagesThatAreNotThere) {
  EXPECT_FALSE(ReadTextByPyPdf2("/no/such.pdf", 1, 1, cancelled_));
}

}  // namespace
}  // namespace viv::tools::pdf
