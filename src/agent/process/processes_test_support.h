#pragma once
// Runs the process service in the test's own process, its handlers called directly: a box of our
// own with the users root and user (uid 1000), and clients whose streams are collected.

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/prctl.h>

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
#include "agent/envd_schema.h"
#include "agent/process/notifier.h"
#include "agent/process/processes.h"
#include "base/base64.h"
#include "rpc/connect/envelope.h"

namespace viv::agent {

// A client of a streaming call: what it was told so far, and how it ended.
class TestStream : public http::BodyWriter {
 public:
  Task<Status> Write(std::string piece) override {
    while (stalled) co_await released.WaitUntil(Notifier::Time::max());
    splitter.Feed(piece);
    for (auto next = splitter.Next(); next && *next; next = splitter.Next()) {
      json::value message = *ParseJson((*next)->message);
      if (((*next)->flags & connect::kFlagEndStream) != 0) {
        end = std::move(message);
      } else {
        Take(std::move(message));
      }
    }
    co_return Status();
  }
  void Abort() override {}

  bool started() const { return pid != 0; }
  bool told_end() const { return !process_end.is_null(); }
  std::string error_code() const {
    const json::value* error = Find(end, "error");
    return error ? std::string(FindString(*error, "code")) : "";
  }
  std::string error_message() const {
    const json::value* error = Find(end, "error");
    return error ? std::string(FindString(*error, "message")) : "";
  }

  bool stalled = false;
  Notifier released;
  std::int64_t pid = 0;
  std::string stdout_bytes;
  std::string stderr_bytes;
  std::string terminal_bytes;
  json::value process_end;  // the end event, once told
  json::value end;          // the last envelope
  int keepalives = 0;
  bool done = false;
  http::Request request;
  http::Response response;
  asio::cancellation_signal cancel;

 private:
  void Take(json::value message) {
    const json::value& event = message.at("event");
    if (const json::value* start = Find(event, "start")) pid = start->at("pid").as_int64();
    if (const json::value* over = Find(event, "end")) process_end = *over;
    if (Find(event, "keepalive") != nullptr) ++keepalives;
    const json::value* data = Find(event, "data");
    if (data == nullptr) return;
    stdout_bytes += *DecodeBase64(FindString(*data, "stdout"));
    stderr_bytes += *DecodeBase64(FindString(*data, "stderr"));
    terminal_bytes += *DecodeBase64(FindString(*data, "pty"));
  }

  connect::EnvelopeSplitter splitter;
};

class ProcessesFixture : public ::testing::Test {
 protected:
  using Header = std::pair<std::string, std::string>;

  ProcessesFixture() {
    char pattern[] = "/tmp/viv-agent-test-XXXXXX";
    folder_ = ::mkdtemp(pattern);
    std::filesystem::permissions(folder_, std::filesystem::perms(0755));
    std::ofstream(folder_ + "/passwd") << "root:x:0:0:root:/root:/bin/bash\n"
                                       << "user:x:1000:1000::" << folder_ << ":/bin/bash\n";
    std::ofstream(folder_ + "/group") << "root:x:0:\nuser:x:1000:\nextra:x:1234:user\n";
    context_.users = Users(folder_);
    context_.default_user = "root";
    // Orphans come to us, as they come to pid 1 in a box.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    processes_ = std::make_unique<Processes>(context_);
    processes_->AddTo(router_, EnvdSchema());
  }
  ~ProcessesFixture() override {
    for (auto& stream : streams_) {
      if (!stream->done) stream->cancel.emit(asio::cancellation_type::terminal);
    }
    processes_.reset();
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

  TestStream& Open(const std::string& method,
                   const std::string& message,
                   const std::vector<Header>& headers = {}) {
    TestStream& stream = *streams_.emplace_back(std::make_shared<TestStream>());
    Prepare(stream.request, method, "application/connect+json", headers);
    stream.request.body = connect::WrapEnvelope(0, message);
    asio::co_spawn(io_, Serve(streams_.back()),
                   asio::bind_cancellation_slot(stream.cancel.slot(), asio::detached));
    return stream;
  }
  TestStream& OpenShell(const std::string& script, const std::vector<Header>& headers = {}) {
    return Open("Start", ShellRequest(script, false), headers);
  }
  // Runs it to its end.
  TestStream& Shell(const std::string& script, const std::vector<Header>& headers = {}) {
    return Finish(OpenShell(script, headers));
  }
  TestStream& Finish(TestStream& stream) {
    RunUntil([&] { return stream.done; });
    return stream;
  }
  TestStream& WaitForOutput(TestStream& stream, const std::string& text) {
    RunUntil([&] {
      return stream.done || stream.stdout_bytes.find(text) != std::string::npos ||
             stream.terminal_bytes.find(text) != std::string::npos;
    });
    return stream;
  }

  static std::string ShellRequest(const std::string& script, bool with_stdin) {
    json::object config;
    config["cmd"] = "/bin/sh";
    config["args"] = json::array{"-c", script};
    json::object request;
    request["process"] = std::move(config);
    request["stdin"] = with_stdin;
    return WriteJson(request);
  }

  struct UnaryAnswer {
    int status = 0;
    json::value body;
    std::string code() const { return std::string(FindString(body, "code")); }
  };
  UnaryAnswer Call(const std::string& method,
                   const std::string& message,
                   const std::vector<Header>& headers = {}) {
    http::Request request;
    Prepare(request, method, "application/json", headers);
    request.body = message;
    bool done = false;
    http::Response response;
    asio::co_spawn(io_, (*router_.Find("POST", request.path).handler)(request),
                   [&](std::exception_ptr failure, http::Response answer) {
                     EXPECT_FALSE(failure);
                     response = std::move(answer);
                     done = true;
                   });
    RunUntil([&] { return done; });
    return {response.status, *ParseJson(response.body)};
  }
  static std::string Selector(const TestStream& stream) {
    return R"("process":{"pid":)" + std::to_string(stream.pid) + "}";
  }
  static std::string Stdin(const TestStream& stream, std::string_view bytes) {
    return "{" + Selector(stream) + R"(,"input":{"stdin":")" + EncodeBase64(bytes) + R"("}})";
  }

  std::string folder_;
  asio::io_context io_{1};
  Context context_;
  http::Router router_;
  std::unique_ptr<Processes> processes_;
  std::vector<std::shared_ptr<TestStream>> streams_;

 private:
  static void Prepare(http::Request& request,
                      const std::string& method,
                      const std::string& type,
                      const std::vector<Header>& headers) {
    request.method = "POST";
    request.path = "/process.Process/" + method;
    request.headers.Add("Content-Type", type);
    for (const auto& [name, value] : headers) request.headers.Add(name, value);
  }

  // The stream's flag tells its end, also when the client leaves.
  struct DoneAtEnd {
    TestStream& stream;
    ~DoneAtEnd() { stream.done = true; }
  };
  Task<void> Serve(std::shared_ptr<TestStream> stream) {
    DoneAtEnd done{*stream};
    auto match = router_.Find("POST", stream->request.path);
    stream->response = co_await (*match.handler)(stream->request);
    co_await stream->response.stream(*stream);
  }
};

}  // namespace viv::agent
