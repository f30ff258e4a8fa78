#include "gateway/rules/callback_body.h"

#include <algorithm>

#include "base/base64.h"
#include "base/json.h"
#include "base/text.h"

namespace viv::gateway {
namespace {

// A guest's bytes as text that is valid in JSON.
std::string JsonText(std::string_view text) {
  return Printable(text, text.size());
}

json::object About(const BoxIdentity& identity, const Destination& to) {
  return {{"host", to.host},
          {"port", to.port},
          {"identity", json::object{{"tenant_id", identity.account_uuid},
                                    {"sandbox_id", identity.box_uuid},
                                    {"organization_id", identity.account_uuid}}}};
}

json::object HeaderLists(const http::Headers& headers) {
  json::object lists;
  for (const auto& [name, value] : headers) {
    json::value& list = lists[JsonText(name)];
    if (list.is_null()) list.emplace_array();
    list.get_array().emplace_back(JsonText(value));
  }
  return lists;
}

}  // namespace

std::string CallbackBody(const BoxIdentity& identity, const Destination& to) {
  return WriteJson(About(identity, to));
}

std::string FullCallbackBody(const BoxIdentity& identity,
                             const Destination& to,
                             const RequestHead& head,
                             std::string_view body,
                             bool body_truncated) {
  std::string scheme = to.secure ? "https" : "http";
  std::string_view target = head.target;
  target = target.substr(0, target.find('#'));
  std::size_t mark = target.find('?');
  std::string_view query = mark == std::string_view::npos ? "" : target.substr(mark + 1);
  bool too_long = body.size() > kCredentialsBodyMax;
  json::object about = About(identity, to);
  about["request"] =
      json::object{{"method", JsonText(head.method)},
                   {"url", JsonText(scheme + "://" + head.authority + std::string(target))},
                   {"scheme", scheme},
                   {"host", to.host},
                   {"path", JsonText(head.path())},
                   {"query", JsonText(query)},
                   {"headers", HeaderLists(head.headers)},
                   {"body_base64", EncodeBase64(body.substr(0, kCredentialsBodyMax))},
                   {"body_truncated", body_truncated || too_long}};
  return WriteJson(about);
}

}  // namespace viv::gateway
