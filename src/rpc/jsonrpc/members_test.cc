#include "rpc/jsonrpc/members.h"

#include <gtest/gtest.h>

#include "rpc/mcp/revisions.h"

namespace viv::rpc {
namespace {

std::string MemberText(std::string_view object, std::string_view name) {
  return std::string(FindMember(object, name).value_or("none"));
}

TEST(MembersTest, FindsAMemberAsItIsWritten) {
  constexpr std::string_view kText =
      R"( { "id" : 12345678901234567890123 , "s":"a\"},b","o":{"id":[1,{"x":"]"}]},"t":true} )";
  EXPECT_EQ(MemberText(kText, "id"), "12345678901234567890123");
  EXPECT_EQ(MemberText(kText, "s"), R"("a\"},b")");
  EXPECT_EQ(MemberText(kText, "o"), R"({"id":[1,{"x":"]"}]})");
  EXPECT_EQ(MemberText(kText, "t"), "true");
  EXPECT_EQ(MemberText(kText, "x"), "none");
}

TEST(MembersTest, OfSeveralTheLastCounts) {
  EXPECT_EQ(MemberText(R"({"id":1,"id":2})", "id"), "2");
}

TEST(MembersTest, WhatIsNoObjectHasNoMembers) {
  for (std::string_view text :
       {"", " ", "{", "{}", "[]", "3", "\"id\"", "{\"id\"", "{\"id\":", "{\"id\":}", "{\"id\":\"",
        "{\"id\":\"\\", "{\"id\":[1", "{id:1}", "{\"id\":1", "}"}) {
    EXPECT_EQ(MemberText(text, "id"), "none") << text;
  }
}

TEST(MembersTest, ChangesOneMemberAndLeavesTheRest) {
  std::string text = R"({ "a": 1.0, "id":"x" })";
  EXPECT_EQ(ReplacePart(text, *FindMember(text, "id"), "7"), R"({ "a": 1.0, "id":7 })");
  EXPECT_EQ(WithMember("{}", R"("b":2)"), R"({"b":2})");
  EXPECT_EQ(WithMember("{ }", R"("b":2)"), R"({"b":2 })");
  EXPECT_EQ(WithMember(R"([{}])", R"("b":2)"), "[{}]");
  EXPECT_EQ(WithMember(R"({"a":1})", R"("b":2)"), R"({"b":2,"a":1})");
}

TEST(RevisionsTest, TheModernRevisionNamesTheTypeOfAResult) {
  EXPECT_EQ(mcp::AsModernResult("{}"), R"({"resultType":"complete"})");
  EXPECT_EQ(mcp::AsModernResult(R"({"tools":[]})"), R"({"resultType":"complete","tools":[]})");
  EXPECT_EQ(mcp::AsModernResult(R"({"resultType":"task"})"), R"({"resultType":"task"})");
}

TEST(RevisionsTest, AnUnknownRevisionIsAnsweredWithTheLatestOfTheHandshake) {
  EXPECT_EQ(mcp::NegotiatedVersion("2024-11-05"), "2024-11-05");
  EXPECT_EQ(mcp::NegotiatedVersion("1999-01-01"), "2025-11-25");
  EXPECT_EQ(mcp::NegotiatedVersion("2026-07-28"), "2025-11-25");
  EXPECT_TRUE(mcp::IsKnownVersion("2026-07-28"));
  EXPECT_FALSE(mcp::IsKnownVersion(""));
}

}  // namespace
}  // namespace viv::rpc
