#pragma once
// A small Prometheus registry: counters, gauges read through a callback, and histograms of fixed
// buckets, in the text format 0.0.4. Values change by relaxed atomics, from any thread; only
// registering and rendering take the lock. What Add… returns lives as long as the registry.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace viv::http {

class Counter {
 public:
  void Add(std::uint64_t amount = 1) { value_.fetch_add(amount, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

class Histogram {
 public:
  explicit Histogram(std::vector<double> upper_bounds);  // ascending; infinity is implied

  void Observe(double value);
  const std::vector<double>& upper_bounds() const { return upper_bounds_; }
  // How many observations are in bucket `index` alone; the last one is that of infinity.
  std::uint64_t count(std::size_t index) const;
  double sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  const std::vector<double> upper_bounds_;
  std::vector<std::atomic<std::uint64_t>> counts_;
  std::atomic<double> sum_{0};
};

class Metrics {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;
  struct Name {
    std::string name;  // "http_requests_total"
    std::string help;
  };

  Metrics();
  ~Metrics();

  // The same name and labels give the same counter again. A malformed name, or one name for two
  // kinds, is our own bug and aborts.
  Counter& AddCounter(const Name& name, const Labels& labels = {});
  void AddGauge(const Name& name, const Labels& labels, std::function<double()> read);
  Histogram& AddHistogram(const Name& name, const Labels& labels, std::vector<double> upper_bounds);

  std::string Render() const;

  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  enum class Kind { kCounter, kGauge, kHistogram };
  struct Series;
  struct Family;

  Series& Find(const Name& name, Kind kind, const Labels& labels);

  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Family>> families_;  // by name; guarded by mutex_
};

}  // namespace viv::http
