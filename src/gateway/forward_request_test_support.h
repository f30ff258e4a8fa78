#pragma once
// For tests of forwarding: a guest, an origin and an intercepted connection in memory.

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "gateway/forward_request.h"
#include "http/await_tuple.h"

namespace viv::gateway {

// A queue of values: one side puts them in and the other waits for them.
template <typename T>
class TestQueue {
 public:
  explicit TestQueue(asio::io_context& io)
      : changed_(io, std::chrono::steady_clock::time_point::max()) {}

  void Put(T value) {
    values_.push_back(std::move(value));
    changed_.cancel();
  }
  void Break() {
    broken_ = true;
    changed_.cancel();
  }
  Task<Result<T>> Take() {
    while (values_.empty() && !broken_) co_await changed_.async_wait(http::kTuple);
    if (values_.empty()) co_return Fail(ErrorCode::kUnavailable, "it broke");
    T value = std::move(values_.front());
    values_.pop_front();
    co_return value;
  }

 private:
  asio::steady_timer changed_;
  std::deque<T> values_;
  bool broken_ = false;
};

class TestBytes : public http::ByteStream {
 public:
  explicit TestBytes(asio::io_context& io) : incoming(io) {}
  Task<Result<std::string>> Read() override { return incoming.Take(); }
  Task<Status> Write(std::string bytes) override {
    written += bytes;
    co_return Status();
  }
  void CloseWrite() override { write_closed = true; }

  TestQueue<std::string> incoming;
  std::string written;
  bool write_closed = false;
};

class TestGuest : public GuestExchange {
 public:
  TestGuest(asio::io_context& io, RequestHead head) : body(io), bytes(io), head_(std::move(head)) {}

  const RequestHead& head() const override { return head_; }
  Task<Result<std::string>> ReadBody() override {
    if (body_error) co_return PassUp(*body_error);
    co_return co_await body.Take();
  }
  const http::Headers& trailers() const override { return sent_trailers; }
  Task<Status> SendHead(ResponseHead head) override {
    if (gone) co_return Fail(ErrorCode::kUnavailable, "the guest went away");
    heads.push_back(std::move(head));
    co_return Status();
  }
  Task<Status> SendBody(std::string piece) override {
    if (gone) co_return Fail(ErrorCode::kUnavailable, "the guest went away");
    received += piece;
    largest = std::max(largest, piece.size());
    co_return Status();
  }
  Task<Status> Finish(http::Headers trailers) override {
    finished = true;
    received_trailers = std::move(trailers);
    co_return Status();
  }
  void Abort() override { aborted = true; }
  http::ByteStream* upgraded() override { return &bytes; }

  TestQueue<std::string> body;
  TestBytes bytes;
  std::optional<Error> body_error;
  http::Headers sent_trailers, received_trailers;
  std::vector<ResponseHead> heads;
  std::string received;
  std::size_t largest = 0;
  bool finished = false, aborted = false, gone = false;

 private:
  const RequestHead head_;
};

// What an origin received and will send; it outlives its exchanges.
struct TestOrigin {
  explicit TestOrigin(asio::io_context& io) : heads(io), body(io), bytes(io) {}

  TestQueue<ResponseHead> heads;
  TestQueue<std::string> body;
  TestBytes bytes;
  http::Headers trailers, received_trailers;
  std::vector<RequestHead> requests;
  std::string received;
  std::size_t largest = 0;
  bool finished = false;
  bool takes_body = true;
  // What its exchanges report after a failure.
  OriginExchange::Delivery delivery = OriginExchange::Delivery::kMaybeProcessed;
  int ended = 0;  // finished exchanges
};

class TestOriginExchange : public OriginExchange {
 public:
  explicit TestOriginExchange(TestOrigin& origin) : origin_(origin) {}
  ~TestOriginExchange() override { ++origin_.ended; }

  Task<Status> SendHead(RequestHead head) override {
    origin_.requests.push_back(std::move(head));
    co_return Status();
  }
  Task<Status> SendBody(std::string piece) override {
    if (!origin_.takes_body) co_return Fail(ErrorCode::kUnavailable, "the origin went away");
    origin_.received += piece;
    origin_.largest = std::max(origin_.largest, piece.size());
    co_return Status();
  }
  Task<Status> Finish(http::Headers sent) override {
    origin_.finished = true;
    origin_.received_trailers = std::move(sent);
    co_return Status();
  }
  Task<Result<ResponseHead>> ReadHead() override { return origin_.heads.Take(); }
  Task<Result<std::string>> ReadBody() override { return origin_.body.Take(); }
  const http::Headers& trailers() const override { return origin_.trailers; }
  http::ByteStream* upgraded() override { return &origin_.bytes; }
  Delivery delivery() const override { return origin_.delivery; }

 private:
  TestOrigin& origin_;
};

class TestInterceptedConnection : public InterceptedConnection {
 public:
  explicit TestInterceptedConnection(Info info) : info_(std::move(info)) {}

  const Info& info() const override { return info_; }
  bool AllowsHost(std::string_view host) const override { return host == allowed_host; }
  Task<Result<OpenedOrigin>> OpenOrigin(std::string host,
                                        OriginRequirements requirements) override {
    hosts.push_back(std::move(host));
    all_requirements.push_back(requirements);
    if (failure) co_return PassUp(*failure);
    TestOrigin* origin = origins.front();
    if (origins.size() > 1) origins.erase(origins.begin());
    OpenedOrigin opened{std::make_unique<TestOriginExchange>(*origin)};
    co_return opened;
  }
  void CountBytes(std::uint64_t out, std::uint64_t in) override {
    bytes_out += out;
    bytes_in += in;
  }
  network::FlowRecord Describe() const override {
    network::FlowRecord record;
    record.address = "192.0.2.1";
    record.rule = "allow *.example.com";
    record.bytes_out = record.bytes_in = 1'000'000;  // those of the connection so far
    return record;
  }
  void Log(const network::FlowRecord& record) override { records.push_back(record); }

  std::string allowed_host;
  std::shared_ptr<void> keeps;       // keeps alive what it refers to
  std::vector<TestOrigin*> origins;  // the last one also serves all further requests
  std::optional<Error> failure;
  std::vector<std::string> hosts;
  std::vector<OriginRequirements> all_requirements;
  std::vector<network::FlowRecord> records;
  std::uint64_t bytes_out = 0, bytes_in = 0;

 private:
  const Info info_;
};

class TestCredentials : public Credentials {
 public:
  bool AppliesToHost(std::string_view) const override { return true; }
  Body NeedsBody(const RequestHead&, const Destination&) const override { return needs; }
  Task<tl::expected<AppliedCredentials, Refusal>> Apply(RequestHead& head,
                                                        Destination to,
                                                        std::string_view body,
                                                        bool body_truncated) override {
    destination = std::move(to);
    seen_body = std::string(body);
    truncated = body_truncated;
    if (refusal) co_return tl::unexpected<Refusal>(*refusal);
    head.headers.Set("Authorization", "Bearer sesame");
    AppliedCredentials applied;
    applied.rule = rule;
    co_return applied;
  }

  Body needs = Body::kNotNeeded;
  std::string rule = "header rule test";
  std::optional<Refusal> refusal;
  Destination destination;
  std::string seen_body;
  bool truncated = false;
};

inline RequestHead RequestTo(std::string authority, std::string target = "/v1/things?secret=1") {
  RequestHead head;
  head.method = "GET";
  head.authority = std::move(authority);
  head.target = std::move(target);
  return head;
}

inline RequestHead PostTo(std::string authority) {
  RequestHead head = RequestTo(std::move(authority));
  head.method = "POST";
  head.has_body = true;
  return head;
}

inline ResponseHead ResponseOf(int status, bool has_body) {
  ResponseHead head;
  head.status = status;
  head.has_body = has_body;
  return head;
}

class ForwardRequestTest : public testing::Test {
 protected:
  ForwardRequestTest() : origin(io), second(io) { UseConnection({"api.example.com", 443, true}); }
  void UseConnection(InterceptedConnection::Info info) {
    connection = std::make_shared<TestInterceptedConnection>(std::move(info));
    connection->origins = {&origin};
  }

  void Start(RequestHead head) {
    guest = std::make_shared<TestGuest>(io, std::move(head));
    ended = false;
    asio::co_spawn(io, ForwardRequest(connection, credentials, guest),
                   [this](std::exception_ptr failure) {
                     EXPECT_FALSE(failure);
                     ended = true;
                   });
    Work();
  }
  // Runs everything that needs no more input from either side.
  void Work() {
    io.restart();
    io.poll();
  }
  int response_status() const { return guest->heads.empty() ? 0 : guest->heads.back().status; }
  const network::FlowRecord& record() const { return connection->records.at(0); }

  asio::io_context io;
  TestOrigin origin, second;
  std::shared_ptr<TestInterceptedConnection> connection;
  std::shared_ptr<TestCredentials> credentials = std::make_shared<TestCredentials>();
  std::shared_ptr<TestGuest> guest;
  bool ended = false;
};

}  // namespace viv::gateway
