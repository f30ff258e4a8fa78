#include "boxes/box_ids.h"

#include <gtest/gtest.h>

namespace viv::boxes {
namespace {

TEST(BoxIdsTest, EveryIdHasAUuidThatLeadsBack) {
  for (int i = 0; i < 1000; ++i) {
    const std::string box = NewBoxId();
    const std::string snapshot = NewTemplateId();
    EXPECT_EQ(BoxOfUuid(UuidOfBox(box)), box);
    EXPECT_EQ(TemplateOfUuid(UuidOfTemplate(snapshot)), snapshot);
  }
  for (const char* edge : {"iaaaaaaaaaaaaaaaaaaaa", "i99999999999999999999"})
    EXPECT_EQ(BoxOfUuid(UuidOfBox(edge)), edge);
}

TEST(BoxIdsTest, AUuidIsWellFormedAndReadInAnyCase) {
  std::string uuid = UuidOfBox("i99999999999999999999");
  ASSERT_EQ(uuid.size(), 36u);
  EXPECT_EQ(uuid[14], '8');
  EXPECT_NE(std::string_view("89ab").find(uuid[19]), std::string_view::npos);
  for (char& c : uuid) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(BoxOfUuid(uuid), "i99999999999999999999");
}

TEST(BoxIdsTest, OtherUuidsNameNoBox) {
  const std::string template_id = NewTemplateId();
  EXPECT_EQ(BoxOfUuid(UuidOfTemplate(template_id)), std::nullopt);
  EXPECT_EQ(TemplateOfUuid(UuidOfBox("i" + template_id)), std::nullopt);
  for (const char* other :
       {"", "iaaaaaaaaaaaaaaaaaaaa", "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff", "0190f5a4-7c3b-7d11-9e2f-3a1b2c3d4e5f",
        "0190f5a4-7c3b-8d11-9e2f-3a1b2c3d4e5", "0190f5a4x7c3b-8d11-9e2f-3a1b2c3d4e5f",
        "0190f5a4-7c3b-8d11-9e2f-3a1b2c3d4e5g"})
    EXPECT_EQ(BoxOfUuid(other), std::nullopt) << other;
  std::string changed = UuidOfBox(NewBoxId());
  changed[35] = changed[35] == '0' ? '1' : '0';
  EXPECT_EQ(BoxOfUuid(changed), std::nullopt);
}

}  // namespace
}  // namespace viv::boxes
