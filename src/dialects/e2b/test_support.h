#pragma once
// Calls the dialect's routes as a client would, over the fake domain.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "accounts/document_table.h"
#include "accounts/fake_store.h"
#include "base/run_to_end.h"
#include "boxes/fake_boxes.h"
#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"

namespace viv::e2b {

inline http::Response RunHandler(const http::Handler& handler, http::Request& request) {
  return RunToEnd(handler(request));
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

  struct ParsedResponse {
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

  ParsedResponse Call(std::string method,
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

  static ParsedResponse Read(http::Response response) {
    ParsedResponse answer{response.status, response.body, nullptr, response.headers};
    if (auto parsed = ParseJson(response.body)) answer.body = std::move(*parsed);
    // Every error has the same shape.
    if (response.status >= 400 && answer.body.is_object()) {
      EXPECT_EQ(answer.body.at("code").as_int64(), response.status);
      EXPECT_TRUE(answer.body.at("message").is_string());
    }
    return answer;
  }

  // As this dialect makes one, unless it is told otherwise.
  static boxes::Box NewBox() {
    boxes::Box box;
    box.spec.network.public_traffic = true;
    return box;
  }
  // A box that is there from the start.
  std::string Put(boxes::Box box = NewBox()) {
    if (box.started_at_us == 0) box.started_at_us = boxes_.now_us;
    if (box.ends_at_us == 0) box.ends_at_us = box.started_at_us + 300'000'000;
    return boxes_.Put(std::move(box));
  }
  const boxes::Box& At(const std::string& id) { return *boxes_.boxes.at(id); }

  boxes::FakeBoxes boxes_;
  accounts::FakeStore store_;
  accounts::Accounts accounts_{store_};
  const accounts::Sealer sealer_{"server secret"};
  std::unique_ptr<accounts::DocumentTable> table_ =
      *accounts::DocumentTable::Load(store_, "secret");
  accounts::AccountSecrets secrets_{*table_, sealer_, [this] { return boxes_.now_us += 1000; }};
  std::vector<Relayed> relayed_;
  std::optional<Error> relay_failure_;
  http::Response relay_response_ = http::Text(200, "from the box");
  Context context_{
      .boxes = boxes_,
      .accounts = accounts_,
      .secrets = secrets_,
      .sealer = sealer_,
      .relay = [this](http::Request& request,
                      UniqueFd,
                      http::RelayOptions options) -> Task<Result<http::Response>> {
        relayed_.push_back({request.path, request.target, std::move(options)});
        if (relay_failure_) co_return PassUp(*relay_failure_);
        co_return relay_response_;
      },
      .clock = [this] { return boxes_.now_us / 1000; },
  };
  http::Router router_;
};

}  // namespace viv::e2b
