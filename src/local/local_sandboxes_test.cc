#include "local/local_sandboxes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/run_to_end.h"
#include "boxes/box_ids.h"
#include "boxes/fake_boxes.h"

namespace viv::local {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class LocalSandboxesTest : public ::testing::Test {
 protected:
  static std::vector<storage::OverlayMount> OverlaysFor(std::string_view profile) {
    return {
        storage::OverlayMount{.mount_point = "data", .layers = {"/layer/" + std::string(profile)}}};
  }
  Result<boxes::BoxPtr> Acquire(std::vector<std::string> servers, std::string benchmark = "") {
    AcquireLocal request;
    request.account_id = "mine";
    request.servers = std::move(servers);
    request.benchmark = std::move(benchmark);
    request.ttl_seconds = 60;
    return RunToEnd(local_.Acquire(std::move(request)));
  }

  boxes::FakeBoxes boxes_;
  LocalServers servers_;
  LocalSandboxes local_{boxes_, servers_, OverlaysFor};
};

TEST_F(LocalSandboxesTest, IsABoxWithAnAnnotationOfItsServers) {
  auto box = Acquire({"git", "filesystem"}, "Toolathlon");
  ASSERT_TRUE(box) << box.error().message;
  auto annotation = LocalAnnotationOf(**box);
  ASSERT_TRUE(annotation);
  EXPECT_EQ(annotation->benchmark, "Toolathlon");
  ASSERT_THAT(annotation->servers, SizeIs(2));
  EXPECT_EQ(annotation->servers[0].name, "git");
  EXPECT_NE(annotation->servers[0].id, annotation->servers[1].id);
  EXPECT_EQ((*box)->spec.workdir, "/data");
  EXPECT_EQ((*box)->spec.wake, boxes::WakeOnTraffic::kAlways);
  EXPECT_TRUE((*box)->spec.keep_memory);
  EXPECT_EQ((*box)->spec.idle_seconds, 0);  // its end comes when it was said
  EXPECT_EQ((*box)->spec.timeout_seconds, 60);
  EXPECT_FALSE((*box)->spec.network.public_traffic);  // an address with its id opens its servers
  EXPECT_TRUE(local_.Get("mine", boxes::UuidOfBox((*box)->id)));
  EXPECT_EQ((*local_.GetByServer("mine", annotation->servers[1].id))->id, (*box)->id);
}

TEST_F(LocalSandboxesTest, RestsWhenItHasNoEnd) {
  AcquireLocal request;
  request.account_id = "mine";
  request.servers = {"git"};
  auto box = RunToEnd(local_.Acquire(std::move(request)));
  ASSERT_TRUE(box);
  EXPECT_GT((*box)->spec.idle_seconds, 0);
  EXPECT_EQ((*box)->spec.timeout_seconds, 0);
}

TEST_F(LocalSandboxesTest, KnowsNeitherStrangersNorOtherBoxes) {
  auto box = Acquire({"git"});
  const std::string uuid = boxes::UuidOfBox((*box)->id);
  EXPECT_EQ(local_.Get("other", uuid).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(local_.GetByServer("other", LocalAnnotationOf(**box)->servers[0].id).error().code,
            ErrorCode::kNotFound);
  std::string plain = boxes_.Put(boxes::Box{});
  EXPECT_EQ(local_.Get("mine", boxes::UuidOfBox(plain)).error().code, ErrorCode::kNotFound);
  for (const char* wrong : {"", "x", "../../etc", "00000000-0000-0000-0000-000000000000"})
    EXPECT_EQ(local_.Get("mine", wrong).error().code, ErrorCode::kNotFound) << wrong;
  EXPECT_THAT(local_.List("mine"), SizeIs(1));
  EXPECT_THAT(local_.List("other"), SizeIs(0));
}

TEST_F(LocalSandboxesTest, RefusesServersThatAreNotOnOffer) {
  EXPECT_EQ(Acquire({"word"}).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(LocalSandboxesTest, SaysWhenThereAreNoWorkspaces) {
  LocalSandboxes none(boxes_, servers_, nullptr);
  AcquireLocal request;
  request.servers = {"git"};
  auto box = RunToEnd(none.Acquire(std::move(request)));
  ASSERT_FALSE(box);
  EXPECT_THAT(box.error().message, HasSubstr("viv-tools is missing"));
}

TEST_F(LocalSandboxesTest, SetsDialectDataWithoutLosingTheRest) {
  auto box = Acquire({"git"}, "MCP_Atlas");
  ASSERT_TRUE(RunToEnd(local_.SetDialectData(*box, {{"a", 1}})));
  auto annotation = LocalAnnotationOf(**boxes_.Find((*box)->id));
  EXPECT_EQ(annotation->dialect_data.at("a").as_int64(), 1);
  EXPECT_EQ(annotation->benchmark, "MCP_Atlas");
  EXPECT_THAT(annotation->servers, SizeIs(1));
}

TEST_F(LocalSandboxesTest, PassesOnThatABoxDoesNotAnswer) {
  auto box = Acquire({"git"});
  boxes_.dial_failure = Error{ErrorCode::kUnavailable, "gone"};
  auto text = RunToEnd(local_.RunForText(*box, {.arguments = {"true"}}, nullptr, 10));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace viv::local
