#include <gtest/gtest.h>

#include "rpc/connect/schema.h"
#include "rpc/connect/test_schema.h"

namespace viv::connect {
namespace {

using testing::kSchema;

std::string DecodedText(std::string_view bytes) {
  auto message = DecodeBinary(kSchema, "Thing", bytes);
  return message ? WriteJson(*message) : "error: " + message.error().message;
}

std::string EncodedThing(std::string_view text) {
  return EncodeBinary(kSchema, "Thing", ParseJson(text)->get_object());
}

TEST(BinaryTest, WritesWhatProtobufWrites) {
  EXPECT_EQ(EncodedThing(R"({"flag":true,"small":-1,"exitCode":-1,"count":300})"),
            "\x08\x01\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x18\x01\x20\xac\x02");
  EXPECT_EQ(EncodedThing(R"({"size":"1","text":"é","data":"AP8="})"),
            std::string("\x28\x01\x32\x02\xc3\xa9\x3a\x02\x00\xff", 10));
  EXPECT_EQ(EncodedThing(R"({"color":"COLOR_BLUE","inner":{"flag":true}})"),
            "\x40\x03\x4a\x02\x08\x01");
  EXPECT_EQ(EncodedThing(R"({"names":{"a":"b"},"far":"x"})"),
            "\x6a\x06\x0a\x01"
            "a\x12\x01"
            "b\x82\x7d\x01x");
}

TEST(BinaryTest, ReadsBackWhatItWrites) {
  for (
      const char* text : {
          R"({})",
          R"({"flag":false,"small":-2147483648,"exitCode":2147483647,"count":4294967295})",
          R"({"size":"-9223372036854775808","text":"","data":"","color":"COLOR_NONE"})",
          R"({"exitCode":-2147483648,"time":"1969-12-31T23:59:59.500Z"})",
          R"({"inner":{"inner":{"list":["a",""]}},"things":[{},{"text":"x"}],"names":{"":"","k":"v"}})",
          R"({"numbers":[0,1,300]})",
      }) {
    EXPECT_EQ(DecodedText(EncodedThing(text)), text);
  }
}

TEST(BinaryTest, SkipsUnknownFieldsOfEveryWireType) {
  std::string bytes("\x98\x06\x05\x99\x06\1\2\3\4\5\6\7\x08\x9a\x06\x02hi\x9d\x06\1\2\3\4\x08\x01",
                    26);
  EXPECT_EQ(DecodedText(bytes), R"({"flag":true})");
}

TEST(BinaryTest, TakesTheLastOfASingleFieldAndMergesMessages) {
  EXPECT_EQ(DecodedText("\x20\x01\x20\x02"), R"({"count":2})");
  EXPECT_EQ(DecodedText("\x4a\x02\x08\x01\x4a\x02\x20\x07"),
            R"({"inner":{"flag":true,"count":7}})");
}

TEST(BinaryTest, ReadsPackedAndUnpackedNumbers) {
  EXPECT_EQ(DecodedText("\x72\x03\x01\xac\x02\x70\x05"), R"({"numbers":[1,300,5]})");
}

TEST(BinaryTest, KeepsTheNumberOfAnUnknownEnumValue) {
  EXPECT_EQ(DecodedText("\x40\x02"), R"({"color":2})");
  EXPECT_EQ(DecodedText("\x40\x63"), R"({"color":99})");
}

TEST(BinaryTest, RefusesBrokenBytes) {
  const std::string broken[] = {
      "\x08",                                              // a tag without its value
      "\x08\xff",                                          // a number that does not end
      "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",  // a number of more than 64 bits
      "\x32\x05hi",                                        // a text longer than what follows
      "\x32\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",      // a length above all memory
      std::string("\x00\x01", 2),                          // field number 0
      "\x0b\x0c",                                          // a group
      "\x30\x01",                                          // text as a number
      "\x0a\x01x",                                         // a number as text
      "\x32\x02\xc3\x28",                                  // no UTF-8
      "\x6a\x03\x0a\x05k",                                 // a broken map entry
      "\x52\x01\x08",                                      // a broken time
      "\x72\x01\xff",                                      // a broken packed number
  };
  for (const std::string& bytes : broken) {
    EXPECT_TRUE(DecodedText(bytes).starts_with("error: broken protobuf message"))
        << DecodedText(bytes) << " from " << ::testing::PrintToString(bytes);
  }
}

TEST(BinaryTest, LimitsNestingAndTheNumberOfFields) {
  std::string nested;
  for (int i = 0; i < 31; ++i)
    nested = EncodeBinary(kSchema, "Thing", {}) + "\x4a" + [&] {
      std::string length;
      for (std::size_t n = nested.size();; n >>= 7) {
        length += static_cast<char>(n >= 0x80 ? (n & 0x7f) | 0x80 : n);
        if (n < 0x80) return length;
      }
    }() + nested;
  EXPECT_FALSE(DecodedText(nested).starts_with("error"));
  EXPECT_TRUE(DecodedText("\x4a" + std::string(1, static_cast<char>(nested.size())) + nested)
                  .starts_with("error"));
  std::string many;
  for (int i = 0; i < 250'001; ++i) many += std::string_view("\x62\x00", 2);
  EXPECT_TRUE(DecodedText(many).starts_with("error"));
}

TEST(BinaryTest, LeavesOutWhatDoesNotFitItsType) {
  EXPECT_EQ(EncodedThing(R"({"flag":1,"text":5,"data":"!","color":"COLOR_PINK","time":"now",
                             "inner":[],"list":"x","names":[],"count":"many","other":1})"),
            "");
}

}  // namespace
}  // namespace viv::connect
