#include "cli/secrets.h"

#include <fmt/format.h>
#include <string.h>

#include "base/text.h"
#include "cli/hidden_input.h"
#include "cli/output.h"
#include "cli/print_error.h"

namespace viv::cli {
namespace {

constexpr std::size_t kSecretPagesMax = 1000;

std::string SecretPath(const std::string& name) {
  return "/secrets/" + PercentEncode(name);
}

// A new version of it, or its first one.
Result<json::value> PutSecret(const Remote& remote, const NewSecret& secret) {
  json::object body{{"value", *secret.value}};
  auto updated = CallServer(remote, "POST", SecretPath(secret.name), WriteJson(body));
  if (updated || updated.error().code != ErrorCode::kNotFound) return updated;
  body["name"] = secret.name;
  return CallServer(remote, "POST", "/secrets", WriteJson(body));
}

std::int64_t VersionOf(const json::value& secret) {
  const json::value* version = Find(secret, "currentVersion");
  if (version == nullptr || !version->is_number()) return 0;
  boost::system::error_code error;
  return version->to_number<std::int64_t>(error);
}

}  // namespace

int SetSecret(const Remote& remote, NewSecret secret) {
  if (!secret.value) {
    auto typed = ReadHidden("Value of " + secret.name + " (not shown): ");
    if (!typed) return PrintError(typed.error());
    secret.value = *std::move(typed);
  }
  auto put = PutSecret(remote, secret);
  ::explicit_bzero(secret.value->data(), secret.value->size());
  if (!put) return PrintError(put.error());
  fmt::print("{}  version {}\n", FindString(*put, "name"), VersionOf(*put));
  return 0;
}

int ListSecrets(const Remote& remote) {
  std::string after;
  json::array all;
  for (std::size_t page = 0; page < kSecretPagesMax; ++page) {
    std::string path = "/secrets?limit=100";
    if (!after.empty()) path += "&nextToken=" + PercentEncode(after);
    auto response = CallServerForPage(remote, path);
    if (!response) return PrintError(response.error());
    if (page == 0 && !remote.json)
      fmt::print("{:<32}  {:>7}  {:<19}  {:<19}\n", "NAME", "VERSION", "CREATED", "UPDATED");
    if (!response->body.is_array()) break;
    for (const json::value& secret : response->body.get_array()) {
      if (remote.json) {
        all.push_back(secret);
        continue;
      }
      fmt::print("{:<32}  {:>7}  {:<19}  {:<19}\n", FindString(secret, "name"), VersionOf(secret),
                 FindString(secret, "createdAt").substr(0, 19),
                 FindString(secret, "updatedAt").substr(0, 19));
    }
    after = std::move(response->next);
    if (after.empty()) break;
  }
  return remote.json ? PrintJson(all) : 0;
}

int RemoveSecrets(const Remote& remote, const std::vector<std::string>& names) {
  int code = 0;
  for (const std::string& name : names) {
    auto removed = CallServer(remote, "DELETE", SecretPath(name));
    if (!removed) code = PrintError(removed.error());
  }
  return code;
}

}  // namespace viv::cli
