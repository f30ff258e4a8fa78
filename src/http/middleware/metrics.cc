#include "http/middleware/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/check.h"

namespace viv::http {
namespace {

bool IsName(std::string_view text) {
  auto allowed = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == ':'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::all_of(text.begin(), text.end(), allowed);
}

std::string Escape(std::string_view text, bool quotes) {
  std::string out;
  for (char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\' || (c == '"' && quotes)) {
      out.append("\\").append(1, c);
    } else {
      out += c;
    }
  }
  return out;
}

// `name="value",…` without braces, so that a bucket can add its bound.
std::string RenderLabels(const Metrics::Labels& labels) {
  std::string out;
  for (const auto& [name, value] : labels) {
    CHECK(IsName(name));
    out += fmt::format("{}{}=\"{}\"", out.empty() ? "" : ",", name, Escape(value, true));
  }
  return out;
}

std::string Braced(const std::string& labels) {
  return labels.empty() ? "" : "{" + labels + "}";
}

std::string Number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

void RenderHistogram(std::string& out,
                     const std::string& name,
                     const std::string& labels,
                     const Histogram& histogram) {
  std::string separator = labels.empty() ? "" : ",";
  const std::vector<double>& bounds = histogram.upper_bounds();
  std::uint64_t total = 0;
  for (std::size_t i = 0; i <= bounds.size(); ++i) {
    total += histogram.count(i);
    std::string bound = i < bounds.size() ? Number(bounds[i]) : "+Inf";
    out += fmt::format("{}_bucket{{{}{}le=\"{}\"}} {}\n", name, labels, separator, bound, total);
  }
  out += fmt::format("{}_sum{} {}\n", name, Braced(labels), Number(histogram.sum()));
  out += fmt::format("{}_count{} {}\n", name, Braced(labels), total);
}

}  // namespace

Histogram::Histogram(std::vector<double> upper_bounds)
    : upper_bounds_(std::move(upper_bounds)), counts_(upper_bounds_.size() + 1) {
  CHECK(std::is_sorted(upper_bounds_.begin(), upper_bounds_.end()));
}

void Histogram::Observe(double value) {
  auto bucket = std::lower_bound(upper_bounds_.begin(), upper_bounds_.end(), value);
  counts_[bucket - upper_bounds_.begin()].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

std::uint64_t Histogram::count(std::size_t index) const {
  return counts_[index].load(std::memory_order_relaxed);
}

struct Metrics::Series {
  std::string labels;  // rendered
  std::unique_ptr<Counter> counter;
  std::unique_ptr<Histogram> histogram;
  std::function<double()> gauge;
};

struct Metrics::Family {
  Kind kind;
  std::string help;
  std::vector<std::unique_ptr<Series>> series;
};

Metrics::Metrics() = default;
Metrics::~Metrics() = default;

Metrics::Series& Metrics::Find(const Name& name, Kind kind, const Labels& labels) {
  CHECK(IsName(name.name));
  auto& family = families_[name.name];
  if (!family) family = std::make_unique<Family>(Family{kind, name.help, {}});
  CHECK(family->kind == kind);
  std::string rendered = RenderLabels(labels);
  for (auto& series : family->series) {
    if (series->labels == rendered) return *series;
  }
  family->series.push_back(std::make_unique<Series>());
  family->series.back()->labels = std::move(rendered);
  return *family->series.back();
}

Counter& Metrics::AddCounter(const Name& name, const Labels& labels) {
  std::lock_guard lock(mutex_);
  Series& series = Find(name, Kind::kCounter, labels);
  if (!series.counter) series.counter = std::make_unique<Counter>();
  return *series.counter;
}

void Metrics::AddGauge(const Name& name, const Labels& labels, std::function<double()> read) {
  std::lock_guard lock(mutex_);
  Find(name, Kind::kGauge, labels).gauge = std::move(read);
}

Histogram& Metrics::AddHistogram(const Name& name,
                                 const Labels& labels,
                                 std::vector<double> upper_bounds) {
  std::lock_guard lock(mutex_);
  Series& series = Find(name, Kind::kHistogram, labels);
  if (!series.histogram) series.histogram = std::make_unique<Histogram>(std::move(upper_bounds));
  return *series.histogram;
}

std::string Metrics::Render() const {
  constexpr const char* kKinds[] = {"counter", "gauge", "histogram"};
  std::lock_guard lock(mutex_);
  std::string out;
  for (const auto& [name, family] : families_) {
    out += fmt::format("# HELP {} {}\n", name, Escape(family->help, false));
    out += fmt::format("# TYPE {} {}\n", name, kKinds[static_cast<int>(family->kind)]);
    for (const auto& series : family->series) {
      if (series->counter) {
        out += fmt::format("{}{} {}\n", name, Braced(series->labels), series->counter->value());
      } else if (series->gauge) {
        out += fmt::format("{}{} {}\n", name, Braced(series->labels), Number(series->gauge()));
      } else if (series->histogram) {
        RenderHistogram(out, name, series->labels, *series->histogram);
      }
    }
  }
  return out;
}

}  // namespace viv::http
