#include "cli/keys.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/output.h"
#include "cli/print_error.h"

namespace viv::cli {

int CreateKey(const Remote& remote, const NewKey& key) {
  json::object body{{"name", key.name}};
  if (!key.account.empty()) body["account"] = key.account;
  auto made = CallServer(remote, "POST", "/api/viv/keys", WriteJson(body));
  if (!made) return PrintError(made.error());
  fmt::print("{}\n", FindString(*made, "key"));
  fmt::print(stderr, "This is the only time the key is shown; its id is {}.\n",
             FindString(*made, "id"));
  return 0;
}

int ListKeys(const Remote& remote) {
  auto response = CallServer(remote, "GET", "/api/viv/keys");
  if (!response) return PrintError(response.error());
  if (remote.json) return PrintJson(response->at("keys"));
  fmt::print("{:<36}  {:<12}  {:<24}  {:<20}  {}\n", "ID", "KEY", "NAME", "CREATED", "STATE");
  for (const json::value& key : response->at("keys").as_array()) {
    std::string_view created = FindString(key, "created_at");
    fmt::print("{:<36}  {:<12}  {:<24}  {:<20}  {}\n", FindString(key, "id"),
               std::string(FindString(key, "prefix")) + "…", FindString(key, "name"),
               created.substr(0, 19), FindString(key, "revoked_at").empty() ? "valid" : "revoked");
  }
  return 0;
}

int RevokeKey(const Remote& remote, const std::string& id) {
  auto response = CallServer(remote, "DELETE", "/api/viv/keys/" + PercentEncode(id));
  if (!response) return PrintError(response.error());
  fmt::print("revoked {}\n", id);
  return 0;
}

int RotateKey(const Remote& remote, const std::string& id) {
  const std::string which = id.empty() ? "own" : PercentEncode(id);
  auto rotated = CallServer(remote, "POST", "/api/viv/keys/" + which + "/rotate");
  if (!rotated) return PrintError(rotated.error());
  fmt::print("{}\n", FindString(*rotated, "key"));
  fmt::print(
      stderr,
      "The key {} is invalid from now on; this is the only time the new one is shown, its id "
      "is {}.\n",
      FindString(*rotated, "replaces"), FindString(*rotated, "id"));
  return 0;
}

}  // namespace viv::cli
