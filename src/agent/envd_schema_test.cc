#include "agent/envd_schema.h"

#include <gtest/gtest.h>

#include <set>

namespace viv::agent {
namespace {

TEST(EnvdSchemaTest, NamesOnlyTypesItHas) {
  const connect::Schema& schema = EnvdSchema();
  for (const auto& message : schema.messages) {
    std::set<std::uint32_t> numbers;
    for (const auto& field : message.fields) {
      EXPECT_TRUE(numbers.insert(field.number).second) << message.name << "." << field.name;
      if (field.type == connect::FieldType::kMessage) {
        EXPECT_NE(FindMessage(schema, field.of), nullptr) << message.name << "." << field.name;
      }
      if (field.type == connect::FieldType::kEnum) {
        EXPECT_NE(FindEnum(schema, field.of), nullptr) << message.name << "." << field.name;
      }
    }
  }
  for (const auto& method : schema.methods) {
    EXPECT_NE(FindMessage(schema, method.request), nullptr) << method.name;
    EXPECT_NE(FindMessage(schema, method.response), nullptr) << method.name;
  }
  EXPECT_EQ(schema.methods.size(), 17u);
}

TEST(EnvdSchemaTest, HasTheNumbersOfTheProtoFiles) {
  json::object end{{"exitCode", -1}, {"exited", false}, {"status", "s"}, {"error", "e"}};
  EXPECT_EQ(EncodeBinary(EnvdSchema(), "process.ProcessEvent.EndEvent", end),
            std::string("\x08\x01\x10\x00\x1a\x01s\x22\x01"
                        "e",
                        10));
  auto signal = DecodeBinary(EnvdSchema(), "process.SendSignalRequest", "\x0a\x02\x08\x2a\x10\x09");
  EXPECT_EQ(WriteJson(*signal), R"({"process":{"pid":42},"signal":"SIGNAL_SIGKILL"})");
  json::object entry{{"name", "a"},
                     {"type", "FILE_TYPE_DIRECTORY"},
                     {"size", "4096"},
                     {"modifiedTime", "1970-01-01T00:00:01Z"},
                     {"metadata", json::object{{"k", "v"}}}};
  EXPECT_EQ(EncodeBinary(EnvdSchema(), "filesystem.EntryInfo", entry),
            "\x0a\x01"
            "a\x10\x02\x20\x80\x20\x4a\x02\x08\x01\x5a\x06\x0a\x01k\x12\x01v");
}

}  // namespace
}  // namespace viv::agent
