#include "http/middleware/metrics.h"

#include <gtest/gtest.h>

#include <thread>

namespace viv::http {
namespace {

TEST(MetricsTest, RendersACounterWithLabels) {
  Metrics metrics;
  metrics.AddCounter({"calls_total", "Calls."}, {{"tool", "a"}}).Add(3);
  metrics.AddCounter({"calls_total", "Calls."}, {{"tool", "b"}});
  EXPECT_EQ(metrics.Render(),
            "# HELP calls_total Calls.\n# TYPE calls_total counter\n"
            "calls_total{tool=\"a\"} 3\ncalls_total{tool=\"b\"} 0\n");
}

TEST(MetricsTest, GivesTheSameCounterForTheSameName) {
  Metrics metrics;
  EXPECT_EQ(&metrics.AddCounter({"a", ""}), &metrics.AddCounter({"a", ""}));
  EXPECT_NE(&metrics.AddCounter({"a", ""}), &metrics.AddCounter({"a", ""}, {{"x", "y"}}));
}

TEST(MetricsTest, ReadsAGaugeWhenRendered) {
  Metrics metrics;
  double value = 1;
  metrics.AddGauge({"boxes", "Boxes."}, {}, [&value] { return value; });
  value = 2.5;
  EXPECT_EQ(metrics.Render(), "# HELP boxes Boxes.\n# TYPE boxes gauge\nboxes 2.5\n");
}

TEST(MetricsTest, AccumulatesBuckets) {
  Metrics metrics;
  Histogram& histogram = metrics.AddHistogram({"t", "T."}, {{"k", "v"}}, {0.5, 1});
  for (double value : {0.25, 0.5, 0.75, 8.0}) histogram.Observe(value);
  EXPECT_EQ(metrics.Render(),
            "# HELP t T.\n# TYPE t histogram\n"
            "t_bucket{k=\"v\",le=\"0.5\"} 2\nt_bucket{k=\"v\",le=\"1\"} 3\n"
            "t_bucket{k=\"v\",le=\"+Inf\"} 4\nt_sum{k=\"v\"} 9.5\nt_count{k=\"v\"} 4\n");
}

TEST(MetricsTest, EscapesLabelValuesAndHelp) {
  Metrics metrics;
  metrics.AddCounter({"a", "line\nbreak \\ \"q\""}, {{"x", "a\"b\\c\nd"}});
  EXPECT_EQ(metrics.Render(),
            "# HELP a line\\nbreak \\\\ \"q\"\n# TYPE a counter\na{x=\"a\\\"b\\\\c\\nd\"} 0\n");
}

TEST(MetricsTest, LosesNoCountAmongThreads) {
  Metrics metrics;
  Counter& counter = metrics.AddCounter({"a", ""});
  auto count = [&counter] {
    for (int i = 0; i < 10'000; ++i) counter.Add();
  };
  std::thread other(count);
  count();
  other.join();
  EXPECT_EQ(counter.value(), 20'000u);
}

TEST(MetricsDeathTest, RefusesAMalformedNameOrTwoKinds) {
  Metrics metrics;
  metrics.AddCounter({"a", ""});
  EXPECT_DEATH(metrics.AddCounter({"1a", ""}), "");
  EXPECT_DEATH(metrics.AddCounter({"", ""}), "");
  EXPECT_DEATH(metrics.AddCounter({"a b", ""}), "");
  EXPECT_DEATH(metrics.AddGauge({"a", ""}, {}, [] { return 0.0; }), "");
}

}  // namespace
}  // namespace viv::http
