#include "templates/layer_extract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "templates/image_for_test.h"
#include "templates/run_in_overlays_for_test.h"

namespace viv::templates {
namespace {

using ::testing::HasSubstr;

class LayerExtractTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "files of several owners need root";
    std::filesystem::create_directories(layer_);
  }
  Status Extract(const std::string& tar) {
    SaveText(place_.path + "/layer.tar", tar);
    const UniqueFd file(open((place_.path + "/layer.tar").c_str(), O_RDONLY | O_CLOEXEC));
    return ExtractLayer(file, layer_, budget_);
  }
  void ExpectRefused(const std::vector<TarEntry>& entries, const std::string& why) {
    const Status refused = Extract(MakeTar(entries));
    ASSERT_FALSE(refused) << why;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument) << refused.error().message;
    EXPECT_THAT(refused.error().message, HasSubstr(why));
  }
  struct stat Status_(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(lstat((layer_ + "/" + path).c_str(), &status), 0) << path;
    return status;
  }
  bool IsHidden(const std::string& path) {
    const struct stat status = Status_(path);
    return S_ISCHR(status.st_mode) && status.st_rdev == makedev(0, 0);
  }
  bool IsOpaque(const std::string& path) {
    char value = 0;
    return getxattr((layer_ + "/" + path).c_str(), "trusted.overlay.opaque", &value, 1) == 1 &&
           value == 'y';
  }

  const ScratchPlace place_;
  const std::string layer_ = place_.path + "/layer";
  ExtractBudget budget_;
};

TEST_F(LayerExtractTest, UnpacksFilesFoldersAndLinksOfEveryPacking) {
  for (const Packing packing : {Packing::kPlain, Packing::kGzip, Packing::kZstd}) {
    const Status unpacked = Extract(
        MakeTar({{.name = "etc", .type = AE_IFDIR, .mode = 0750},
                 {.name = "etc/file", .text = "text", .mode = 04755, .uid = 1000, .gid = 1001},
                 {.name = "deep/er/file", .text = "x"},
                 {.name = "link", .type = AE_IFLNK, .target = "/etc/file"},
                 {.name = "same", .hard_link = "etc/file"},
                 {.name = "f\xc3\xbcr", .text = "name"}},
                packing));
    ASSERT_TRUE(unpacked) << unpacked.error().message;
    EXPECT_EQ(LoadText(layer_ + "/etc/file"), "text");
    EXPECT_EQ(LoadText(layer_ + "/f\xc3\xbcr"), "name");
    EXPECT_EQ(Status_("etc/file").st_mode & 07777, 04755U);
    EXPECT_EQ(Status_("etc/file").st_uid, 1000U);
    EXPECT_EQ(Status_("etc/file").st_gid, 1001U);
    EXPECT_EQ(Status_("etc/file").st_mtim.tv_sec, 1'000'000);
    EXPECT_EQ(Status_("etc").st_mode & 07777, 0750U);
    EXPECT_EQ(Status_("deep/er").st_mode & 07777, 0755U);
    EXPECT_EQ(Status_("same").st_ino, Status_("etc/file").st_ino);
    EXPECT_EQ(std::filesystem::read_symlink(layer_ + "/link"), "/etc/file");
  }
}

TEST_F(LayerExtractTest, TurnsWhiteoutsIntoThoseOfOverlay) {
  ASSERT_TRUE(Extract(MakeTar({{.name = "etc/.wh.gone"},
                               {.name = "var/.wh..wh..opq"},
                               {.name = "var/new", .text = "x"},
                               {.name = "kept/file", .text = "x"},
                               {.name = ".wh.kept"},
                               {.name = ".wh.back"},
                               {.name = "back", .type = AE_IFDIR, .mode = 0755},
                               {.name = ".wh..wh.plnk"}})));
  EXPECT_TRUE(IsHidden("etc/gone"));
  EXPECT_TRUE(IsOpaque("var"));
  EXPECT_FALSE(IsOpaque("etc"));
  EXPECT_EQ(LoadText(layer_ + "/kept/file"), "x");
  EXPECT_TRUE(IsOpaque("kept"));
  EXPECT_TRUE(IsOpaque("back"));
  EXPECT_FALSE(std::filesystem::exists(layer_ + "/.wh..wh.plnk"));
}

TEST_F(LayerExtractTest, RefusesNamesThatLeaveTheFolder) {
  ExpectRefused({{.name = "/etc/cron.d/x", .text = "x"}}, "absolute");
  ExpectRefused({{.name = "../outside", .text = "x"}}, "leads out");
  ExpectRefused({{.name = "a/../../outside", .text = "x"}}, "leads out");
  ExpectRefused({{.name = ".wh..."}}, "hides nothing");
  EXPECT_FALSE(std::filesystem::exists(place_.path + "/outside"));
}

TEST_F(LayerExtractTest, RefusesToWriteThroughLinks) {
  std::filesystem::create_directories(place_.path + "/outside");
  const std::string outside = place_.path + "/outside";
  ExpectRefused(
      {{.name = "door", .type = AE_IFLNK, .target = outside}, {.name = "door/file", .text = "x"}},
      "no folder");
  ExpectRefused(
      {{.name = "door2", .type = AE_IFLNK, .target = outside}, {.name = "door2/.wh.file"}},
      "no folder");
  ExpectRefused({{.name = "door3", .type = AE_IFLNK, .target = outside},
                 {.name = "door3/sub", .type = AE_IFDIR}},
                "no folder");
  EXPECT_TRUE(std::filesystem::is_empty(outside));
  // A file in the place of a link replaces it.
  SaveText(outside + "/victim", "whole");
  ASSERT_TRUE(Extract(MakeTar({{.name = "file", .type = AE_IFLNK, .target = outside + "/victim"},
                               {.name = "file", .text = "new"}})));
  EXPECT_EQ(LoadText(outside + "/victim"), "whole");
  EXPECT_EQ(LoadText(layer_ + "/file"), "new");
}

TEST_F(LayerExtractTest, RefusesLinksThatLeave) {
  ExpectRefused({{.name = "link", .type = AE_IFLNK, .target = "../../etc/shadow"}}, "leads out");
  ExpectRefused({{.name = "link", .hard_link = "/etc/shadow"}}, "absolute");
  ExpectRefused({{.name = "link", .hard_link = "../x"}}, "leads out");
  ExpectRefused({{.name = "link", .hard_link = "not/there"}}, "not in the layer");
  ExpectRefused({{.name = "door", .type = AE_IFLNK, .target = "/etc"},
                 {.name = "link", .hard_link = "door/shadow"}},
                "not in the layer");
}

TEST_F(LayerExtractTest, RefusesDevicesAndPassesOverThoseOfDev) {
  ExpectRefused({{.name = "disk", .type = AE_IFBLK}}, "device");
  ExpectRefused({{.name = "mem", .type = AE_IFCHR}}, "device");
  ASSERT_TRUE(Extract(
      MakeTar({{.name = "dev/null", .type = AE_IFCHR}, {.name = "pipe", .type = AE_IFIFO}})));
  EXPECT_FALSE(std::filesystem::exists(layer_ + "/dev/null"));
  EXPECT_FALSE(std::filesystem::exists(layer_ + "/pipe"));
}

TEST_F(LayerExtractTest, RefusesWhatUnpacksToTooMuch) {
  budget_.bytes = 1000;
  ExpectRefused({{.name = "big", .text = std::string(1001, 'x')}}, "far more");
  budget_ = {.bytes = 1 << 20, .entries = 2};
  ExpectRefused({{.name = "a"}, {.name = "b"}, {.name = "c"}}, "too many");
}

TEST_F(LayerExtractTest, RefusesABombByItsRatio) {
  // 80 MiB of zeros in a few kilobytes.
  archive* writer = archive_write_new();
  archive_write_set_format_pax_restricted(writer);
  archive_write_add_filter_zstd(writer);
  const std::string file = place_.path + "/bomb.tar.zst";
  archive_write_open_filename(writer, file.c_str());
  const std::string zeros(8 << 20, 0);
  for (int i = 0; i < 10; ++i) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, ("zeros" + std::to_string(i)).c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, static_cast<la_int64_t>(zeros.size()));
    archive_write_header(writer, entry);
    archive_write_data(writer, zeros.data(), zeros.size());
    archive_entry_free(entry);
  }
  archive_write_close(writer);
  archive_write_free(writer);
  const Status refused = Extract(LoadText(file));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("far more"));
}

TEST_F(LayerExtractTest, RefusesWhatIsDamaged) {
  const std::string tar =
      MakeTar({{.name = "file", .text = std::string(50'000, 'x')}}, Packing::kGzip);
  EXPECT_FALSE(Extract(tar.substr(0, tar.size() / 2)));
  EXPECT_FALSE(Extract("this is no tar file, but a text that is long enough to be looked at " +
                       std::string(2000, 'x')));
  ExpectRefused({{.name = "twice/file", .text = "x"}, {.name = "twice", .text = "x"}}, "twice");
}

TEST_F(LayerExtractTest, GivesOwnersBeyondABoxToNobody) {
  ASSERT_TRUE(Extract(MakeTar({{.name = "file", .text = "x", .uid = 1'000'000, .gid = 70'000}})));
  EXPECT_EQ(Status_("file").st_uid, 65534U);
  EXPECT_EQ(Status_("file").st_gid, 65534U);
}

}  // namespace
}  // namespace viv::templates
