#include "engine/case_runner.h"

#include <gmock/gmock.h>

#include "engine/test_app.h"

namespace viv::engine {
namespace {

TEST(CaseRunnerTest, MatchesPartsOfAnAnswer) {
  auto mismatch = [](std::string_view expected, std::string_view actual) {
    return FindMismatch(*ParseJson(expected), *ParseJson(actual));
  };
  EXPECT_EQ(mismatch(R"({"a": 1})", R"({"a": 1.0, "b": 2})"), "");
  EXPECT_EQ(mismatch(R"({"a": "*"})", R"({"a": [1]})"), "");
  EXPECT_EQ(mismatch(R"([1, "..."])", R"([1, 2, 3])"), "");
  EXPECT_EQ(mismatch(R"([1])", R"([1, 2])"), "$: 1 items are expected, there are 2");
  EXPECT_EQ(mismatch(R"({"a": {"b": 1}})", R"({"a": {}})"), "$.a.b: missing");
}

TEST(CaseRunnerTest, RunsCasesAndNamesThoseThatFail) {
  TestApp app;
  app.Write("tests/a.case", R"(# a comment
test adding
call add_note {"folder": "inbox",
  "text": "x"}
ok {"id": 2}
let id $.id
call count_notes
ok ${id}
changed {"inserted": 1}

test a wrong expectation
call count_notes
ok 7

test a failure
call add_note {"folder": "nowhere", "text": "x"}
error no folder
)");
  CaseReport report = RunCases(app.Load(), app.data());
  EXPECT_EQ(report.passed, 2);
  ASSERT_EQ(report.failures.size(), 1U);
  EXPECT_EQ(report.failures[0].line, 13);
  EXPECT_THAT(report.failures[0].message, testing::HasSubstr("expected 7, got 1"));
  EXPECT_TRUE(report.succeeded.contains("default/add_note"));
  EXPECT_TRUE(report.failed_as_expected.contains("default/add_note"));
}

}  // namespace
}  // namespace viv::engine
