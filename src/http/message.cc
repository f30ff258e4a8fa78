#include "http/message.h"

#include <algorithm>

#include "base/text.h"

namespace viv::http {
namespace {

std::optional<std::string> DecodeQueryPart(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return PercentDecode(spaced);
}

bool IsHostCharacter(char c) {
  bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return alphanumeric || c == '.' || c == ':' || c == '-' || c == '_' || c == '[' || c == ']';
}

}  // namespace

void Headers::Set(std::string_view name, std::string value) {
  std::string own_name(name);  // `name` may point into the list
  std::erase_if(list_,
                [&](const auto& header) { return EqualsIgnoreCase(header.first, own_name); });
  Add(std::move(own_name), std::move(value));
}

std::string_view Headers::Get(std::string_view name) const {
  for (const auto& [key, value] : list_) {
    if (EqualsIgnoreCase(key, name)) return value;
  }
  return {};
}

bool Headers::Has(std::string_view name) const {
  return std::any_of(list_.begin(), list_.end(),
                     [&](const auto& header) { return EqualsIgnoreCase(header.first, name); });
}

std::string_view Request::Parameter(std::string_view name) const {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return {};
}

std::optional<std::string> Request::Query(std::string_view name) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    std::size_t equals = pair.find('=');
    if (DecodeQueryPart(pair.substr(0, equals)) != name) continue;
    if (equals == std::string_view::npos) return std::string();
    return DecodeQueryPart(pair.substr(equals + 1));
  }
  return std::nullopt;
}

std::string Request::BaseUrl() const {
  // The header is the client's word and ends up in answers: what is no host name is not repeated.
  std::string_view host = headers.Get("host");
  if (host.empty() || !std::all_of(host.begin(), host.end(), IsHostCharacter)) host = "localhost";
  return std::string(secure ? "https://" : "http://").append(host);
}

Response Text(int status, std::string body) {
  Response response;
  response.status = status;
  response.headers.Add("Content-Type", "text/plain; charset=utf-8");
  response.body = std::move(body);
  return response;
}

Response Json(int status, std::string body) {
  Response response;
  response.status = status;
  response.headers.Add("Content-Type", "application/json");
  response.body = std::move(body);
  return response;
}

Response Empty(int status) {
  Response response;
  response.status = status;
  return response;
}

Handler Compose(const std::vector<Middleware>& list, Handler handler) {
  for (auto middleware = list.rbegin(); middleware != list.rend(); ++middleware) {
    handler = (*middleware)(std::move(handler));
  }
  return handler;
}

}  // namespace viv::http
