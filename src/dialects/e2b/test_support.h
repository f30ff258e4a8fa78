#pragma once
// Calls the dialect's routes as a client would, over the fake domain.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"
#include "sandbox/fake_boxes.h"

namespace viv::e2b {

// Keys in memory; of the other records the dialect asks for none.
class FakeStore : public store::Store {
 public:
  std::vector<store::Key> keys;

  Status CreateOrganization(const store::Organization&) override { return {}; }
  Status CreateAccount(const store::Account&) override { return {}; }
  Status UpdateAccount(const store::Account&) override { return None(); }
  Result<store::Account> GetAccount(std::string_view) const override { return None(); }
  Result<std::vector<store::Account>> ListAccounts() const override { return None(); }
  Result<std::vector<store::Organization>> ListOrganizations() const override { return None(); }

  Status CreateKey(const store::Key& key) override {
    keys.push_back(key);
    return {};
  }
  Result<store::Key> FindKeyByHash(std::string_view) const override { return None(); }
  Result<std::vector<store::Key>> ListKeys(std::string_view account_id) const override {
    std::vector<store::Key> own;
    for (const store::Key& key : keys) {
      if (key.account_id == account_id) own.push_back(key);
    }
    return own;
  }
  Status RevokeKey(std::string_view account_id, std::string_view id, std::int64_t now_us) override {
    for (store::Key& key : keys) {
      if (key.account_id != account_id || key.id != id) continue;
      key.revoked_at_us = now_us;
      return {};
    }
    return None();
  }

  Result<store::SandboxPtr> GetSandbox(std::string_view) const override { return None(); }
  Result<store::SandboxPtr> GetSandboxByLease(std::string_view) const override { return None(); }
  Page ListSandboxes(const ListQuery&) const override { return {}; }
  Task<Result<store::SandboxPtr>> Acquire(AcquireRequest) override { co_return None(); }
  Task<Status> Update(store::Sandbox, std::string) override { co_return None(); }
  std::vector<store::SandboxPtr> ExpiredAt(std::int64_t, std::size_t) const override { return {}; }
  std::size_t CountSandboxes() const override { return 0; }
  void ForEachSandbox(const std::function<void(const store::Sandbox&)>&) const override {}
  Task<Status> PutDocument(store::Document) override { co_return None(); }
  Task<Status> RemoveDocument(std::string, std::string) override { co_return None(); }
  Result<std::vector<store::Document>> ListDocuments(std::string_view) const override {
    return None();
  }

 private:
  static tl::unexpected<Error> None() { return Fail(ErrorCode::kNotFound, "no such record"); }
};

inline http::Response RunHandler(const http::Handler& handler, http::Request& request) {
  asio::io_context io;
  http::Response response;
  auto on_end = [&response](std::exception_ptr failure, http::Response answer) {
    if (failure) std::rethrow_exception(failure);
    response = std::move(answer);
  };
  asio::co_spawn(io, handler(request), on_end);
  io.run();
  return response;
}

// What a relay was asked to do.
struct Relayed {
  std::string path;
  std::string target;
  http::RelayOptions options;
};

class E2bTest : public ::testing::Test {
 protected:
  using HeaderList = std::vector<std::pair<std::string, std::string>>;

  struct Answer {
    int status = 0;
    std::string text;
    json::value body;
    http::Headers headers;

    std::string message() const { return std::string(FindString(body, "message")); }
  };

  E2bTest() : router_(Routes(context_, Lookup)) {}

  static std::optional<http::Identity> Lookup(std::string_view key) {
    if (key == "key") return http::Identity{"mine", "key-1"};
    if (key == "other") return http::Identity{"theirs", "key-2"};
    return std::nullopt;
  }

  static http::Request MakeRequest(std::string method, std::string target, std::string body = "") {
    http::Request request;
    request.method = std::move(method);
    request.target = target;
    std::size_t mark = target.find('?');
    request.path = target.substr(0, mark);
    if (mark != std::string::npos) request.query = target.substr(mark + 1);
    request.body = std::move(body);
    return request;
  }

  Answer Call(std::string method,
              std::string target,
              std::string body = "",
              HeaderList headers = {}) {
    http::Request request = MakeRequest(std::move(method), std::move(target), std::move(body));
    bool has_key = false;
    for (auto& [name, value] : headers) {
      has_key |= name == "X-API-Key" || name == "Authorization";
      request.headers.Add(name, value);
    }
    if (!has_key) request.headers.Add("X-API-Key", "key");
    http::Handler handler =
        http::Dispatch(router_, [](int status, std::string message, const http::Request&) {
          return Failure(status, std::move(message));
        });
    return Read(RunHandler(handler, request));
  }

  static Answer Read(http::Response response) {
    Answer answer{response.status, response.body, nullptr, response.headers};
    if (auto parsed = ParseJson(response.body)) answer.body = std::move(*parsed);
    // Every error has the same shape.
    if (response.status >= 400 && answer.body.is_object()) {
      EXPECT_EQ(answer.body.at("code").as_int64(), response.status);
      EXPECT_TRUE(answer.body.at("message").is_string());
    }
    return answer;
  }

  // A box that is there from the start.
  std::string Put(sandbox::Box box = {}) {
    if (box.started_at_us == 0) box.started_at_us = boxes_.now_us;
    if (box.ends_at_us == 0) box.ends_at_us = box.started_at_us + 300'000'000;
    return boxes_.Put(std::move(box));
  }
  const sandbox::Box& At(const std::string& id) { return *boxes_.boxes.at(id); }

  sandbox::FakeBoxes boxes_;
  FakeStore store_;
  sandbox::Accounts accounts_{store_};
  std::vector<Relayed> relayed_;
  std::optional<Error> relay_failure_;
  http::Response relay_answer_ = http::Text(200, "from the box");
  Context context_{
      .boxes = boxes_,
      .accounts = accounts_,
      .relay = [this](http::Request& request,
                      UniqueFd,
                      http::RelayOptions options) -> Task<Result<http::Response>> {
        relayed_.push_back({request.path, request.target, std::move(options)});
        if (relay_failure_) co_return PassUp(*relay_failure_);
        co_return relay_answer_;
      },
      .clock = [this] { return boxes_.now_us / 1000; },
  };
  http::Router router_;
};

}  // namespace viv::e2b
