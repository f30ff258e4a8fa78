#pragma once
// Runs the data plane's commands in the test's own process, its handlers called directly: a box
// with the users root and user (uid 1000), and clients that speak by WebSocket, by server-sent
// events or by plain requests.

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "agent/context.h"
#include "agent/dataplane/dataplane.h"
#include "agent/process/notifier.h"
#include "base/base64.h"
#include "base/json.h"

namespace viv::agent {

// A client of the exec WebSocket.
class TestSocket : public http::WebSocket {
 public:
  Task<Result<Message>> Read() override {
    while (inbox.empty() && !over()) co_await arrived.WaitUntil(Notifier::Time::max());
    if (inbox.empty()) co_return Fail(ErrorCode::kUnavailable, "closed");
    Message message{true, std::move(inbox.front())};
    inbox.pop_front();
    co_return message;
  }
  Task<Status> Write(Message message) override {
    while (stalled && !over()) co_await arrived.WaitUntil(Notifier::Time::max());
    if (over()) co_return Fail(ErrorCode::kUnavailable, "closed");
    json::value frame = *ParseJson(message.data);
    std::string type(FindString(frame, "type"));
    if (type == "stdout") Collect(frame, stdout_text);
    if (type == "stderr") Collect(frame, stderr_text);
    frames.push_back(std::move(frame));
    co_return Status();
  }
  Task<void> Close(int code, std::string) override {
    close_code = code;
    arrived.NotifyAll();
    co_return;
  }

  void Say(std::string frame) {
    inbox.push_back(std::move(frame));
    arrived.NotifyAll();
  }
  void Leave() {
    left = true;
    arrived.NotifyAll();
  }
  void Release() {
    stalled = false;
    arrived.NotifyAll();
  }

  bool over() const { return left || close_code != 0; }
  std::string TypeOf(std::size_t index) const {
    return index < frames.size() ? std::string(FindString(frames[index], "type")) : "";
  }
  const json::value* Last(std::string_view type) const {
    const json::value* found = nullptr;
    for (const json::value& frame : frames) {
      if (FindString(frame, "type") == type) found = &frame;
    }
    return found;
  }
  std::string id() const {
    return frames.empty() ? "" : std::string(FindString(frames[0], "command_id"));
  }
  std::int64_t pid() const { return frames.empty() ? 0 : frames[0].at("pid").as_int64(); }
  int exit_code() const {
    const json::value* exit = Last("exit");
    return exit ? static_cast<int>(exit->at("exit_code").as_int64()) : -1;
  }
  std::string error_type() const {
    const json::value* error = Last("error");
    return error ? std::string(FindString(*error, "error_type")) : "";
  }
  std::string error_text() const {
    const json::value* error = Last("error");
    return error ? std::string(FindString(*error, "error")) : "";
  }

  std::deque<std::string> inbox;
  bool left = false;
  bool stalled = false;
  int close_code = 0;
  Notifier arrived;
  std::vector<json::value> frames;
  std::string stdout_text;
  std::string stderr_text;
  bool done = false;
  asio::cancellation_signal cancel;

 private:
  static void Collect(const json::value& frame, std::string& text) {
    text += FindString(frame, "data");
  }
};

// A client of server-sent events.
class TestEvents : public http::BodyWriter {
 public:
  struct Event {
    std::string name;
    json::value data;
  };
  Task<Status> Write(std::string piece) override {
    if (left) co_return Fail(ErrorCode::kUnavailable, "gone");
    Take(piece);
    co_return Status();
  }
  void Abort() override {}

  const Event* Last(std::string_view name) const {
    const Event* found = nullptr;
    for (const Event& event : events) {
      if (event.name == name) found = &event;
    }
    return found;
  }
  std::string error_type() const {
    const Event* error = Last("error");
    return error ? std::string(FindString(error->data, "error_type")) : "";
  }

  std::vector<Event> events;
  std::string stdout_bytes;
  std::string stderr_bytes;
  bool left = false;
  bool done = false;
  http::Request request;
  http::Response response;
  asio::cancellation_signal cancel;

 private:
  void Take(const std::string& piece) {
    text_ += piece;
    for (std::size_t end; (end = text_.find("\n\n")) != std::string::npos;) {
      std::string event = text_.substr(0, end);
      text_.erase(0, end + 2);
      if (event.starts_with(':')) continue;
      std::size_t data = event.find("\ndata: ");
      events.push_back({event.substr(7, data - 7), *ParseJson(event.substr(data + 7))});
      const Event& last = events.back();
      if (last.name == "stdout") stdout_bytes += *DecodeBase64(FindString(last.data, "data"));
      if (last.name == "stderr") stderr_bytes += *DecodeBase64(FindString(last.data, "data"));
    }
  }
  std::string text_;
};

class TestClientConnection : public http::ClientConnection {
 public:
  bool IsClosed() override { return gone; }
  bool gone = false;
};

class CommandsFixture : public ::testing::Test {
 protected:
  CommandsFixture() {
    char pattern[] = "/tmp/viv-dataplane-test-XXXXXX";
    folder_ = ::mkdtemp(pattern);
    std::filesystem::permissions(folder_, std::filesystem::perms(0755));
    std::ofstream(folder_ + "/passwd") << "root:x:0:0:root:/root:/bin/bash\n"
                                       << "user:x:1000:1000::" << folder_ << ":/bin/bash\n";
    std::ofstream(folder_ + "/group") << "root:x:0:\nuser:x:1000:\nextra:x:1234:user\n";
    context_.users = Users(folder_);
    context_.default_user = "root";
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // as pid 1 in a box
    commands_ = std::make_unique<Commands>(context_);
    commands_->AddTo(router_);
  }
  ~CommandsFixture() override {
    for (auto& socket : sockets_) {
      if (!socket->done) socket->cancel.emit(asio::cancellation_type::terminal);
    }
    for (auto& stream : streams_) {
      if (!stream->done) stream->cancel.emit(asio::cancellation_type::terminal);
    }
    commands_.reset();
    io_.restart();
    io_.run();
    std::filesystem::remove_all(folder_);
  }

  void RunUntil(const std::function<bool()>& reached) {
    io_.restart();
    while (!reached() && io_.run_one() > 0) {
    }
    EXPECT_TRUE(reached()) << "nothing is left that could happen";
  }
  void RunUntilNothingRuns() {
    RunUntil([this] { return commands_->running() == 0; });
  }

  TestSocket& Open(std::string first_frame, bool stalled = false) {
    TestSocket& socket = *sockets_.emplace_back(std::make_shared<TestSocket>());
    socket.stalled = stalled;
    socket.Say(std::move(first_frame));
    asio::co_spawn(io_, Serve(sockets_.back()),
                   asio::bind_cancellation_slot(socket.cancel.slot(), asio::detached));
    return socket;
  }
  TestSocket& Finish(TestSocket& socket) {
    RunUntil([&] { return socket.done; });
    return socket;
  }
  TestSocket& AwaitOutput(TestSocket& socket, const std::string& text) {
    RunUntil([&] { return socket.done || socket.stdout_text.find(text) != std::string::npos; });
    return socket;
  }
  // `more` are members, each with a comma in front.
  static std::string Execute(const std::string& command, const std::string& more = "") {
    json::object frame;
    frame["type"] = "execute";
    frame["command"] = command;
    std::string text = WriteJson(frame);
    text.pop_back();
    return text + more + "}";
  }
  TestSocket& Run(const std::string& command, const std::string& more = "") {
    return Finish(Open(Execute(command, more)));
  }
  static std::string Reconnect(const std::string& id,
                               std::uint64_t out = 0,
                               std::uint64_t err = 0) {
    return R"({"type":"reconnect","command_id":")" + id + R"(","stdout_offset":)" +
           std::to_string(out) + R"(,"stderr_offset":)" + std::to_string(err) + "}";
  }
  static std::string Input(const std::string& data) {
    json::object frame;
    frame["type"] = "input";
    frame["data"] = data;
    return WriteJson(frame);
  }

  TestEvents& Stream(const std::string& step, const std::string& body) {
    TestEvents& stream = *streams_.emplace_back(std::make_shared<TestEvents>());
    stream.request.method = "POST";
    stream.request.path = "/dataplane/execute/stream/" + step;
    stream.request.body = body;
    asio::co_spawn(io_, ServeEvents(streams_.back()),
                   asio::bind_cancellation_slot(stream.cancel.slot(), asio::detached));
    return stream;
  }
  TestEvents& Finish(TestEvents& stream) {
    RunUntil([&] { return stream.done; });
    return stream;
  }

  struct OnceAnswer {
    int status = 0;
    json::value body;
    std::string error() const {
      const json::value* detail = Find(body, "detail");
      return detail ? std::string(FindString(*detail, "error")) : "";
    }
    std::string message() const {
      const json::value* detail = Find(body, "detail");
      return detail ? std::string(FindString(*detail, "message")) : "";
    }
  };
  OnceAnswer Once(const std::string& body) {
    http::Request request;
    request.method = "POST";
    request.path = "/dataplane/execute";
    request.body = body;
    request.client = &client_end_;
    bool done = false;
    OnceAnswer answer;
    asio::co_spawn(io_, (*router_.Find("POST", request.path).handler)(request),
                   [&](std::exception_ptr failure, http::Response response) {
                     EXPECT_FALSE(failure);
                     answer.status = response.status;
                     if (!response.body.empty()) answer.body = *ParseJson(response.body);
                     done = true;
                   });
    RunUntil([&] { return done; });
    return answer;
  }

  std::string folder_;
  asio::io_context io_{1};
  Context context_;
  http::Router router_;
  TestClientConnection client_end_;
  std::unique_ptr<Commands> commands_;
  std::vector<std::shared_ptr<TestSocket>> sockets_;
  std::vector<std::shared_ptr<TestEvents>> streams_;

 private:
  // Tells its end also when the client leaves.
  struct DoneFlag {
    bool& done;
    ~DoneFlag() { done = true; }
  };
  Task<void> Serve(std::shared_ptr<TestSocket> socket) {
    DoneFlag done{socket->done};
    http::Request request;
    auto match = router_.Find("GET", "/dataplane/execute/ws");
    http::Response response = co_await (*match.handler)(request);
    co_await response.web_socket(*socket);
  }
  Task<void> ServeEvents(std::shared_ptr<TestEvents> stream) {
    DoneFlag done{stream->done};
    auto match = router_.Find("POST", stream->request.path);
    stream->response = co_await (*match.handler)(stream->request);
    if (stream->response.stream) co_await stream->response.stream(*stream);
    stream->response.stream = nullptr;
  }
};

}  // namespace viv::agent
