#pragma once
// For tests of repositories: coroutines run to their end, bodies in pieces, answers collected.

#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <string>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "base/blocking_pool.h"
#include "git/repositories.h"
#include "http/message.h"

namespace viv::git {

template <typename T>
T RunGitTask(Task<T> task) {
  asio::io_context context;
  auto value = asio::co_spawn(context, std::move(task), asio::use_future);
  context.run();
  return value.get();
}

// A body that arrives in pieces, and may break.
class PieceReader : public http::BodyReader {
 public:
  Task<Result<std::string>> Read() override {
    if (pieces.empty() && broken) co_return Fail(ErrorCode::kUnavailable, "the client went away");
    if (pieces.empty()) co_return std::string();
    std::string piece = std::move(pieces.front());
    pieces.pop_front();
    co_return piece;
  }
  std::deque<std::string> pieces;
  bool broken = false;
};

class TextWriter : public http::BodyWriter {
 public:
  Task<Status> Write(std::string piece) override {
    text += piece;
    co_return Status();
  }
  void Abort() override { aborted = true; }
  std::string text;
  bool aborted = false;
};

class RepositoryTest : public ::testing::Test {
 protected:
  RepositoryTest() : folder_(::testing::TempDir() + "viv-repositories-XXXXXX") {
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
    repositories_ = std::make_unique<Repositories>(folder_ + "/kept", pool_);
  }
  ~RepositoryTest() override {
    repositories_.reset();
    std::filesystem::remove_all(folder_);
  }

  // The answer with its whole body, and whether the body was cut.
  struct Served {
    int status = 0;
    std::string type;
    std::string body;
    bool aborted = false;
  };
  Served Serve(std::string account_id, std::string rest, http::Request& request) {
    return RunGitTask(ServeWhole(std::move(account_id), std::move(rest), request));
  }
  Task<Served> ServeWhole(std::string account_id, std::string rest, http::Request& request) {
    http::Response response =
        co_await repositories_->Serve(std::move(account_id), std::move(rest), request);
    TextWriter writer;
    if (response.stream) co_await response.stream(writer);
    Served served;
    served.status = response.status;
    served.type = response.headers.Get("content-type");
    served.body = response.stream ? writer.text : response.body;
    served.aborted = writer.aborted;
    co_return served;
  }

  BlockingPool pool_{2};
  std::string folder_;
  std::unique_ptr<Repositories> repositories_;
};

}  // namespace viv::git
