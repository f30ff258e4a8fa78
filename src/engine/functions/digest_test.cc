#include <string>

#include "engine/functions/sql_for_test.h"

namespace viv::engine::functions {
namespace {

TEST(DigestTest, GivesTheKnownDigests) {
  Sql sql;
  EXPECT_EQ(sql("select md5_hex('')"), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(sql("select sha1_hex('abc')"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sql("select sha256_hex('abc')"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sql("select sha1_hex(x'616263') = sha1_hex('abc')"), "1");
  EXPECT_EQ(sql("select git_blob_sha('')"), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(sql("select git_blob_sha('hello' || char(10))"),
            "ce013625030ba8dba906f756967f9e9ca394464a");
}

TEST(Base64Test, GoesThereAndBack) {
  Sql sql;
  EXPECT_EQ(sql("select base64_encode('f') || base64_encode('fo') || base64_encode('foo')"),
            "Zg==Zm8=Zm9v");
  EXPECT_EQ(sql("select base64_encode(x'fbff')"), "+/8=");
  EXPECT_EQ(sql("select base64url_encode(x'fbff')"), "-_8");
  for (const char* hex : {"", "00", "fb", "fbff", "fbff00", "fbff0061"}) {
    EXPECT_EQ(
        sql(std::string("select hex(base64_decode(base64_encode(x'") + hex + "'))) = upper(?1)",
            {hex}),
        "1")
        << hex;
    EXPECT_EQ(sql(std::string("select hex(base64url_decode(base64url_encode(x'") + hex +
                      "'))) = upper(?1)",
                  {hex}),
              "1");
  }
}

TEST(Base64Test, DecodesToTextWhereItIsText) {
  Sql sql;
  EXPECT_EQ(sql("select typeof(base64_decode('w6Q='))"), "text");
  EXPECT_EQ(sql("select typeof(base64_decode('/w=='))"), "blob");
  EXPECT_EQ(sql("select typeof(base64_decode('AA=='))"), "blob");
}

TEST(Base64Test, PassesOverLineEndsAndMissingPaddingOfUrls) {
  Sql sql;
  EXPECT_EQ(sql("select base64_decode('Zm9v' || char(10) || 'YmFy' || char(13, 10))"), "foobar");
  EXPECT_EQ(sql("select base64url_decode('Zg')"), "f");
  EXPECT_EQ(sql("select base64url_decode('Zg==')"), "f");
}

TEST(Base64Test, GivesNullForWhatIsNone) {
  Sql sql;
  for (const char* text :
       {"Z", "Zg", "Zg=", "Zg===", "Zm9v=", "Zm9v!", "=Zg=", "Zg==Zg==", "-_8="}) {
    EXPECT_EQ(sql("select base64_decode(?1)", {text}), "NULL") << text;
  }
  for (const char* text : {"Z", "Zg=", "+/8"})
    EXPECT_EQ(sql("select base64url_decode(?1)", {text}), "NULL") << text;
}

}  // namespace
}  // namespace viv::engine::functions
