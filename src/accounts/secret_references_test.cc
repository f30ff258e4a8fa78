#include "accounts/secret_references.h"

#include <gtest/gtest.h>

namespace viv::accounts {
namespace {

using ReferenceKind = gateway::SecretText::Kind;
using Pieces = std::vector<SecretPiece>;

Pieces Marked(std::string_view text) {
  auto read = ReadSecretReferences(text, ReferenceKind::kDollarReferences);
  EXPECT_TRUE(read.has_value()) << text;
  return read ? *read : Pieces();
}

Pieces Braced(std::string_view text) {
  auto read = ReadSecretReferences(text, ReferenceKind::kBraceReferences);
  EXPECT_TRUE(read.has_value()) << text;
  return read ? *read : Pieces();
}

TEST(SecretReferencesTest, FindsMarkedNamesAmongText) {
  EXPECT_EQ(Marked("Bearer ${e2b.secrets.api-key}"),
            (Pieces{{false, "Bearer "}, {true, "api-key"}}));
  EXPECT_EQ(Marked("${e2b.secrets.A_1}:${e2b.secrets.b}!"),
            (Pieces{{true, "A_1"}, {false, ":"}, {true, "b"}, {false, "!"}}));
  EXPECT_EQ(Marked("plain {text} ${PORT} $"), (Pieces{{false, "plain {text} ${PORT} $"}}));
  EXPECT_EQ(Marked(""), Pieces());
}

TEST(SecretReferencesTest, FindsBracedNamesAmongText) {
  EXPECT_EQ(Braced("Bearer {API_KEY}"), (Pieces{{false, "Bearer "}, {true, "API_KEY"}}));
  EXPECT_EQ(Braced("{a}{b}"), (Pieces{{true, "a"}, {true, "b"}}));
}

TEST(SecretReferencesTest, BracesWithoutANameAreText) {
  for (const char* text : {"{}", "{", "}", R"({"a": "b"})", "{a b}", "{a", "{{", "{ a}"})
    EXPECT_EQ(Braced(text), (Pieces{{false, text}})) << text;
  EXPECT_EQ(Braced("{{a}}"), (Pieces{{false, "{"}, {true, "a"}, {false, "}"}}));
}

TEST(SecretReferencesTest, AMarkThatNamesNothingIsRefusedWithoutAWordOfTheText) {
  for (const char* text :
       {"canary${e2b.secrets.}", "canary${e2b.secrets.a", "canary${e2b.secrets.a b}",
        "canary${e2b.secrets.ä}", "canary${e2b.secrets.${e2b.secrets.a}}"}) {
    auto read = ReadSecretReferences(text, ReferenceKind::kDollarReferences);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(read.error().message.find("canary"), std::string::npos);
  }
}

TEST(SecretReferencesTest, NamesHaveALength) {
  const std::string longest(kSecretNameBytesMax, 'n');
  EXPECT_TRUE(IsSecretName(longest));
  EXPECT_FALSE(IsSecretName(longest + 'n'));
  EXPECT_FALSE(IsSecretName(""));
  EXPECT_EQ(Braced('{' + longest + '}').size(), 1u);
  EXPECT_EQ(Marked("${e2b.secrets." + longest + '}').size(), 1u);
  EXPECT_EQ(Braced('{' + longest + "n}"), (Pieces{{false, '{' + longest + "n}"}}));
  EXPECT_FALSE(
      ReadSecretReferences("${e2b.secrets." + longest + "n}", ReferenceKind::kDollarReferences)
          .has_value());
}

TEST(SecretReferencesTest, OneTextRefersToSoManySecretsOnly) {
  std::string text;
  for (std::size_t i = 0; i < kSecretReferencesMax; ++i) text += "{a}";
  EXPECT_EQ(Braced(text).size(), kSecretReferencesMax);
  EXPECT_FALSE(ReadSecretReferences(text + "{a}", ReferenceKind::kBraceReferences).has_value());
}

}  // namespace
}  // namespace viv::accounts
