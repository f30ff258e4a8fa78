#pragma once
// Calls the dialect's routes as a client would, over the fake domain. The key "key" is the account
// "mine", "other" is "theirs".

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "accounts/fake_store.h"
#include "base/ids.h"
#include "base/run_to_end.h"
#include "base/text.h"
#include "boxes/box_ids.h"
#include "boxes/fake_boxes.h"
#include "dialects/langsmith/context.h"
#include "dialects/langsmith/errors.h"

namespace viv::langsmith {

// What a relay was asked to do.
struct Relayed {
  std::string method;
  std::string path;
  std::string target;
  http::Headers headers;
  http::RelayOptions options;
};

class LangsmithTest : public ::testing::Test {
 protected:
  using HeaderList = std::vector<std::pair<std::string, std::string>>;

  struct ParsedResponse {
    int status = 0;
    std::string text;
    json::value body;
    http::Headers headers;

    // Of an error: its type, its text, and for a wrong field the field's place ("a.b").
    std::string type() const { return std::string(FindString(Detail(), "error")); }
    std::string message() const {
      if (const json::value* problem = Problem()) return std::string(FindString(*problem, "msg"));
      return std::string(FindString(Detail(), "message"));
    }
    std::string field() const {
      const json::value* problem = Problem();
      std::string path;
      if (problem == nullptr) return path;
      for (const json::value& part : problem->at("loc").as_array()) {
        if (!path.empty()) path += '.';
        path += View(part.as_string());
      }
      return path.substr(path.find('.') + 1);  // without "body"
    }
    std::string_view Text(std::string_view name) const { return FindString(body, name); }

   private:
    json::value Detail() const {
      const json::value* detail = Find(body, "detail");
      return detail == nullptr ? json::value() : *detail;
    }
    const json::value* Problem() const {
      const json::value* detail = Find(body, "detail");
      if (detail == nullptr || !detail->is_array() || detail->get_array().empty()) return nullptr;
      return &detail->get_array().front();
    }
  };

  LangsmithTest() : router_(Routes(context_, Lookup)) {}

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
    request.headers.Add("Host", "box.test:8080");
    return request;
  }

  // `target` is below /v2/sandboxes: "/boxes?limit=1". Without a key among `headers` it is "key".
  ParsedResponse Call(std::string method,
                      std::string target,
                      std::string body = "",
                      HeaderList headers = {}) {
    return CallPath(std::move(method), "/v2/sandboxes" + target, std::move(body),
                    std::move(headers));
  }

  ParsedResponse CallPath(std::string method,
                          std::string target,
                          std::string body = "",
                          HeaderList headers = {}) {
    http::Request request = MakeRequest(std::move(method), std::move(target), std::move(body));
    bool has_key = false;
    for (auto& [name, value] : headers) {
      has_key |= EqualsIgnoreCase(name, "X-Api-Key") || EqualsIgnoreCase(name, "Authorization");
      request.headers.Add(name, value);
    }
    if (!has_key) request.headers.Add("X-Api-Key", "key");
    return Read(RunToEnd(Dispatched()(request)));
  }

  // As a client without any key.
  ParsedResponse CallOpenly(std::string method, std::string target, HeaderList headers = {}) {
    http::Request request = MakeRequest(std::move(method), std::move(target));
    for (auto& [name, value] : headers) request.headers.Add(name, value);
    return Read(RunToEnd(Dispatched()(request)));
  }

  http::Handler Dispatched() {
    return http::Dispatch(router_, [](int status, std::string message, const http::Request&) {
      return Failure(status, status == 404 ? "NotFound" : "Refused", std::move(message));
    });
  }

  static ParsedResponse Read(http::Response response) {
    ParsedResponse answer{response.status, response.body, nullptr, response.headers};
    if (auto parsed = ParseJson(response.body)) answer.body = std::move(*parsed);
    // Every error has one of the two shapes.
    if (response.status >= 400 && answer.body.is_object()) {
      EXPECT_NE(answer.message(), "");
    }
    return answer;
  }

  // A box that is there from the start.
  std::string Put(boxes::Box box = {}) {
    if (box.created_at_us == 0) box.created_at_us = boxes_.now_us;
    if (box.started_at_us == 0) box.started_at_us = box.created_at_us;
    if (box.updated_at_us == 0) box.updated_at_us = box.created_at_us;
    if (box.ends_at_us == 0) box.ends_at_us = boxes::kNoEndUs;
    return boxes_.Put(std::move(box));
  }
  std::string PutNamed(std::string name, boxes::BoxState state = boxes::BoxState::kRunning) {
    boxes::Box box;
    box.spec.name = std::move(name);
    box.state = state;
    if (state == boxes::BoxState::kStopped || state == boxes::BoxState::kPaused)
      box.stopped_at_us = boxes_.now_us;
    return Put(std::move(box));
  }
  const boxes::Box& At(const std::string& id) { return *boxes_.boxes.at(id); }

  std::unique_ptr<accounts::DocumentTable> LoadTable(std::string kind) {
    auto table = accounts::DocumentTable::Load(store_, std::move(kind));
    EXPECT_TRUE(table.has_value());
    return std::move(*table);
  }

  boxes::FakeBoxes boxes_;
  accounts::FakeStore store_;
  accounts::Accounts accounts_{store_};
  accounts::Sealer server_sealer_{"the server's own secret"};
  std::unique_ptr<accounts::DocumentTable> secret_table_ = LoadTable("secret");
  accounts::AccountSecrets account_secrets_{*secret_table_, server_sealer_};
  std::unique_ptr<accounts::DocumentTable> registries_ = LoadTable("langsmith.registry");
  std::unique_ptr<accounts::DocumentTable> snapshots_ = LoadTable("langsmith.snapshot");
  std::unique_ptr<accounts::DocumentTable> services_ = LoadTable("langsmith.service");
  std::vector<Relayed> relayed_;
  std::optional<Error> relay_failure_;
  http::Response relay_response_ = http::Text(200, "from the box");
  Context context_{
      .boxes = boxes_,
      .accounts = accounts_,
      .sealer = server_sealer_,
      .account_secrets = account_secrets_,
      .registries = *registries_,
      .snapshots = *snapshots_,
      .services = *services_,
      .relay = [this](http::Request& request,
                      UniqueFd,
                      http::RelayOptions options) -> Task<Result<http::Response>> {
        relayed_.push_back(
            {request.method, request.path, request.target, request.headers, std::move(options)});
        if (relay_failure_) co_return PassUp(*relay_failure_);
        co_return relay_response_;
      },
      .clock = [this] { return boxes_.now_us / 1000; },
  };
  http::Router router_;
};

}  // namespace viv::langsmith
