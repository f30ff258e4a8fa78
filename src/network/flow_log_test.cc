#include "network/flow_log.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "network/network_test_support.h"

namespace viv::network {
namespace {

namespace fs = std::filesystem;

class FlowLogTest : public testing::Test {
 protected:
  void SetUp() override { Reopen(); }
  void Reopen() {
    log_.reset();
    auto opened = FlowLog::Open(folder());
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    log_ = *std::move(opened);
  }
  std::string folder() const { return directory_.path() + "/egress"; }
  std::string Names(const std::string& box_id, std::size_t limit = 100) {
    std::string names;
    for (const json::object& record : log_->Read(box_id, limit))
      names += std::string(FindString(record, "name")) + " ";
    return names;
  }
  static FlowRecord Named(std::string name) {
    FlowRecord record;
    record.name = std::move(name);
    return record;
  }

  ScratchDirectory directory_;
  std::unique_ptr<FlowLog> log_;
};

TEST_F(FlowLogTest, ARecordComesBackWithWhatIsKnownOfIt) {
  FlowRecord record;
  record.at_us = 1'700'000'000'000'000;
  record.name = "api.example.com";
  record.address = "192.0.2.1";
  record.port = 443;
  record.protocol = "https";
  record.method = "POST";
  record.path = "/v1/\"x\"";
  record.status = 201;
  record.rule = "header rule one";
  record.verdict = "allowed";
  record.bytes_out = 5'000'000'000;
  record.duration_us = 12;
  log_->Append("box-1", record);
  auto read = log_->Read("box-1", 10);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(WriteJson(read[0]),
            R"({"at":"2023-11-14T22:13:20.000000Z","name":"api.example.com",)"
            R"("address":"192.0.2.1","port":443,"protocol":"https","method":"POST",)"
            R"("path":"/v1/\"x\"","status":201,"rule":"header rule one","verdict":"allowed",)"
            R"("bytes_out":5000000000,"duration_us":12})");
}

TEST_F(FlowLogTest, GivesTheNewestOldestFirstAndSurvivesARestart) {
  for (const char* name : {"a", "b", "c", "d"}) log_->Append("box", Named(name));
  EXPECT_EQ(Names("box"), "a b c d ");
  EXPECT_EQ(Names("box", 2), "c d ");
  EXPECT_EQ(Names("box", 0), "");
  EXPECT_EQ(Names("other"), "");
  log_->Append("box", Named("e"));
  Reopen();
  log_->Append("box", Named("f"));
  EXPECT_EQ(Names("box", 3), "d e f ");
}

TEST_F(FlowLogTest, OnlyTheServerReadsTheFiles) {
  log_->Append("box", Named("a"));
  ASSERT_EQ(Names("box"), "a ");
  struct stat found {};
  ASSERT_EQ(stat(folder().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700U);
  ASSERT_EQ(stat((folder() + "/box.jsonl").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600U);
}

TEST_F(FlowLogTest, KeepsTheNewestMegabytes) {
  FlowRecord record = Named("x");
  record.path = std::string(1000, 'p');
  for (int i = 0; i < 5000; ++i) {
    record.status = i + 1;
    log_->Append("box", record);
    if (i % 100 != 99) continue;
    ASSERT_EQ(log_->Read("box", 1).size(), 1U);  // which flushes the log
  }
  std::uintmax_t bytes = 0;
  for (const auto& file : fs::directory_iterator(folder())) bytes += file.file_size();
  EXPECT_GT(bytes, 1U << 20);
  EXPECT_LT(bytes, 3U << 20);
  auto read = log_->Read("box", 5000);
  ASSERT_GT(read.size(), 1000U);
  ASSERT_LT(read.size(), 4000U);
  std::int64_t expected = 5000;
  for (auto at = read.rbegin(); at != read.rend(); ++at)
    ASSERT_EQ(at->at("status").as_int64(), expected--);
}

TEST_F(FlowLogTest, AFloodIsCutAndSaysSo) {
  for (int i = 0; i < 20'000; ++i) log_->Append("box", Named("x"));
  log_->Append("quiet", Named("heard"));
  EXPECT_EQ(Names("quiet"), "heard ");
  bool told = false;
  for (const json::object& record : log_->Read("box", 100'000))
    told |= FindString(record, "reason").find("more were left out") != std::string_view::npos;
  EXPECT_TRUE(told);
}

TEST_F(FlowLogTest, HostileTextStaysOneLineOfJson) {
  FlowRecord record = Named("a\n{\"name\":\"forged\"}\n\xff");
  record.path = std::string(100'000, 'p');
  record.reason = std::string("\0\r\n", 3);
  log_->Append("box", record);
  auto read = log_->Read("box", 10);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_NE(FindString(read[0], "name"), "forged");
  EXPECT_LE(FindString(read[0], "path").size(), 1100U);
  EXPECT_TRUE(IsValidUtf8(FindString(read[0], "name")));
}

TEST_F(FlowLogTest, IdsThatAreNoFileNamesLeaveNothingAnywhere) {
  for (const std::string& id :
       {std::string(""), std::string("."), std::string(".."), std::string("../up"),
        std::string("a/b"), std::string("a.b"), std::string("a\0b", 3), std::string(200, 'a')}) {
    log_->Append(id, Named("x"));
    EXPECT_TRUE(log_->Read(id, 10).empty());
    log_->Remove(id);
  }
  EXPECT_TRUE(fs::is_empty(folder()));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_.path()), {}), 1);
}

TEST_F(FlowLogTest, RemovedBoxesLeaveNothingNotEvenLateOnes) {
  log_->Append("box", Named("a"));
  log_->Append("box2", Named("b"));
  log_->Remove("box");
  log_->Append("box", Named("late"));
  EXPECT_EQ(Names("box"), "");
  EXPECT_EQ(Names("box2"), "b ");
  EXPECT_FALSE(fs::exists(folder() + "/box.jsonl"));
}

TEST_F(FlowLogTest, KeepOnlyRemovesTheFilesOfAllOthers) {
  for (const char* id : {"one", "two", "three"}) log_->Append(id, Named("x"));
  EXPECT_EQ(Names("three"), "x ");
  fs::copy(folder() + "/two.jsonl", folder() + "/two.jsonl.1");
  log_->KeepOnly({"one", "four"});
  EXPECT_EQ(Names("one"), "x ");
  EXPECT_EQ(Names("two") + Names("three"), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), {}), 1);
}

TEST_F(FlowLogTest, LinesThatAreNoneAreSkipped) {
  log_->Append("box", Named("a"));
  ASSERT_EQ(Names("box"), "a ");
  std::ofstream(folder() + "/box.jsonl", std::ios::app) << "{\"name\":\"to\n\n[1]\n\xff\n";
  log_->Append("box", Named("b"));
  EXPECT_EQ(Names("box"), "a b ");
}

TEST(FlowLogOpenTest, AFolderThatCannotBeIsAnError) {
  ScratchDirectory directory;
  std::ofstream(directory.path() + "/file") << "x";
  EXPECT_FALSE(FlowLog::Open(directory.path() + "/file/egress"));
}

}  // namespace
}  // namespace viv::network
