#include "http/request_parser.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "base/text.h"

namespace viv::http {
namespace {

namespace beast = boost::beast;
using beast::error_code;
using beast::string_view;

constexpr std::size_t kRequestHeadersMax = 256;
constexpr std::size_t kBodyReserveMax = 1 << 20;  // a promised length is no reason to allocate it

bool HasToken(std::string_view list, std::string_view token) {
  for (std::string_view part : Split(list, ',')) {
    if (EqualsIgnoreCase(Trim(part), token)) return true;
  }
  return false;
}

// Writes straight into a Request; Beast's own message type would be one more copy of every header.
class RequestSink : public beast::http::basic_parser<true> {
 public:
  RequestSink(Request& request, std::uint64_t body_bytes_max)
      : request_(request), body_bytes_left_(body_bytes_max) {}

  int version() const { return version_; }
  bool headers_are_too_many() const { return headers_are_too_many_; }
  void StreamBody() { streams_ = true; }

 private:
  void on_request_impl(beast::http::verb,
                       string_view method,
                       string_view target,
                       int version,
                       error_code&) override {
    request_.method.assign(method.data(), method.size());
    request_.target.assign(target.data(), target.size());
    version_ = version;
  }

  void on_field_impl(beast::http::field,
                     string_view name,
                     string_view value,
                     error_code& error) override {
    if (in_body_)
      return;  // trailers are read and forgotten: nobody may add headers after the checks
    headers_are_too_many_ = request_.headers.size() >= kRequestHeadersMax;
    if (headers_are_too_many_) {
      error = beast::http::error::header_limit;
      return;
    }
    request_.headers.Add(std::string(name.data(), name.size()),
                         std::string(value.data(), value.size()));
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) override {
    if (length && !streams_)
      request_.body.reserve(std::min<std::uint64_t>(*length, kBodyReserveMax));
  }

  std::size_t on_body_impl(string_view bytes, error_code&) override {
    request_.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }

  std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code&) override {
    request_.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }

  // Beast's own limit would speak up before anyone could look at the head.
  void on_chunk_header_impl(std::uint64_t size, string_view, error_code& error) override {
    if (streams_) return;
    if (size > body_bytes_left_) {
      error = beast::http::error::body_limit;
    } else {
      body_bytes_left_ -= size;
    }
  }

  void on_header_impl(error_code&) override { in_body_ = true; }
  void on_finish_impl(error_code&) override {}
  void on_response_impl(int, string_view, int, error_code&) override {}

  Request& request_;
  std::uint64_t body_bytes_left_;  // of a chunked one
  int version_ = 11;
  bool in_body_ = false;
  bool streams_ = false;
  bool headers_are_too_many_ = false;
};

// The path and query of a target in origin form ("/a?b") or absolute form ("http://host/a?b"),
// which may do without a path.
bool SplitTarget(Request& request) {
  std::string_view target = request.target;
  if (target.empty()) return false;
  if (target.front() != '/' && target != "*") {
    std::size_t scheme = target.find("://");
    if (scheme == std::string_view::npos) return false;
    target.remove_prefix(std::min(target.find_first_of("/?", scheme + 3), target.size()));
  }
  std::size_t mark = target.find('?');
  request.path.assign(target.substr(0, mark));
  if (request.path.empty()) request.path = "/";
  if (mark != std::string_view::npos) request.query.assign(target.substr(mark + 1));
  return true;
}

std::size_t CountHeaders(const Headers& headers, std::string_view name) {
  return std::count_if(headers.begin(), headers.end(),
                       [&](const auto& header) { return EqualsIgnoreCase(header.first, name); });
}

void ClearRequest(Request& request) {
  request.method.clear();
  request.target.clear();
  request.path.clear();
  request.query.clear();
  request.headers.Clear();
  if (request.body.capacity() > kBodyReserveMax) request.body = std::string();
  request.body.clear();
  request.body_stream = nullptr;
  request.deferred_body = nullptr;
  request.identity = Identity();
  request.request_id.clear();
  request.parameters.clear();
}

}  // namespace

class RequestParser::Impl {
 public:
  explicit Impl(Limits limits) : limits_(limits) { Reset(); }

  void Reset() {
    ClearRequest(request_);
    sink_.emplace(request_, limits_.body_bytes);
    streams_body_ = defers_body_ = false;
    sink_->header_limit(static_cast<std::uint32_t>(
        std::min<std::size_t>(limits_.header_bytes, std::numeric_limits<std::uint32_t>::max())));
    sink_->body_limit(boost::none);
    head_bytes_ = 0;
    problem_ = Problem();
  }

  Step Feed(std::string_view bytes) {
    std::size_t skipped = 0;
    if (!sink_->got_some()) skipped = SkipEmptyLines(bytes);
    std::string_view rest = bytes.substr(skipped);
    bool half_a_line_end = !sink_->got_some() && rest == "\r";
    if (rest.empty() || half_a_line_end) return {State::kNeedsMore, skipped};
    Step step = sink_->is_header_done() ? FeedBody(rest) : FeedHead(rest);
    step.consumed += skipped;
    return step;
  }

  Request& request() { return request_; }
  const RequestSink& sink() const { return *sink_; }
  Problem problem() const { return problem_; }
  std::size_t head_bytes() const { return head_bytes_; }
  bool streams_body() const { return streams_body_; }
  bool defers_body() const { return defers_body_; }

 private:
  // Old clients send an empty line after a body; RFC 9112 wants it ignored.
  static std::size_t SkipEmptyLines(std::string_view bytes) {
    std::size_t skipped = 0;
    while (bytes.substr(skipped, 2) == "\r\n") skipped += 2;
    return skipped;
  }

  Step FeedHead(std::string_view bytes) {
    error_code error;
    sink_->eager(false);
    std::size_t consumed = 0;
    // Each call ends at the next structural border; a head has two.
    while (!error && !sink_->is_header_done() && consumed < bytes.size()) {
      consumed += sink_->put(Buffer(bytes.substr(consumed)), error);
    }
    head_bytes_ += consumed;
    if (!error || error == beast::http::error::need_more) {
      std::size_t pending = sink_->is_header_done() ? 0 : bytes.size() - consumed;
      if (head_bytes_ + pending > limits_.header_bytes) error = beast::http::error::header_limit;
    }
    if (error && error != beast::http::error::need_more) return Break(error, consumed);
    if (!sink_->is_header_done()) return {State::kNeedsMore, consumed};
    if (!CheckHead()) return {State::kBroken, consumed};
    return {sink_->is_done() ? State::kDone : State::kHeadDone, consumed};
  }

  Step FeedBody(std::string_view bytes) {
    error_code error;
    sink_->eager(true);
    std::size_t consumed = sink_->put(Buffer(bytes), error);
    if (error && error != beast::http::error::need_more) return Break(error, consumed);
    if (sink_->is_done()) return {State::kDone, consumed};
    // Only chunk extensions and trailers are ever left over; they have no limit of their own.
    if (bytes.size() - consumed > limits_.header_bytes) {
      return Break(beast::http::error::header_limit, consumed);
    }
    return {State::kNeedsMore, consumed};
  }

  bool CheckHead() {
    const Headers& headers = request_.headers;
    if (!SplitTarget(request_)) return Refuse(400, "malformed request target");
    std::size_t hosts = CountHeaders(headers, "host");
    if (hosts > 1 || (hosts == 0 && sink_->version() == 11)) {
      return Refuse(400, "exactly one Host header is required");
    }
    if (headers.Has("transfer-encoding") &&
        !EqualsIgnoreCase(headers.Get("transfer-encoding"), "chunked")) {
      return Refuse(501, "transfer encodings other than chunked are not supported");
    }
    streams_body_ =
        limits_.streams_body && *limits_.streams_body && (*limits_.streams_body)(request_);
    const std::uint64_t length = sink_->content_length().value_or(0);
    if (!streams_body_ && length > limits_.body_bytes) return Refuse(413, "request body too large");
    const bool whole = limits_.body_defer_above_bytes >= limits_.body_bytes;
    defers_body_ =
        !streams_body_ && !whole && (sink_->chunked() || length > limits_.body_defer_above_bytes);
    if (streams_body_ || defers_body_) sink_->StreamBody();
    return true;
  }

  bool Refuse(int status, std::string_view message) {
    problem_ = {status, message};
    return false;
  }

  Step Break(error_code error, std::size_t consumed) {
    if (error == beast::http::error::header_limit) {
      problem_ = {431, "request header too large"};
    } else if (error == beast::http::error::body_limit) {
      problem_ = {413, "request body too large"};
    } else if (error == beast::http::error::bad_version) {
      problem_ = {400, "malformed HTTP version"};
    } else {
      problem_ = {400, "malformed request"};
    }
    return {State::kBroken, consumed};
  }

  static asio::const_buffer Buffer(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

  const Limits limits_;
  Request request_;
  std::optional<RequestSink> sink_;
  std::size_t head_bytes_ = 0;
  bool streams_body_ = false;
  bool defers_body_ = false;
  Problem problem_;
};

RequestParser::RequestParser(Limits limits) : impl_(std::make_unique<Impl>(limits)) {}
RequestParser::~RequestParser() = default;

void RequestParser::Reset() {
  impl_->Reset();
}

RequestParser::Step RequestParser::Feed(std::string_view bytes) {
  return impl_->Feed(bytes);
}

Request& RequestParser::request() {
  return impl_->request();
}

bool RequestParser::started() const {
  return impl_->sink().got_some();
}

std::size_t RequestParser::head_bytes() const {
  return impl_->head_bytes();
}

RequestParser::Problem RequestParser::error() const {
  return impl_->problem();
}

bool RequestParser::is_http_1_1() const {
  return impl_->sink().version() == 11;
}

bool RequestParser::keep_alive() const {
  return impl_->sink().is_header_done() && impl_->sink().keep_alive();
}

bool RequestParser::wants_continue() const {
  return is_http_1_1() && EqualsIgnoreCase(impl_->request().headers.Get("expect"), "100-continue");
}

bool RequestParser::streams_body() const {
  return impl_->streams_body();
}

bool RequestParser::defers_body() const {
  return impl_->defers_body();
}

std::optional<std::uint64_t> RequestParser::body_bytes_left() const {
  auto left = impl_->sink().content_length_remaining();
  return left ? std::optional<std::uint64_t>(*left) : std::nullopt;
}

bool RequestParser::wants_web_socket() const {
  const Request& request = impl_->request();
  return is_http_1_1() && request.method == "GET" && impl_->sink().upgrade() &&
         HasToken(request.headers.Get("upgrade"), "websocket") &&
         request.headers.Get("sec-websocket-version") == "13" &&
         !request.headers.Get("sec-websocket-key").empty();
}

}  // namespace viv::http
