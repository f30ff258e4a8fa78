#pragma once
// Calls the dialect's routes as a client would, over the fake domain, with records in memory and a
// real repository in a folder of its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "accounts/fake_store.h"
#include "base/base64.h"
#include "base/task_group.h"
#include "boxes/fake_boxes.h"
#include "dialects/recoup/context.h"
#include "dialects/recoup/errors.h"

namespace viv::recoup {

// Boxes whose agents answer what the test wrote down, one answer to each call.
class ScriptedBoxes : public boxes::FakeBoxes {
 public:
  std::deque<std::string> answers;  // whole HTTP answers; without one, nobody listens
  std::function<void()> on_dial;    // before each call

  Task<Result<UniqueFd>> DialAgent(std::string id) override {
    if (on_dial) on_dial();
    dialled.emplace_back(id, 0);
    if (answers.empty()) co_return Fail(ErrorCode::kUnavailable, "nobody listens");
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    std::string answer = std::move(answers.front());
    answers.pop_front();
    EXPECT_EQ(::write(ends[1], answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
    ::shutdown(ends[1], SHUT_WR);
    peers_.emplace_back(ends[1]);
    co_return UniqueFd(ends[0]);
  }

  // The JSON bodies of what was asked, in order.
  std::vector<json::value> Asked() {
    std::vector<json::value> bodies;
    for (UniqueFd& peer : peers_) {
      std::string text(1 << 16, '\0');
      text.resize(std::max<ssize_t>(::read(peer.get(), text.data(), text.size()), 0));
      auto body = ParseJson(text.substr(std::min(text.find("\r\n\r\n"), text.size() - 4) + 4));
      bodies.push_back(body ? *body : json::value(text));
    }
    return bodies;
  }

 private:
  std::vector<UniqueFd> peers_;
};

inline std::string Event(std::string_view name, const json::object& data) {
  return "event: " + std::string(name) + "\ndata: " + WriteJson(data) + "\n\n";
}
inline std::string OutputEvent(std::string_view name, std::int64_t offset, std::string_view bytes) {
  return Event(name, {{"offset", offset}, {"data", EncodeBase64(bytes)}});
}
inline std::string EventStreamResponse(std::string_view events) {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" +
         std::string(events);
}
inline std::string ErrorResponse(int status, std::string_view message) {
  json::object body{{"detail", json::object{{"error", "Any"}, {"message", std::string(message)}}}};
  std::string text = WriteJson(body);
  return "HTTP/1.1 " + std::to_string(status) +
         " No\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
}

template <typename T>
T RunTask(Task<T> task) {
  asio::io_context io;
  std::optional<T> value;
  auto on_end = [&value](std::exception_ptr failure, T result) {
    if (failure) std::rethrow_exception(failure);
    value.emplace(std::move(result));
    // A body that nobody reads ends here, while what it waits for is still there.
    if constexpr (std::is_same_v<T, http::Response>) value->stream = nullptr;
  };
  asio::co_spawn(io, std::move(task), on_end);
  io.run();
  return std::move(*value);
}

class RecoupTest : public ::testing::Test {
 protected:
  static constexpr char kMine[] = "11111111-1111-4111-8111-111111111111";
  static constexpr char kColleague[] = "22222222-2222-4222-8222-222222222222";
  static constexpr char kStranger[] = "33333333-3333-4333-8333-333333333333";
  using HeaderList = std::vector<std::pair<std::string, std::string>>;

  struct ParsedResponse {
    int status = 0;
    std::string text;
    json::value body;
    http::Headers headers;

    std::string error() const { return std::string(FindString(body, "error")); }
  };

  RecoupTest() : router_(Routes(context_, Lookup)) {
    store_.accounts = {{kMine, "org", "mine", 1},
                       {kColleague, "org", "colleague", 2},
                       {kStranger, "elsewhere", "stranger", 3}};
  }
  ~RecoupTest() override { std::filesystem::remove_all(folder_); }

  static std::optional<http::Identity> Lookup(std::string_view key) {
    if (key == "key" || key == "recoup_sk_key") return http::Identity{kMine, "key-1"};
    if (key == "colleague") return http::Identity{kColleague, "key-2"};
    if (key == "stranger") return http::Identity{kStranger, "key-3"};
    return std::nullopt;
  }

  ParsedResponse Call(std::string method,
                      std::string target,
                      std::string body = "",
                      HeaderList headers = {{"x-api-key", "key"}}) {
    http::Request request;
    request.method = std::move(method);
    request.target = target;
    std::size_t mark = target.find('?');
    request.path = target.substr(0, mark);
    if (mark != std::string::npos) request.query = target.substr(mark + 1);
    request.body = std::move(body);
    request.headers.Add("Host", "viv.test");
    for (auto& [name, value] : headers) request.headers.Add(name, value);
    http::Handler handler =
        http::Dispatch(router_, [](int status, std::string message, const http::Request&) {
          return Failure(status, std::move(message));
        });
    http::Response response = RunTask(handler(request));
    ParsedResponse answer{response.status, response.body, nullptr, response.headers};
    if (auto parsed = ParseJson(response.body)) answer.body = std::move(*parsed);
    EXPECT_EQ(response.headers.Get("Access-Control-Allow-Origin"), "*");
    if (response.status >= 400) {
      EXPECT_EQ(FindString(answer.body, "status"), "error") << response.body;
    }
    return answer;
  }
  ParsedResponse As(std::string key,
                    std::string method,
                    std::string target,
                    std::string body = "") {
    return Call(std::move(method), std::move(target), std::move(body),
                {{"x-api-key", std::move(key)}});
  }

  std::string Put(boxes::Box box = {}) {
    if (box.account_id.empty()) box.account_id = kMine;
    if (box.started_at_us == 0) box.started_at_us = boxes_.now_us;
    if (box.created_at_us == 0) box.created_at_us = box.started_at_us;
    if (box.ends_at_us == 0) box.ends_at_us = box.started_at_us + 300'000'000;
    return boxes_.Put(std::move(box));
  }

  // Lets the background work until `done`, then ends it in order: what other threads still hand to
  // it must find it alive.
  template <typename Done>
  static void RunBackgroundUntil(Context& context, Done done) {
    asio::io_context io;
    auto tasks = std::make_unique<TaskGroup>(io.get_executor());
    tasks->Spawn("runs", ExecuteRuns(context));
    while (!done() && io.run_one() > 0) {
    }
    tasks.reset();
    io.run();
  }
  // Carries out what is queued until nothing is left to do.
  void ExecuteQueuedRuns() {
    RunBackgroundUntil(context_, [this, begun = false]() mutable {
      bool open = !std::exchange(begun, true);
      for (const auto& entry : runs_->All()) {
        std::string_view status = FindString(entry->body, "status");
        open = open || status == "QUEUED" || status == "EXECUTING";
      }
      return !open;
    });
  }

  static std::string MakeFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "viv-recoup-XXXXXX").string();
    EXPECT_NE(::mkdtemp(path.data()), nullptr);
    return path;
  }
  std::unique_ptr<accounts::DocumentTable> LoadTable(std::string kind) {
    return *accounts::DocumentTable::Load(store_, std::move(kind));
  }

  std::string folder_ = MakeFolder();
  BlockingPool pool_{2};
  ScriptedBoxes boxes_;
  accounts::FakeStore store_;
  accounts::Accounts accounts_{store_};
  git::Repositories repositories_{folder_, pool_};
  std::unique_ptr<accounts::DocumentTable> rows_ = LoadTable("recoup.account");
  std::unique_ptr<accounts::DocumentTable> runs_ = LoadTable("recoup.run");
  std::unique_ptr<accounts::DocumentTable> sessions_ = LoadTable("recoup.session");
  Context context_{
      .boxes = boxes_,
      .accounts = accounts_,
      .repositories = repositories_,
      .account_rows = *rows_,
      .runs = *runs_,
      .sessions = *sessions_,
      .clock = [this] { return boxes_.now_us / 1000; },
  };
  http::Router router_;
};

}  // namespace viv::recoup
