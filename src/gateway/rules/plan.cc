#include "gateway/rules/plan.h"

#include <algorithm>

namespace viv::gateway {
namespace {

constexpr std::string_view kKinds[] = {"plain", "sealed", "references", "marked"};

json::array ListToJson(const std::vector<std::string>& list) {
  return json::array(list.begin(), list.end());
}

json::object SecretToJson(const SecretText& secret) {
  json::object object{{"kind", json::string(kKinds[static_cast<std::size_t>(secret.kind)])},
                      {"text", secret.text}};
  if (!secret.purpose.empty()) object["purpose"] = secret.purpose;
  return object;
}

json::array HeadersToJson(const std::vector<SetHeader>& headers) {
  json::array array;
  for (const SetHeader& header : headers) {
    json::object object = SecretToJson(header.value);
    object["name"] = header.name;
    array.push_back(std::move(object));
  }
  return array;
}

json::array RequiredHeadersToJson(const std::vector<RequiredHeader>& required_headers) {
  json::array array;
  for (const RequiredHeader& header : required_headers)
    array.push_back(json::object{{"name", header.name}, {"value", header.value}});
  return array;
}

json::object ProviderToJson(const ProviderAuth& auth) {
  if (auth.provider == ProviderAuth::Provider::kGcp)
    return {{"provider", "gcp"},
            {"service_account", SecretToJson(auth.service_account)},
            {"scopes", ListToJson(auth.scopes)}};
  return {{"provider", "aws"},
          {"access_key_id", SecretToJson(auth.access_key_id)},
          {"secret_access_key", SecretToJson(auth.secret_access_key)},
          {"session_token", SecretToJson(auth.session_token)}};
}

std::string TextIn(const json::value& from, std::string_view name) {
  return std::string(FindString(from, name));
}

const json::value& PartIn(const json::value& from, std::string_view name) {
  static const json::value nothing;
  const json::value* part = Find(from, name);
  return part == nullptr ? nothing : *part;
}

const json::array& ArrayIn(const json::value& from, std::string_view name) {
  static const json::array nothing;
  const json::array* array = PartIn(from, name).if_array();
  return array == nullptr ? nothing : *array;
}

std::vector<std::string> TextsIn(const json::value& from, std::string_view name) {
  std::vector<std::string> texts;
  for (const json::value& item : ArrayIn(from, name))
    if (item.is_string()) texts.emplace_back(View(item.get_string()));
  return texts;
}

SecretText SecretOf(const json::value& from) {
  SecretText secret;
  // A kind that a newer server wrote is read as sealed: it cannot be opened, so it is never sent.
  const std::string_view kind = FindString(from, "kind");
  const auto* found = std::find(std::begin(kKinds), std::end(kKinds), kind);
  if (kind.empty()) {
    secret.kind = SecretText::Kind::kPlain;
  } else if (found == std::end(kKinds)) {
    secret.kind = SecretText::Kind::kSealed;
  } else {
    secret.kind = static_cast<SecretText::Kind>(found - std::begin(kKinds));
  }
  secret.text = TextIn(from, "text");
  secret.purpose = TextIn(from, "purpose");
  return secret;
}

std::vector<SetHeader> HeadersOf(const json::array& from) {
  std::vector<SetHeader> headers;
  for (const json::value& item : from) headers.push_back({TextIn(item, "name"), SecretOf(item)});
  return headers;
}

std::vector<RequiredHeader> RequiredHeadersFromJson(const json::array& from) {
  std::vector<RequiredHeader> required_headers;
  for (const json::value& item : from)
    required_headers.push_back({TextIn(item, "name"), TextIn(item, "value")});
  return required_headers;
}

std::optional<ProviderAuth> ProviderOf(const json::value& from) {
  if (!from.is_object()) return std::nullopt;
  ProviderAuth auth;
  if (FindString(from, "provider") == "gcp") auth.provider = ProviderAuth::Provider::kGcp;
  auth.access_key_id = SecretOf(PartIn(from, "access_key_id"));
  auth.secret_access_key = SecretOf(PartIn(from, "secret_access_key"));
  auth.session_token = SecretOf(PartIn(from, "session_token"));
  auth.service_account = SecretOf(PartIn(from, "service_account"));
  auth.scopes = TextsIn(from, "scopes");
  return auth;
}

}  // namespace

bool Plan::intercepts() const {
  return !callbacks.empty() || std::any_of(rules.begin(), rules.end(),
                                           [](const HeaderRule& rule) { return rule.adds(); });
}

json::value PlanToJson(const Plan& plan) {
  json::object object;
  json::array rules, callbacks;
  for (const HeaderRule& rule : plan.rules) {
    json::object one{{"name", rule.name},
                     {"hosts", ListToJson(rule.hosts)},
                     {"paths", ListToJson(rule.paths)},
                     {"headers", HeadersToJson(rule.headers)}};
    if (rule.provider) one["provider"] = ProviderToJson(*rule.provider);
    if (!rule.required_headers.empty())
      one["carried"] = RequiredHeadersToJson(rule.required_headers);
    rules.push_back(std::move(one));
  }
  for (const Callback& callback : plan.callbacks)
    callbacks.push_back(json::object{{"hosts", ListToJson(callback.hosts)},
                                     {"url", callback.url},
                                     {"ttl", callback.ttl_seconds},
                                     {"full", callback.full_request},
                                     {"headers", HeadersToJson(callback.request_headers)}});
  if (!rules.empty()) object["rules"] = std::move(rules);
  if (!callbacks.empty()) object["callbacks"] = std::move(callbacks);
  if (plan.proxy)
    object["proxy"] = json::object{{"address", plan.proxy->address},
                                   {"username", plan.proxy->username},
                                   {"password", SecretToJson(plan.proxy->password)}};
  if (object.empty()) return nullptr;
  return object;
}

Plan PlanOf(const json::value& from) {
  Plan plan;
  for (const json::value& item : ArrayIn(from, "rules"))
    plan.rules.push_back({TextIn(item, "name"), TextsIn(item, "hosts"), TextsIn(item, "paths"),
                          HeadersOf(ArrayIn(item, "headers")), ProviderOf(PartIn(item, "provider")),
                          RequiredHeadersFromJson(ArrayIn(item, "carried"))});
  for (const json::value& item : ArrayIn(from, "callbacks")) {
    const json::value& ttl = PartIn(item, "ttl");
    const json::value& full = PartIn(item, "full");
    plan.callbacks.push_back(
        {TextsIn(item, "hosts"), TextIn(item, "url"), ttl.is_int64() ? ttl.get_int64() : 60,
         full.is_bool() && full.get_bool(), HeadersOf(ArrayIn(item, "headers"))});
  }
  if (const json::value& proxy = PartIn(from, "proxy"); proxy.is_object())
    plan.proxy = UpstreamProxy{TextIn(proxy, "address"), TextIn(proxy, "username"),
                               SecretOf(PartIn(proxy, "password"))};
  return plan;
}

}  // namespace viv::gateway
