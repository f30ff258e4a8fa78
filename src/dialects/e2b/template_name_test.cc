#include "dialects/e2b/template_name.h"

#include <gtest/gtest.h>

namespace viv::e2b {
namespace {

TEST(TemplateNameTest, HasNamespaceAliasAndTag) {
  auto name = ParseTemplateName("Team/My-Template_1:v1.2");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->name_space, "team");
  EXPECT_EQ(name->alias, "my-template_1");
  EXPECT_EQ(name->tag, "v1.2");
  EXPECT_EQ(name->Plain(), "my-template_1:v1.2");
}

TEST(TemplateNameTest, TheDefaultTagIsNone) {
  EXPECT_EQ(ParseTemplateName("base:default")->Plain(), "base");
}

TEST(TemplateNameTest, RefusesOtherForms) {
  for (const char* text : {"", "a b", "a/b/c", "a:", ":a", "/a", "a/", "a:b:c", "ä",
                           "a:11111111-1111-1111-1111-111111111111", "../a"}) {
    EXPECT_FALSE(ParseTemplateName(text)) << text;
  }
  EXPECT_FALSE(ParseTemplateName(std::string(129, 'a')));
}

TEST(TemplateNameTest, AnothersNamespaceNamesNothing) {
  EXPECT_EQ(*PlainTemplateName("mine", "mine/a:v1"), "a:v1");
  auto theirs = PlainTemplateName("mine", "theirs/a");
  ASSERT_FALSE(theirs);
  EXPECT_EQ(theirs.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace viv::e2b
