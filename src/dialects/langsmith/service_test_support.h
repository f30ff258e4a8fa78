#pragma once
// Services as their clients see them: shared through the control plane, then visited. The keys
// "key" (account "mine"), "colleague" (another account of the same organization) and "other" open
// what is shared by login.

#include <map>
#include <string>
#include <utility>

#include "base/ids.h"
#include "dialects/langsmith/service_traffic.h"
#include "dialects/langsmith/test_support.h"

namespace viv::langsmith {

class StoreWithKeys : public accounts::FakeStore {
 public:
  std::map<std::string, std::string> accounts_of_keys = {
      {"key", "mine"}, {"colleague", "near"}, {"other", "theirs"}};

  Result<store::Key> FindKeyByHash(std::string_view hash) const override {
    for (const auto& [key, account] : accounts_of_keys) {
      if (Sha256Hex(key) != hash) continue;
      store::Key record;
      record.account_id = account;
      return record;
    }
    return Fail(ErrorCode::kNotFound, "no such key");
  }
  Result<store::Account> GetAccount(std::string_view id) const override {
    store::Account account;
    account.id = std::string(id);
    account.organization_id = id == "theirs" ? "elsewhere" : "here";
    return account;
  }
};

class ServiceTest : public LangsmithTest {
 protected:
  ServiceTest() {
    service_context_.relay = [this](http::Request& request, UniqueFd,
                                    http::RelayOptions options) -> Task<Result<http::Response>> {
      relayed_.push_back(
          {request.method, request.path, request.target, request.headers, std::move(options)});
      if (relay_failure_) co_return PassUp(*relay_failure_);
      co_return relay_response_;
    };
    service_context_.clock = context_.clock;
    http::AddRoutes(links_, LinkRoutes(), service_context_);
  }

  // The answer of POST service-url for box "one".
  ParsedResponse Share(std::string body) { return Call("POST", "/boxes/one/service-url", body); }
  std::string TokenFor(int port) {
    return std::string(Share(R"({"port":)" + std::to_string(port) + "}").Text("token"));
  }
  std::string PathOf(const std::string& id, int port) {
    return "/_svc/" + boxes::UuidOfBox(id) + "/" + std::to_string(port);
  }

  ParsedResponse CallService(std::string method, std::string target, HeaderList headers = {}) {
    http::Request request = MakeRequest(std::move(method), std::move(target));
    for (auto& [name, value] : headers) {
      if (name == "Host") {
        request.headers.Set(name, value);
      } else {
        request.headers.Add(name, value);
      }
    }
    EXPECT_TRUE(IsServiceTraffic(service_context_.domain, request));
    return Read(RunToEnd(ServiceTraffic(service_context_)(request)));
  }
  ParsedResponse CallServiceWithToken(const std::string& token, std::string target) {
    return CallService("GET", std::move(target), {{"X-Langsmith-Sandbox-Service-Token", token}});
  }

  // A link's address, as GET or HEAD would ask for it.
  ParsedResponse Follow(std::string method, std::string url, HeaderList headers = {}) {
    std::string target = url.substr(url.find('/', url.find("://") + 3));
    http::Request request = MakeRequest(std::move(method), std::move(target));
    for (auto& [name, value] : headers) request.headers.Add(name, value);
    http::Handler handler =
        http::Dispatch(links_, [](int status, std::string message, const http::Request&) {
          return Failure(status, "NotFound", std::move(message));
        });
    return Read(RunToEnd(handler(request)));
  }

  StoreWithKeys keyed_store_;
  accounts::Accounts keyed_accounts_{keyed_store_};
  // The same world with keys, for what asks for keys itself.
  Context service_context_{.boxes = boxes_,
                           .accounts = keyed_accounts_,
                           .sealer = server_sealer_,
                           .account_secrets = account_secrets_,
                           .registries = *registries_,
                           .snapshots = *snapshots_,
                           .services = *services_};
  http::Router links_;
};

}  // namespace viv::langsmith
