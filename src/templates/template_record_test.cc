#include "templates/template_record.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "templates/image_for_test.h"
#include "templates/run_in_overlays_for_test.h"

namespace viv::templates {
namespace {

TemplateRecord SampleRecord() {
  TemplateRecord record{.made = {}, .folder = "/x/trees/1", .fingerprint = "abc"};
  record.made.id = TemplateIdOfName("sample");
  record.made.name = "sample";
  record.made.overlays = {{.mount_point = "", .layers = {"/x/trees/1/top", "/x/trees/1/root"}},
                          {.mount_point = "usr", .layers = {"/usr"}}};
  record.made.variables = {{"A", "1 \"2\""}};
  record.made.user = "node";
  record.made.workdir = "/app";
  record.made.cpus = 1.5;
  record.made.memory_bytes = 3LL << 32;
  record.made.created_at_us = 1234567890123456;
  record.made.source = "oci-archive";
  return record;
}

TEST(TemplateRecordTest, ComesBackAsItWasWritten) {
  const TemplateRecord record = SampleRecord();
  const auto read = ReadRecord(WriteRecord(record));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->made.id, record.made.id);
  EXPECT_EQ(read->made.overlays, record.made.overlays);
  EXPECT_EQ(read->made.variables, record.made.variables);
  EXPECT_EQ(read->made.user, "node");
  EXPECT_EQ(read->made.workdir, "/app");
  EXPECT_EQ(read->made.cpus, 1.5);
  EXPECT_EQ(read->made.memory_bytes, 3LL << 32);
  EXPECT_EQ(read->made.created_at_us, 1234567890123456);
  EXPECT_EQ(read->folder, record.folder);
  EXPECT_EQ(read->fingerprint, "abc");
}

TEST(TemplateRecordTest, RefusesWhatIsNone) {
  for (const char* text :
       {"", "{}", "[]", R"({"id":"x","name":"y"})", R"({"id":"aaaaaaaaaaaaaaaaaaaa","name":"y"})",
        R"({"id":"aaaaaaaaaaaaaaaaaaaa","name":"y","trees":[]})",
        R"({"id":"aaaaaaaaaaaaaaaaaaaa","name":"y","trees":[{"at":"","layers":[]}]})",
        R"({"id":"aaaaaaaaaaaaaaaaaaaa","name":"../y","trees":[{"at":"","layers":["/x"]}]})"})
    EXPECT_FALSE(ReadRecord(text)) << text;
}

TEST(TemplateIdTest, IsTwentyLettersAndDigits) {
  EXPECT_EQ(TemplateIdOfName("base"), TemplateIdOfName("base"));
  EXPECT_NE(TemplateIdOfName("base"), TemplateIdOfName("other"));
  EXPECT_NE(RandomTemplateId(), RandomTemplateId());
  for (const std::string& id : {TemplateIdOfName("base"), RandomTemplateId()}) {
    EXPECT_EQ(id.size(), 20U);
    EXPECT_TRUE(std::all_of(id.begin(), id.end(), [](char c) { return islower(c) || isdigit(c); }))
        << id;
  }
}

TEST(TemplateNameTest, TakesWhatE2bTakes) {
  for (const char* name : {"base", "code-interpreter-v1", "python_3.12", "0"})
    EXPECT_TRUE(IsTemplateName(name)) << name;
  for (const char* name : {"", ".hidden", "-x", "A", "a/b", "a b", "a:b"})
    EXPECT_FALSE(IsTemplateName(name)) << name;
  EXPECT_FALSE(IsTemplateName(std::string(129, 'a')));
}

TEST(SaveFileTest, ReplacesAFileAsAWhole) {
  const ScratchPlace place;
  const std::string file = place.path + "/file";
  ASSERT_TRUE(SaveFile(file, "one"));
  ASSERT_TRUE(SaveFile(file, "two"));
  EXPECT_EQ(LoadText(file), "two");
  EXPECT_FALSE(std::filesystem::exists(file + ".new"));
  EXPECT_FALSE(SaveFile(place.path + "/missing/file", "x"));
}

}  // namespace
}  // namespace viv::templates
