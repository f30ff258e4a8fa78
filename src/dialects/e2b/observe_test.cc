#include "base/timestamp.h"
#include "dialects/e2b/test_support.h"

namespace viv::e2b {
namespace {

class ObserveTest : public E2bTest {
 protected:
  std::string PutMeasured(int points) {
    std::string id = Put();
    for (int i = 0; i < points; ++i) {
      boxes::MetricPoint point;
      point.at_us = (1000 + 5 * i) * 1'000'000LL;
      point.cpus = 2;
      point.cpu_used_percent = 50;
      point.memory_used_bytes = 100 + i;
      point.memory_total_bytes = 1000;
      boxes_.metrics[id].push_back(point);
    }
    return id;
  }
  void AddLog(std::int64_t at_ms, std::string level, std::string message) {
    boxes_.logs.push_back({at_ms * 1000, std::move(level), std::move(message), {{"pid", "7"}}});
  }
  std::string Messages(const ParsedResponse& response) {
    std::string all;
    for (const json::value& entry : response.body.at("logs").as_array())
      all += std::string(FindString(entry, "message")) + ' ';
    return all;
  }
};

TEST_F(ObserveTest, MetricsHaveEveryField) {
  ParsedResponse response = Call("GET", "/sandboxes/" + PutMeasured(1) + "/metrics");
  ASSERT_EQ(response.status, 200);
  EXPECT_EQ(response.text,
            R"([{"timestamp":"1970-01-01T00:16:40.000000Z","timestampUnix":1000,"cpuCount":2,)"
            R"("cpuUsedPct":25.0,"memUsed":100,"memTotal":1000,"memCache":0,"diskUsed":0,)"
            R"("diskTotal":0}])");
}

TEST_F(ObserveTest, MetricsHonourTheInterval) {
  std::string path = "/sandboxes/" + PutMeasured(10) + "/metrics";
  EXPECT_EQ(Call("GET", path).body.as_array().size(), 10u);
  EXPECT_EQ(Call("GET", path + "?start=1005&end=1010").body.as_array().size(), 2u);
  EXPECT_EQ(Call("GET", path + "?start=2000").text, "[]");
  for (const char* query : {"?start=x", "?start=-1", "?end=1.5", "?start=5&end=4"})
    EXPECT_EQ(Call("GET", path + query).status, 400) << query;
}

TEST_F(ObserveTest, MetricsOfANewSandboxAreEmpty) {
  EXPECT_EQ(Call("GET", "/sandboxes/" + Put() + "/metrics").text, "[]");
}

TEST_F(ObserveTest, BatchMetricsGiveTheLatestOfEach) {
  std::string a = PutMeasured(3), b = PutMeasured(1), none = Put();
  ParsedResponse response =
      Call("GET", "/sandboxes/metrics?sandbox_ids=" + a + "," + b + "-client," + none + ",igone");
  ASSERT_EQ(response.status, 200);
  const json::object& by_id = response.body.at("sandboxes").as_object();
  EXPECT_EQ(by_id.size(), 2u);
  EXPECT_EQ(by_id.at(a).at("memUsed").as_int64(), 102);
}

TEST_F(ObserveTest, BatchMetricsTakeAHundredAtMost) {
  std::string ids = "i0";
  for (int i = 1; i < 100; ++i) ids += ",i" + std::to_string(i);
  EXPECT_EQ(Call("GET", "/sandboxes/metrics?sandbox_ids=" + ids).status, 200);
  EXPECT_EQ(Call("GET", "/sandboxes/metrics?sandbox_ids=" + ids + ",i100").status, 400);
  EXPECT_EQ(Call("GET", "/sandboxes/metrics").status, 400);
  EXPECT_EQ(Call("GET", "/sandboxes/metrics?sandbox_ids=").status, 400);
}

TEST_F(ObserveTest, OlderLogsHaveJsonInEachLine) {
  AddLog(1000, "info", "one \"quoted\"");
  AddLog(2000, "odd", "two");
  ParsedResponse response = Call("GET", "/sandboxes/" + Put() + "/logs");
  ASSERT_EQ(response.status, 200);
  auto line = ParseJson(FindString(response.body.at("logs").at(0), "line"));
  ASSERT_TRUE(line);
  EXPECT_EQ(FindString(*line, "level"), "info");
  EXPECT_EQ(FindString(*line, "message"), "one \"quoted\"");
  EXPECT_EQ(FindString(*line, "pid"), "7");
  EXPECT_EQ(FindString(response.body.at("logEntries").at(1), "level"), "info");
}

TEST_F(ObserveTest, OlderLogsHonourStartAndLimit) {
  for (int i = 1; i <= 5; ++i) AddLog(i * 1000, "info", std::to_string(i));
  std::string path = "/sandboxes/" + Put() + "/logs";
  EXPECT_EQ(Call("GET", path + "?start=3000").body.at("logs").as_array().size(), 3u);
  EXPECT_EQ(Call("GET", path + "?limit=2").body.at("logs").as_array().size(), 2u);
  EXPECT_EQ(Call("GET", path + "?limit=5000").status, 200);
  EXPECT_EQ(Call("GET", path + "?limit=-1").status, 400);
  EXPECT_EQ(Call("GET", path + "?start=x").status, 400);
}

TEST_F(ObserveTest, LogsGoBothWaysAndFilter) {
  AddLog(1000, "debug", "a");
  AddLog(2000, "info", "b");
  AddLog(3000, "warn", "c x");
  AddLog(4000, "error", "d X");
  std::string path = "/v2/sandboxes/" + Put() + "/logs";
  EXPECT_EQ(Messages(Call("GET", path)), "a b c x d X ");
  EXPECT_EQ(Messages(Call("GET", path + "?direction=backward&limit=2")), "d X c x ");
  EXPECT_EQ(Messages(Call("GET", path + "?cursor=2000")), "b c x d X ");
  EXPECT_EQ(Messages(Call("GET", path + "?cursor=2000&direction=backward")), "b a ");
  EXPECT_EQ(Messages(Call("GET", path + "?level=warn")), "c x d X ");
  EXPECT_EQ(Messages(Call("GET", path + "?search=X")), "d X ");
  for (const char* query :
       {"?limit=1001", "?limit=x", "?cursor=-1", "?direction=up", "?level=loud"})
    EXPECT_EQ(Call("GET", path + query).status, 400) << query;
  EXPECT_EQ(Call("GET", path + "?search=" + std::string(257, 'a')).status, 400);
}

TEST_F(ObserveTest, BytesOfAGuestBecomeReadableJson) {
  AddLog(1000, "info", "bad \xff byte");
  ParsedResponse response = Call("GET", "/v2/sandboxes/" + Put() + "/logs");
  EXPECT_EQ(Messages(response), "bad ? byte ");
}

}  // namespace
}  // namespace viv::e2b
