#include "http/middleware/request_metrics.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace viv::http {
namespace {

constexpr std::array<std::string_view, 8> kMethods = {"GET",    "POST", "PUT",     "PATCH",
                                                      "DELETE", "HEAD", "OPTIONS", "other"};
constexpr std::array<std::string_view, 5> kClasses = {"1xx", "2xx", "3xx", "4xx", "5xx"};

class Recorder {
 public:
  explicit Recorder(Metrics& metrics)
      : seconds_(metrics.AddHistogram(
            {"http_request_duration_seconds", "Time from request to answer."},
            {},
            {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10})) {
    for (std::size_t m = 0; m < kMethods.size(); ++m) {
      for (std::size_t c = 0; c < kClasses.size(); ++c) {
        Metrics::Labels labels{{"method", std::string(kMethods[m])},
                               {"status", std::string(kClasses[c])}};
        counters_[m][c] =
            &metrics.AddCounter({"http_requests_total", "Requests answered."}, labels);
      }
    }
  }

  void Record(std::string_view method, int status, double seconds) {
    auto known = std::find(kMethods.begin(), kMethods.end() - 1, method);
    int status_class = std::clamp(status / 100, 1, 5) - 1;
    counters_[known - kMethods.begin()][status_class]->Add();
    seconds_.Observe(seconds);
  }

 private:
  std::array<std::array<Counter*, kClasses.size()>, kMethods.size()> counters_{};
  Histogram& seconds_;
};

Task<Response> ServeMeasured(const Handler& next, Recorder& recorder, Request& request) {
  auto began = std::chrono::steady_clock::now();
  auto record = [&](int status) {
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
    recorder.Record(request.method, status, elapsed.count());
  };
  try {
    Response response = co_await next(request);
    record(response.web_socket ? 101 : response.status);
    co_return response;
  } catch (...) {
    record(500);  // what the server makes of it
    throw;
  }
}

}  // namespace

Middleware RequestMetrics(Metrics& metrics) {
  // Shared, because std::function copies its closures.
  auto recorder = std::make_shared<Recorder>(metrics);
  return [recorder](Handler next) -> Handler {
    return [next = std::move(next), recorder](Request& request) {
      return ServeMeasured(next, *recorder, request);
    };
  };
}

}  // namespace viv::http
