#include "boxes/box_records.h"

#include <gtest/gtest.h>

namespace viv::boxes {
namespace {

TEST(BoxRecordsTest, ABoxComesBackAsItWas) {
  BoxRecord record;
  record.box.id = "i123";
  record.box.account_id = "alice";
  record.box.state = BoxState::kPaused;
  record.box.created_at_us = 1;
  record.box.started_at_us = 2;
  record.box.ends_at_us = 3;
  record.box.spec.template_id = "t";
  record.box.spec.template_name = "base";
  record.box.spec.metadata = {{"a b", "\"ü\n"}};
  record.box.spec.variables = {{"X", "1"}};
  record.box.spec.user = "root";
  record.box.spec.workdir = "/code";
  record.box.spec.limits = {.cpus = 1.5, .memory_bytes = 7, .processes = 9};
  record.box.spec.disk_bytes = 11;
  record.box.spec.network.egress = {{"example.com"}, {"0.0.0.0/0"}, false};
  record.box.spec.network.internet_requested = true;
  record.box.spec.network.public_traffic = true;
  record.box.spec.network.mask_request_host = "h:${PORT}";
  record.box.spec.network.tls_ports = {443, 8443};
  record.box.spec.on_timeout = OnTimeout::kStop;
  record.box.spec.wake = WakeOnTraffic::kPaused;
  record.box.spec.timeout_seconds = 12;
  record.box.spec.disposable = true;
  record.handle = {"p", "f", "n", 4, 55, 666, {{"", {"/x", "/y"}}, {"usr", {"/usr"}}}};

  auto read = ReadBoxRecord(WriteBoxRecord(record));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(WriteBoxRecord(*read), WriteBoxRecord(record));
  EXPECT_EQ(read->box.state, BoxState::kPaused);
  EXPECT_EQ(read->box.spec.metadata, record.box.spec.metadata);
  EXPECT_EQ(read->box.spec.network, record.box.spec.network);
  EXPECT_EQ(read->box.spec.on_timeout, OnTimeout::kStop);
  EXPECT_TRUE(read->box.spec.disposable);
  EXPECT_EQ(read->box.spec.limits.cpus, 1.5);
  EXPECT_EQ(read->handle.overlays, record.handle.overlays);
  EXPECT_EQ(read->handle.start_time, 666U);
}

TEST(BoxRecordsTest, WhatAnOlderServerDidNotWriteHasItsDefault) {
  auto read = ReadBoxRecord(R"({"id":"i1","place":{"folder":"f"}})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->box.spec.network.egress.internet);
  EXPECT_FALSE(read->box.spec.network.internet_requested.has_value());
  EXPECT_TRUE(read->box.spec.network.public_traffic);
  EXPECT_EQ(read->box.spec.timeout_seconds, 300);
  EXPECT_FALSE(read->box.spec.disposable);
}

TEST(BoxRecordsTest, PortsThatAnOlderServerOpenedForEveryDialectAreClosed) {
  auto is_public = [](std::string spec) {
    auto read = ReadBoxRecord(R"({"id":"i1","place":{"folder":"f"},"spec":)" + spec + "}");
    return read.has_value() && read->box.spec.network.public_traffic;
  };
  EXPECT_TRUE(is_public(R"({"network":{"public":true},"lasting":false})"));
  EXPECT_FALSE(is_public(R"({"network":{"public":false},"lasting":false})"));
  EXPECT_FALSE(is_public(R"({"network":{"public":true},"lasting":true})"));
  EXPECT_TRUE(is_public(R"({"network":{"public_traffic":true},"lasting":true})"));
  EXPECT_FALSE(is_public(R"({"network":{"public_traffic":false,"public":true}})"));
}

TEST(BoxRecordsTest, ABoxIsClosedUnlessSomebodyOpensIt) {
  EXPECT_FALSE(CreateBox().network.public_traffic);
}

TEST(BoxRecordsTest, OnlyADisposableBoxMayBeStoppedWithoutFiles) {
  BoxRecord record;
  record.box.id = "i1";
  record.box.state = BoxState::kStopped;
  EXPECT_FALSE(ReadBoxRecord(WriteBoxRecord(record)));
  record.box.spec.disposable = true;
  EXPECT_TRUE(ReadBoxRecord(WriteBoxRecord(record)));
  record.box.state = BoxState::kRunning;
  EXPECT_FALSE(ReadBoxRecord(WriteBoxRecord(record)));
}

TEST(BoxRecordsTest, RefusesWhatIsNoRecord) {
  for (const char* text : {"", "[]", "{", "{}", R"({"id":"i1"})", R"({"place":{"folder":"f"}})"})
    EXPECT_FALSE(ReadBoxRecord(text)) << text;
  for (const char* text : {"", "null", "{}", R"({"id":"t"})"})
    EXPECT_FALSE(ReadSnapshotRecord(text)) << text;
}

TEST(BoxRecordsTest, ASnapshotComesBackAsItWas) {
  SnapshotRecord record;
  record.id = "t";
  record.account_id = "alice";
  record.name = "n";
  record.origin_box = "i1";
  record.layer = "l";
  record.overlays = {{"", {"/l/root/upper", "/x"}}};
  record.variables = {{"A", "B"}};
  record.workdir = "/w";
  record.limits.memory_bytes = 5;
  record.disk_bytes = 6;
  record.created_at_us = 7;
  auto read = ReadSnapshotRecord(WriteSnapshotRecord(record));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(WriteSnapshotRecord(*read), WriteSnapshotRecord(record));
  EXPECT_EQ(read->overlays, record.overlays);
}

}  // namespace
}  // namespace viv::boxes
