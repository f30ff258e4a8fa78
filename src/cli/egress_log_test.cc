#include "cli/egress_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace viv::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> TableLines(std::string_view records) {
  const std::string table = EgressTable(ParseJson(records).value().as_array());
  std::vector<std::string> lines;
  for (std::string_view line : Split(table, '\n'))
    if (!line.empty()) lines.emplace_back(line);
  return lines;
}

TEST(EgressLogTest, AlignsColumns) {
  EXPECT_THAT(
      TableLines(
          R"([{"at": "2026-09-01T12:00:00.123456Z", "verdict": "allowed", "name": "api.test",
               "address": "203.0.113.7", "port": 443, "protocol": "https", "method": "GET",
               "path": "/user", "status": 200, "rule": "header rule github", "bytes_out": 9999,
               "bytes_in": 20480},
              {"at": "2026-09-01T12:00:01Z", "verdict": "refused", "address": "2001:db8::1",
               "port": 22, "protocol": "tcp", "rule": "private", "reason": "never dialled"}])"),
      ElementsAre(
          "TIME                     VERDICT  TO                PROTOCOL  REQUEST         OUT     "
          "IN  WHY",
          "2026-09-01 12:00:00.123  allowed  api.test:443      https     GET /user 200  9999  "
          "20.0K  header rule github",
          "2026-09-01 12:00:01Z     refused  [2001:db8::1]:22  tcp       -                 0      "
          "0  private: never dialled"));
}

TEST(EgressLogTest, ARecordWithNothingInItIsALine) {
  for (std::string_view record : {"{}", "[]", "null", "7", R"({"port": "x", "bytes_in": -1e300})"})
    EXPECT_EQ(TableLines("[" + std::string(record) + "]").size(), 2u) << record;
  EXPECT_EQ(TableLines("[]").size(), 1u);
}

TEST(EgressLogTest, NothingOfAGuestControlsTheTerminal) {
  const std::string table = EgressTable(
      ParseJson(R"([{"name": "a\u001b[2Jb", "method": "GET", "path": "/\r\n\u0007\u007f",
                     "reason": "x\u009b31my\u00e9"}])")
          .value()
          .as_array());
  EXPECT_THAT(table, HasSubstr("a?[2Jb"));
  EXPECT_THAT(table, HasSubstr("GET /????"));
  EXPECT_THAT(table, HasSubstr("x?31my\u00e9"));
  for (const char* bad : {"\x1b", "\r", "\a", "\x7f", "\xc2\x9b"})
    EXPECT_THAT(table, Not(HasSubstr(bad)));
}

TEST(EgressLogTest, ALongPathDoesNotWidenEveryLine) {
  const std::string path = "/" + std::string(200, 'x');
  auto lines = TableLines(R"([{"method": "GET", "path": ")" + path + R"(", "rule": "r"},
                              {"method": "GET", "path": "/", "rule": "r"}])");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[1], HasSubstr(path));
  EXPECT_LT(lines[2].size(), 150u);
}

}  // namespace
}  // namespace viv::cli
