#include "gateway/rules/credentials.h"

#include <algorithm>

#include "base/clock.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/text.h"
#include "gateway/rules/callback_body.h"
#include "gateway/rules/callback_client.h"
#include "gateway/rules/crypto.h"
#include "gateway/rules/google_token.h"
#include "gateway/rules/header_cache.h"
#include "gateway/rules/header_check.h"
#include "gateway/rules/match.h"
#include "gateway/rules/sigv4.h"

namespace viv::gateway {
namespace {

using ApplyResult = tl::expected<AppliedCredentials, Refusal>;

constexpr std::size_t kFullRequestsMax = 64;  // at once, of one box; each has a body

tl::unexpected<Refusal> Refuse(int status, std::string message) {
  return tl::unexpected<Refusal>(Refusal{status, std::move(message), {}});
}

// The text that the vendor's users know. The log has the reason.
tl::unexpected<Refusal> CallbackFailed() {
  return Refuse(502, "callback resolution failed");
}

tl::unexpected<Refusal> NoRole(const std::string& name) {
  return Refuse(502, name +
                         " names a role, and this server has no identity at AWS that could take "
                         "it: give access_key_id and secret_access_key instead of role_arn");
}

// An origin would send the added headers back in its response.
bool EchoesRequest(std::string_view method) {
  return EqualsIgnoreCase(method, "TRACE") || EqualsIgnoreCase(method, "TRACK");
}

// Whether the rule names a role: this server has no AWS identity that could assume it.
bool HasNoKeys(const ProviderAuth& auth) {
  return auth.access_key_id.text.empty() && auth.secret_access_key.text.empty();
}

std::string NameOf(const HeaderRule& rule) {
  std::string kind = "header rule ";
  if (rule.provider)
    kind = rule.provider->provider == ProviderAuth::Provider::kAws ? "aws rule " : "gcp rule ";
  return kind + rule.name;
}

std::string NameOfCallback(const Destination& to) {
  return "callback " + to.host;
}

Plan WithNormalizedHosts(Plan plan) {
  auto tidy = [](std::vector<std::string>& hosts) {
    for (std::string& host : hosts) {
      host = ToLower(host);
      if (host.ends_with('.')) host.pop_back();
    }
  };
  for (HeaderRule& rule : plan.rules) tidy(rule.hosts);
  for (Callback& callback : plan.callbacks) tidy(callback.hosts);
  return plan;
}

Task<Result<HeadersWithTtl>> AskCallback(std::shared_ptr<CallbackClient> client,
                                         std::string url,
                                         http::Headers headers,
                                         std::string body,
                                         std::int64_t ttl_seconds) {
  ASSIGN_OR_CO_RETURN(http::Headers given,
                      co_await client->Ask(std::move(url), std::move(headers), std::move(body)));
  HeadersWithTtl fetched;
  fetched.headers = std::move(given);
  fetched.ttl = std::chrono::seconds(ttl_seconds);
  co_return fetched;
}

// Increments a count as long as it lives.
class ScopedCount {
 public:
  explicit ScopedCount(std::size_t& count) : count_(count) { ++count_; }
  ~ScopedCount() { --count_; }
  ScopedCount(const ScopedCount&) = delete;
  ScopedCount& operator=(const ScopedCount&) = delete;

 private:
  std::size_t& count_;
};

class BoxCredentials final : public Credentials {
 public:
  BoxCredentials(Plan plan,
                 BoxIdentity identity,
                 SecretSource& secrets,
                 std::shared_ptr<CallbackClient> callbacks)
      : plan_(WithNormalizedHosts(std::move(plan))),
        matcher_(plan_),
        identity_(std::move(identity)),
        secrets_(secrets),
        client_(std::move(callbacks)) {}

  bool AppliesToHost(std::string_view host) const override { return matcher_.MatchesHost(host); }
  Body NeedsBody(const RequestHead& head, const Destination& to) const override;
  Task<ApplyResult> Apply(RequestHead& head,
                          Destination to,
                          std::string_view body,
                          bool body_truncated) override;

 private:
  Task<ApplyResult> ApplyRule(const HeaderRule& rule,
                              RequestHead& head,
                              Destination to,
                              std::string_view body,
                              bool body_truncated);
  // Reveals a secret for one use; the refusal names it.
  tl::expected<ZeroizedString, Refusal> Reveal(const SecretText& text, const std::string& of) const;
  ApplyResult AddHeaders(const HeaderRule& rule, RequestHead& head) const;
  ApplyResult SignAws(const HeaderRule& rule,
                      RequestHead& head,
                      const Destination& to,
                      std::string_view body,
                      bool body_truncated) const;
  Task<ApplyResult> AddGoogleToken(const HeaderRule& rule, RequestHead& head);
  Task<ApplyResult> AddFromCallback(const Callback& callback,
                                    RequestHead& head,
                                    Destination to,
                                    std::string_view body,
                                    bool body_truncated);
  Task<Result<http::Headers>> AskForRequest(const Callback& callback, std::string body);
  Task<Result<http::Headers>> AskForHost(const Callback& callback, Destination to);
  Result<http::Headers> CallbackHeaders(const Callback& callback) const;

  const Plan plan_;
  const Matcher matcher_;
  const BoxIdentity identity_;
  SecretSource& secrets_;
  const std::shared_ptr<CallbackClient> client_;  // shared with fetches that outlive this
  HeaderCache header_cache_;
  std::size_t full_requests_ = 0;  // running now
};

Credentials::Body BoxCredentials::NeedsBody(const RequestHead& head, const Destination& to) const {
  if (!head.has_body) return Body::kNotNeeded;
  bool needed = false;
  if (const HeaderRule* rule = matcher_.RuleFor(to.host, head.path(), head.headers)) {
    if (rule->provider && rule->provider->provider == ProviderAuth::Provider::kAws && to.secure &&
        !IsPresigned(head.target) && !HasNoKeys(*rule->provider)) {
      auto scope = ScopeOf(head, to.host);
      needed = scope && NeedsBodyHash(head, *scope);
    }
  } else if (const Callback* callback = matcher_.CallbackFor(to.host)) {
    needed = callback->full_request;
  }
  return needed ? Body::kWhole : Body::kNotNeeded;
}

Task<ApplyResult> BoxCredentials::Apply(RequestHead& head,
                                        Destination to,
                                        std::string_view body,
                                        bool body_truncated) {
  const HeaderRule* rule = matcher_.RuleFor(to.host, head.path(), head.headers);
  const Callback* callback = rule == nullptr ? matcher_.CallbackFor(to.host) : nullptr;
  if (rule == nullptr && callback == nullptr) co_return AppliedCredentials{};
  std::string name = rule != nullptr ? NameOf(*rule) : NameOfCallback(to);
  ApplyResult applied;
  if (EchoesRequest(head.method)) {
    applied = Refuse(403, head.method + " is not sent to " + to.host +
                              ", because its answer would show the credentials that are added");
  } else if (rule != nullptr) {
    applied = co_await ApplyRule(*rule, head, std::move(to), body, body_truncated);
  } else {
    applied = co_await AddFromCallback(*callback, head, std::move(to), body, body_truncated);
  }
  if (!applied) applied.error().rule = std::move(name);
  co_return applied;
}

Task<ApplyResult> BoxCredentials::ApplyRule(const HeaderRule& rule,
                                            RequestHead& head,
                                            Destination to,
                                            std::string_view body,
                                            bool body_truncated) {
  if (!rule.provider) co_return AddHeaders(rule, head);
  if (!to.secure)
    co_return Refuse(
        403, "requests to " + to.host + " get their credentials over HTTPS only: use https://");
  if (rule.provider->provider == ProviderAuth::Provider::kAws)
    co_return SignAws(rule, head, to, body, body_truncated);
  co_return co_await AddGoogleToken(rule, head);
}

tl::expected<ZeroizedString, Refusal> BoxCredentials::Reveal(const SecretText& text,
                                                             const std::string& of) const {
  Result<std::string> plain = secrets_.Reveal(identity_.account_id, text);
  if (plain) return ZeroizedString(*std::move(plain));
  // The guest only gets errors that name a missing secret.
  if (plain.error().code == ErrorCode::kNotFound)
    return Refuse(502,
                  plain.error().message + " among the account's secrets: set it, or change " + of);
  log::Warn("gateway.secret_failed",
            {{"box", identity_.box_id}, {"of", of}, {"error", plain.error().message}});
  return Refuse(502, "a secret of " + of + " cannot be opened: set it again");
}

ApplyResult BoxCredentials::AddHeaders(const HeaderRule& rule, RequestHead& head) const {
  const std::string name = NameOf(rule);
  for (const SetHeader& header : rule.headers) {
    if (!IsHeaderName(header.name) || IsReservedHeader(header.name))
      return Refuse(502, name + " has a header that cannot be set: correct its name");
    auto value = Reveal(header.value, name);
    if (!value) return tl::unexpected<Refusal>(std::move(value).error());
    if (!IsHeaderValue(value->text()))
      return Refuse(502, name + ": the value of " + header.name +
                             " has a line break or another control character: set it again");
    head.headers.Set(header.name, value->text());
  }
  return AppliedCredentials{name};
}

ApplyResult BoxCredentials::SignAws(const HeaderRule& rule,
                                    RequestHead& head,
                                    const Destination& to,
                                    std::string_view body,
                                    bool body_truncated) const {
  const std::string name = NameOf(rule);
  if (IsPresigned(head.target)) return AppliedCredentials{};
  if (HasNoKeys(*rule.provider)) return NoRole(name);
  auto scope = ScopeOf(head, to.host);
  if (!scope)
    return Refuse(502, name + ": " + to.host + " tells neither service nor region: sign the " +
                           "request with placeholder credentials, which are replaced");
  if (body_truncated && NeedsBodyHash(head, *scope))
    return Refuse(413, "the body is too large to be signed for " + to.host +
                           ": 1 MiB at most, except for S3");
  Result<std::string> payload = PayloadHash(head, *scope, body);
  if (!payload) return Refuse(400, std::move(payload).error().message);
  auto id = Reveal(rule.provider->access_key_id, name);
  if (!id) return tl::unexpected<Refusal>(std::move(id).error());
  auto secret = Reveal(rule.provider->secret_access_key, name);
  if (!secret) return tl::unexpected<Refusal>(std::move(secret).error());
  tl::expected<ZeroizedString, Refusal> token;
  if (!rule.provider->session_token.text.empty())
    token = Reveal(rule.provider->session_token, name);
  if (!token) return tl::unexpected<Refusal>(std::move(token).error());
  if (id->text().empty() || secret->text().empty() || !IsHeaderValue(id->text()) ||
      !IsHeaderValue(token->text()))
    return Refuse(502, name + ": its credentials are empty or malformed: set them again");
  AwsKeys keys{id->text(), secret->text(), token->text()};
  SignForAws(head, keys, *scope, *payload, NowMs() / 1000);
  return AppliedCredentials{name};
}

Task<ApplyResult> BoxCredentials::AddGoogleToken(const HeaderRule& rule, RequestHead& head) {
  const std::string name = NameOf(rule);
  auto account = Reveal(rule.provider->service_account, name);
  if (!account) co_return tl::unexpected<Refusal>(std::move(account).error());
  // The key depends on the account's content, so that another account takes effect at once.
  std::string key = "google:" + account->text();
  for (const std::string& scope : rule.provider->scopes) key.append(" ").append(scope);
  key = Sha256Hex(key);
  auto text = std::make_shared<const ZeroizedString>(*std::move(account));
  HeaderCache::Fetch fetch = [client = client_, text, scopes = rule.provider->scopes] {
    return FetchGoogleToken(client, text, scopes);
  };
  Result<http::Headers> given = co_await header_cache_.Get(std::move(key), std::move(fetch));
  if (!given) co_return Refuse(502, name + ": " + given.error().message);
  for (const auto& [header, value] : *given) head.headers.Set(header, value);
  co_return AppliedCredentials{name};
}

Result<http::Headers> BoxCredentials::CallbackHeaders(const Callback& callback) const {
  http::Headers headers;
  for (const SetHeader& header : callback.request_headers) {
    ASSIGN_OR_RETURN(std::string value, secrets_.Reveal(identity_.account_id, header.value));
    if (!IsHeaderName(header.name) || IsReservedHeader(header.name) || !IsHeaderValue(value))
      return Fail(ErrorCode::kInvalidArgument, "a request header of it cannot be sent");
    headers.Set(header.name, std::move(value));
  }
  return headers;
}

Task<Result<http::Headers>> BoxCredentials::AskForRequest(const Callback& callback,
                                                          std::string body) {
  if (full_requests_ >= kFullRequestsMax)
    co_return Fail(ErrorCode::kLimitExceeded, "too many questions are under way for this box");
  ScopedCount scoped_count(full_requests_);
  ASSIGN_OR_CO_RETURN(http::Headers headers, CallbackHeaders(callback));
  co_return co_await client_->Ask(callback.url, std::move(headers), std::move(body));
}

Task<Result<http::Headers>> BoxCredentials::AskForHost(const Callback& callback, Destination to) {
  // The port is a part of the key: headers for HTTPS are not sent in plain HTTP.
  std::string key = std::to_string(&callback - plan_.callbacks.data()) + " " + to.host + ":" +
                    std::to_string(to.port);
  if (auto kept = header_cache_.Find(key)) co_return *std::move(kept);
  ASSIGN_OR_CO_RETURN(http::Headers headers, CallbackHeaders(callback));
  HeaderCache::Fetch fetch = [client = client_, url = callback.url, headers,
                              body = CallbackBody(identity_, to), ttl = callback.ttl_seconds] {
    return AskCallback(client, url, headers, body, ttl);
  };
  co_return co_await header_cache_.Get(std::move(key), std::move(fetch));
}

Task<ApplyResult> BoxCredentials::AddFromCallback(const Callback& callback,
                                                  RequestHead& head,
                                                  Destination to,
                                                  std::string_view body,
                                                  bool body_truncated) {
  Result<http::Headers> given;
  if (callback.full_request) {
    std::string full = FullCallbackBody(identity_, to, head, body, body_truncated);
    given = co_await AskForRequest(callback, std::move(full));
  } else {
    given = co_await AskForHost(callback, to);
  }
  if (!given) {
    log::Warn("gateway.callback_failed",
              {{"box", identity_.box_id}, {"host", to.host}, {"error", given.error().message}});
    co_return CallbackFailed();
  }
  for (const auto& [name, value] : *given) head.headers.Set(name, value);
  co_return AppliedCredentials{NameOfCallback(to)};
}

}  // namespace

std::unique_ptr<Credentials> MakeCredentials(Plan plan,
                                             BoxIdentity identity,
                                             SecretSource& secrets,
                                             std::shared_ptr<CallbackClient> callbacks) {
  return std::make_unique<BoxCredentials>(std::move(plan), std::move(identity), secrets,
                                          std::move(callbacks));
}

}  // namespace viv::gateway
