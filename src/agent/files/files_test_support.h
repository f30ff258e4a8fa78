#pragma once
// For tests of /files and filesystem.Filesystem: a folder that stands for a box, with users of its
// own, and a client that calls the handlers on a loop of its own.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "agent/context.h"
#include "agent/envd_schema.h"
#include "agent/files/files.h"
#include "base/json.h"
#include "http/router.h"

namespace viv::agent {

constexpr uid_t kTestUid = 1000;

// What a client reads of a streamed answer.
class CollectedBody : public http::BodyWriter {
 public:
  Task<Status> Write(std::string piece) override {
    if (closed) co_return Fail(ErrorCode::kUnavailable, "closed");
    pieces.push_back(piece.size());
    bytes += piece;
    co_return Status();
  }
  void Abort() override { aborted = true; }

  std::string bytes;
  std::vector<std::size_t> pieces;
  bool aborted = false;
  bool closed = false;  // the client went away
};

// What a client sends in pieces; then the end, or an error.
class SentBody : public http::BodyReader {
 public:
  explicit SentBody(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
  Task<Result<std::string>> Read() override {
    if (next_ < pieces_.size()) co_return pieces_[next_++];
    if (breaks) co_return Fail(ErrorCode::kUnavailable, "the client went away");
    co_return std::string();
  }
  bool breaks = false;
  bool read_through() const { return next_ == pieces_.size(); }

 private:
  std::vector<std::string> pieces_;
  std::size_t next_ = 0;
};

// Mounted as long as it lives. Machines that do not let tests mount have errno in `error`.
class TestMount {
 public:
  TestMount(const char* source,
            std::string target,
            const char* type,
            unsigned long flags,
            const char* options)
      : target_(std::move(target)) {
    if (::mount(source, target_.c_str(), type, flags, options) != 0) error = errno;
  }
  ~TestMount() { Unmount(); }
  TestMount(const TestMount&) = delete;
  TestMount& operator=(const TestMount&) = delete;

  void Unmount() {
    if (error == 0) ::umount2(target_.c_str(), MNT_DETACH);
    error = -1;
  }
  int error = 0;

 private:
  std::string target_;
};

class FilesTest : public testing::Test {
 protected:
  FilesTest() {
    char folder[] = "/tmp/viv-files-test-XXXXXX";
    EXPECT_NE(::mkdtemp(folder), nullptr);
    root_ = folder;
    EXPECT_EQ(::chmod(root_.c_str(), 0755), 0);
    std::filesystem::create_directories(root_ + "/etc");
    MakeHome("user", kTestUid);
    MakeHome("root", 0);
    Put("etc/passwd", "root:x:0:0::" + root_ + "/home/root:/bin/sh\nuser:x:1000:1000::" + root_ +
                          "/home/user:/bin/sh\n");
    Put("etc/group", "root:x:0:\nuser:x:1000:\nteam:x:2000:user\n");
    context_.users = Users(root_ + "/etc");
    files_ = std::make_unique<Files>(context_);
    files_->AddTo(router_, EnvdSchema());
  }
  ~FilesTest() override { std::filesystem::remove_all(root_); }

  void MakeHome(const std::string& name, uid_t uid) {
    std::string home = root_ + "/home/" + name;
    std::filesystem::create_directories(home);
    EXPECT_EQ(::chown(home.c_str(), uid, uid), 0);
  }

  std::string Home(std::string_view name = "") const {
    return root_ + "/home/user" + (name.empty() ? "" : "/") + std::string(name);
  }

  // As root, below the box's folder.
  void Put(const std::string& name, std::string_view content) {
    std::ofstream(root_ + "/" + name, std::ios::binary) << content;
  }
  // As root and then the user's, below the home.
  void PutOwn(const std::string& name, std::string_view content, mode_t mode = 0644) {
    Put("home/user/" + name, content);
    EXPECT_EQ(::chown(Home(name).c_str(), kTestUid, kTestUid), 0);
    EXPECT_EQ(::chmod(Home(name).c_str(), mode), 0);
  }
  static std::string Content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static struct stat Info(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
    return info;
  }
  // Names in a folder, hidden ones too.
  static std::vector<std::string> Names(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  static http::Request MakeRequest(std::string method, std::string_view target) {
    http::Request request;
    request.method = std::move(method);
    request.target = target;
    request.path = target.substr(0, target.find('?'));
    if (target.find('?') != std::string_view::npos) {
      request.query = target.substr(target.find('?') + 1);
    }
    return request;
  }

  // The response, its streamed body read to the end into `body` unless the test does that.
  http::Response Send(http::Request request) {
    http::Router::Match match = router_.Find(request.method, request.path);
    EXPECT_NE(match.handler, nullptr) << request.path;
    http::Response response;
    bool done = false;
    auto run = [&]() -> Task<void> {
      response = co_await (*match.handler)(request);
      done = true;
    };
    Spawn(run());
    RunUntil([&] { return done; });
    if (response.stream && reads_streams_) ReadStream(response);
    return response;
  }

  http::Response Get(const std::string& query, std::vector<std::string> headers = {}) {
    http::Request request = MakeRequest("GET", "/files?" + query);
    for (std::size_t at = 0; at + 1 < headers.size(); at += 2) {
      request.headers.Add(headers[at], headers[at + 1]);
    }
    return Send(std::move(request));
  }

  // A unary call; the response's JSON.
  json::object Call(const std::string& method, json::object message, std::string basic = {}) {
    http::Request request = MakeRequest("POST", "/filesystem.Filesystem/" + method);
    request.headers.Add("Content-Type", "application/json");
    if (!basic.empty()) request.headers.Add("Authorization", "Basic " + basic);
    request.body = WriteJson(message);
    http::Response response = Send(std::move(request));
    call_status_ = response.status;
    Result<json::value> answer = ParseJson(response.body);
    EXPECT_TRUE(answer) << response.body;
    return answer && answer->is_object() ? answer->get_object() : json::object();
  }
  static std::string Text(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(View(value->get_string())) : "";
  }

  void Spawn(Task<void> task) {
    asio::co_spawn(io_, std::move(task), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
  }
  // The limit only keeps a failing test from hanging.
  void RunUntil(const std::function<bool()>& done) {
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    io_.restart();
    while (!done()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "nothing happened";
      io_.run_one_for(std::chrono::seconds(1));
    }
  }
  void ReadStream(http::Response& response) {
    body_ = CollectedBody();
    bool done = false;
    auto run = [&]() -> Task<void> {
      co_await response.stream(body_);
      done = true;
    };
    Spawn(run());
    RunUntil([&] { return done; });
    response.body = body_.bytes;
  }

  std::string root_;
  Context context_;
  std::unique_ptr<Files> files_;
  http::Router router_;
  CollectedBody body_;
  int call_status_ = 0;
  bool reads_streams_ = true;
  asio::io_context io_;  // last: what it still holds refers to the others
};

}  // namespace viv::agent
