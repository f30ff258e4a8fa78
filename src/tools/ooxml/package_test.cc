#include "tools/ooxml/package.h"

#include <gmock/gmock.h>

#include "tools/ooxml/zip.h"

namespace viv::tools::ooxml {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Package Sample() {
  Package package;
  package.Put("doc/main.xml", "<main xmlns:x='urn:x'><x:unknown a='1'>text</x:unknown></main>",
              "type/main");
  package.Put("doc/image.bin", std::string("\0\1\2", 3), "image/x");
  package.Relate("", "officeDocument", "doc/main.xml");
  package.Relate("doc/main.xml", "image", "doc/image.bin");
  return package;
}

Package Reread(Package& package) {
  auto bytes = package.Write();
  EXPECT_TRUE(bytes);
  auto read = Package::Read(*bytes);
  EXPECT_TRUE(read) << read.error().message;
  return *std::move(read);
}

TEST(PackageTest, KeepsPartsTypesAndRelations) {
  Package sample = Sample();
  Package package = Reread(sample);
  EXPECT_EQ(*package.Bytes("doc/image.bin"), std::string("\0\1\2", 3));
  EXPECT_EQ(package.ContentType("doc/main.xml"), "type/main");
  const auto relations = package.Relations("doc/main.xml");
  ASSERT_EQ(relations.size(), 1u);
  EXPECT_TRUE(relations[0].Is("image"));
  EXPECT_FALSE(relations[0].Is("mage"));
  EXPECT_EQ(relations[0].target, "doc/image.bin");
}

TEST(PackageTest, KeepsUnknownXmlOfAnEditedPart) {
  Package sample = Sample();
  (*sample.Xml("doc/main.xml"))->document_element().append_child("known");
  Package package = Reread(sample);
  EXPECT_THAT(*package.Bytes("doc/main.xml"),
              HasSubstr("<x:unknown a=\"1\">text</x:unknown><known"));
}

TEST(PackageTest, UnrelatingRemovesWhatOnlyThatRelationLedTo) {
  Package package = Sample();
  const std::string id = package.Relations("")[0].id;
  package.Put("doc/other.xml", "<other/>", "type/other");
  package.Relate("", "other", "doc/other.xml");
  package.Relate("doc/other.xml", "image", "doc/image.bin");
  package.Unrelate("", id);
  EXPECT_FALSE(package.Has("doc/main.xml"));
  EXPECT_TRUE(package.Has("doc/image.bin"));
  EXPECT_FALSE(package.Has("doc/_rels/main.xml.rels"));
}

TEST(PackageTest, GivesFreeNamesAndIds) {
  Package package = Sample();
  EXPECT_EQ(package.FreeName("doc/chart", ".xml"), "doc/chart1.xml");
  package.Put("doc/chart1.xml", "<c/>");
  EXPECT_EQ(package.FreeName("doc/chart", ".xml"), "doc/chart2.xml");
  EXPECT_EQ(package.Relate("doc/main.xml", "chart", "doc/chart1.xml"), "rId2");
  EXPECT_EQ(package.RelateExternal("doc/main.xml", "hyperlink", "https://example.com"), "rId3");
  EXPECT_EQ(package.Target("doc/main.xml", "rId3"), "https://example.com");
}

// A document and the bytes it lies in.
struct Parsed {
  std::unique_ptr<std::string> bytes;
  Result<std::unique_ptr<pugi::xml_document>> document;
};

Parsed Parse(std::string_view xml, int depth_max = 256) {
  auto bytes = std::make_unique<std::string>(xml);
  auto document = ParseXmlInPlace(*bytes, depth_max);
  return {std::move(bytes), std::move(document)};
}

TEST(PackageTest, DropsThePrefixOfTheRootsNamespace) {
  const auto [bytes, document] =
      Parse("<x:a xmlns:x='urn:x' xmlns:y='urn:y'><x:b y:id='1'/><y:c/></x:a>");
  ASSERT_TRUE(document);
  EXPECT_THAT(WriteXml(**document), HasSubstr("<b y:id=\"1\"/><y:c/></a>"));
  EXPECT_STREQ((*document)->document_element().attribute("xmlns").value(), "urn:x");
}

TEST(PackageTest, KeepsSpacesInText) {
  const auto [bytes, document] = Parse("<a><t xml:space='preserve'>  </t></a>");
  ASSERT_TRUE(document);
  EXPECT_THAT(WriteXml(**document), HasSubstr(">  </t>"));
}

TEST(PackageTest, RefusesADocumentType) {
  const auto [bytes, refused] = Parse("<!DOCTYPE a [<!ENTITY b \"bbbb\">]><a>&b;</a>");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("document type"));
}

TEST(PackageTest, RefusesDeepNesting) {
  std::string deep, ends;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  for (int i = 0; i < 100'000; ++i) ends += "</a>";
  EXPECT_EQ(Parse(deep + ends).document.error().code, ErrorCode::kLimitExceeded);
  EXPECT_TRUE(Parse("<a><b><c/></b><b/></a>", 3).document);
  EXPECT_FALSE(Parse("<a><b><c/></b><b/></a>", 1).document);
}

TEST(PackageTest, RefusesBrokenXmlAndAnArchiveThatIsNoPackage) {
  for (const char* broken : {"<a><b></a>", "", "plain text"})
    EXPECT_FALSE(Parse(broken).document) << broken;
  const std::string zip = *WriteZip({{"a.txt", "x"}});
  EXPECT_THAT(Package::Read(zip).error().message, HasSubstr("[Content_Types].xml"));
}

TEST(PackageTest, KeepsAPartThatIsNoXmlAndRefusesToParseTooMuch) {
  Package sample = Sample();
  sample.Put("doc/broken.xml", "<a>&amp;<b></a>");
  EXPECT_FALSE(sample.Xml("doc/broken.xml"));
  EXPECT_EQ(*sample.Bytes("doc/broken.xml"), "<a>&amp;<b></a>");
  Limits limits;
  limits.xml_bytes_max = 1000;
  sample.Put("doc/long.xml", "<a>" + std::string(1000, 'x') + "</a>");
  auto read = Package::Read(*sample.Write(), limits);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->Xml("doc/long.xml").error().code, ErrorCode::kLimitExceeded);
}

TEST(PackageTest, ResolvesTargetsWithinThePackage) {
  EXPECT_EQ(ResolveTarget("xl/worksheets/sheet1.xml", "../drawings/d.xml"), "xl/drawings/d.xml");
  EXPECT_EQ(ResolveTarget("xl/workbook.xml", "/xl/styles.xml"), "xl/styles.xml");
  EXPECT_EQ(ResolveTarget("", "xl/workbook.xml"), "xl/workbook.xml");
  EXPECT_EQ(ResolveTarget("xl/workbook.xml", "../../etc/passwd"), "");
}

TEST(PackageTest, FillsAnElementAtWritingOnly) {
  Package package = Sample();
  (*package.Xml("doc/main.xml"))
      ->document_element()
      .append_child("data")
      .text()
      .set(std::string(kFill).c_str());
  package.Fill("doc/main.xml", "<row/><row/>");
  Package read = Reread(package);
  EXPECT_THAT(*read.Bytes("doc/main.xml"), HasSubstr("<data><row/><row/></data>"));
}

TEST(PackageTest, EscapesTextAndLeavesOutWhatXmlCannotHold) {
  std::string out;
  AppendEscaped(out, std::string("a<b>&\"\r\x01z\0", 10));
  EXPECT_EQ(out, "a&lt;b&gt;&amp;&quot;&#13;z");
}

}  // namespace
}  // namespace viv::tools::ooxml
