#include <gtest/gtest.h>

#include "rpc/connect/schema.h"
#include "rpc/connect/test_schema.h"

namespace viv::connect {
namespace {

std::string Shaped(std::string_view text) {
  auto message = NormalizeJson(testing::kSchema, "Thing", *ParseJson(text));
  return message ? WriteJson(*message) : "error: " + message.error().message;
}

TEST(JsonNormalizeTest, LeavesOutUnknownMembersAndNulls) {
  EXPECT_EQ(Shaped(R"({"flag":true,"what":{"a":[1]},"text":null,"inner":{"x":1}})"),
            R"({"flag":true,"inner":{}})");
}

TEST(JsonNormalizeTest, TakesTheNamesOfTheProtoFile) {
  EXPECT_EQ(Shaped(R"({"exit_code":3})"), R"({"exitCode":3})");
}

TEST(JsonNormalizeTest, GivesNumbersOneForm) {
  EXPECT_EQ(Shaped(R"({"count":"42","small":-1.0,"size":7,"exitCode":"-3"})"),
            R"({"small":-1,"exitCode":-3,"count":42,"size":"7"})");
  EXPECT_EQ(Shaped(R"({"size":"-9223372036854775808"})"), R"({"size":"-9223372036854775808"})");
}

TEST(JsonNormalizeTest, GivesEnumsTheirNames) {
  EXPECT_EQ(Shaped(R"({"color":3})"), R"({"color":"COLOR_BLUE"})");
  EXPECT_EQ(Shaped(R"({"color":"COLOR_RED"})"), R"({"color":"COLOR_RED"})");
  EXPECT_EQ(Shaped(R"({"color":2})"), R"({"color":2})");
}

TEST(JsonNormalizeTest, WritesBase64InTheStandardAlphabet) {
  EXPECT_EQ(Shaped(R"({"data":"-_8"})"), R"({"data":"+/8="})");
}

TEST(JsonNormalizeTest, NamesWhatIsOfTheWrongKind) {
  EXPECT_EQ(Shaped("[]"), "error: the message must be an object");
  EXPECT_EQ(Shaped(R"({"flag":"yes"})"), "error: flag must be true or false");
  EXPECT_EQ(Shaped(R"({"text":1})"), "error: text must be text");
  EXPECT_EQ(Shaped(R"({"data":"%"})"), "error: data must be base64 text");
  EXPECT_EQ(Shaped(R"({"data":5})"), "error: data must be base64 text");
  EXPECT_EQ(Shaped(R"({"count":-1})"), "error: count must be an integer of 32 bits");
  EXPECT_EQ(Shaped(R"({"small":2147483648})"), "error: small must be an integer of 32 bits");
  EXPECT_EQ(Shaped(R"({"count":1.5})"), "error: count must be an integer");
  EXPECT_EQ(Shaped(R"({"count":"1x"})"), "error: count must be an integer");
  EXPECT_EQ(Shaped(R"({"size":18446744073709551615})"), "error: size must be an integer");
  EXPECT_EQ(Shaped(R"({"color":"COLOR_PINK"})"), "error: color must be a value of Color");
  EXPECT_EQ(Shaped(R"({"color":""})"), "error: color must be a value of Color");
  EXPECT_EQ(Shaped(R"({"time":"now"})"), "error: time must be an RFC 3339 time");
  EXPECT_EQ(Shaped(R"({"list":"x"})"), "error: list must be a list");
  EXPECT_EQ(Shaped(R"({"list":[1]})"), "error: list must be text");
  EXPECT_EQ(Shaped(R"({"names":[]})"), "error: names must be an object");
  EXPECT_EQ(Shaped(R"({"names":{"a":1}})"), "error: names must be text");
  EXPECT_EQ(Shaped(R"({"inner":{"things":[{"text":1}]}})"),
            "error: inner: things: text must be text");
}

TEST(JsonNormalizeTest, LimitsNesting) {
  std::string text = "{}";
  for (int i = 0; i < 40; ++i) text = R"({"inner":)" + text + "}";
  EXPECT_TRUE(Shaped(text).starts_with("error"));
}

}  // namespace
}  // namespace viv::connect
