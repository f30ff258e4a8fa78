#include "dialects/langsmith/mount_config.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "base/text.h"
#include "dialects/langsmith/provider_auth.h"
#include "dialects/langsmith/proxy_plan.h"
#include "dialects/langsmith/web_url.h"

namespace viv::langsmith {
namespace {

constexpr std::size_t kMountsMax = 64;
constexpr std::size_t kMountIdBytesMax = 64;
constexpr std::size_t kMountTextBytesMax = 1024;
constexpr std::string_view kMountsFolder = "/mnt/mounts/";
constexpr std::string_view kSystemFolders[] = {"bin",   "boot",  "dev",    "etc",  "lib",
                                               "lib32", "lib64", "libx32", "proc", "run",
                                               "sbin",  "sys",   "usr",    "var"};
constexpr std::int64_t kRefreshSecondsMax = 365 * 86'400;

// Credentials belong into `auth`, where they are sealed.
constexpr std::string_view kMountCredentials[] = {
    "access_key_id", "secret_access_key", "session_token", "service_account_json",
    "access_token",  "refresh_token",     "credentials",   "credential"};

bool IsMountId(std::string_view id) {
  if (id.empty() || id.size() > kMountIdBytesMax) return false;
  return std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

bool HasPlainNames(std::string_view path) {
  auto names = Split(path, '/');
  return std::all_of(names.begin(), names.end(), [](std::string_view name) {
    bool printable = std::all_of(name.begin(), name.end(),
                                 [](unsigned char c) { return c >= ' ' && c != 0x7f; });
    return !name.empty() && name != "." && name != ".." && printable;
  });
}

// Mounts are below the folder of mounts. A Context Hub is the agent's memory and may be anywhere
// but in system folders.
bool IsMountPath(std::string_view path, std::string_view type) {
  if (path.starts_with(kMountsFolder)) return HasPlainNames(path.substr(kMountsFolder.size()));
  if (type != "contexthub" || !path.starts_with('/')) return false;
  if (path == "/mnt" || path == "/mnt/mounts") return false;  // other mounts are below these
  path.remove_prefix(1);
  const std::string_view first = path.substr(0, path.find('/'));
  const bool is_system = std::find(std::begin(kSystemFolders), std::end(kSystemFolders), first) !=
                         std::end(kSystemFolders);
  return !is_system && HasPlainNames(path);
}

bool IsGitRemote(std::string_view remote) {
  auto url = ParseWebUrl(remote);
  return url && url->tls && !url->has_credentials && !url->has_query && url->path.size() > 1;
}

void KeepMountText(Members& members, std::string_view name, json::object& into) {
  if (auto text = members.Text(name, kMountTextBytesMax)) into[name] = *text;
}

void KeepMountFlag(Members& members, std::string_view name, json::object& into) {
  if (auto flag = members.Flag(name)) into[name] = *flag;
}

void KeepMountNumber(Members& members,
                     std::string_view name,
                     std::int64_t least,
                     std::int64_t most,
                     json::object& into) {
  if (auto number = members.Integer(name, least, most)) into[name] = *number;
}

json::object StoreBucket(Members& bucket, std::string_view type) {
  json::object stored{{"bucket", bucket.RequiredText("bucket", kMountTextBytesMax)}};
  KeepMountText(bucket, "prefix", stored);
  if (type != "s3") return stored;
  stored["region"] = bucket.RequiredText("region", kMountTextBytesMax);
  KeepMountText(bucket, "endpoint_url", stored);
  if (auto endpoint = bucket.Text("endpoint_url"); endpoint && !ParseWebUrl(*endpoint))
    bucket.Refuse("endpoint_url", "an http or https URL is expected");
  KeepMountFlag(bucket, "path_style", stored);
  return stored;
}

json::object StoreGit(Members& git) {
  std::string remote = git.RequiredText("remote_url", 2048);
  if (!IsGitRemote(remote))
    git.Refuse("remote_url",
               "an https URL of a repository is expected, without credentials, query or fragment");
  json::object stored{{"remote_url", remote}};
  if (git.Has("ref")) {
    Members ref = git.Object("ref");
    std::string type = ref.RequiredText("type");
    if (type != "branch" && type != "tag") ref.Refuse("type", "branch or tag is expected");
    json::object kept{{"type", type}, {"name", ref.RequiredText("name", kMountTextBytesMax)}};
    stored["ref"] = std::move(kept);
  }
  KeepMountNumber(git, "refresh_interval_seconds", 1, kRefreshSecondsMax, stored);
  return stored;
}

json::object StoreContextHub(Members& hub) {
  json::object stored{{"repo", hub.RequiredText("repo", kMountTextBytesMax)}};
  KeepMountFlag(hub, "initial_pull_only", stored);
  return stored;
}

void RefuseCredentials(Members& members) {
  for (std::string_view name : kMountCredentials)
    if (members.Has(name))
      members.Refuse(name, "credentials belong into mount_config.auth, not into a mount");
}

json::object StoreMountBody(Members& mount, const std::string& type) {
  if (!mount.Has(type)) mount.Refuse(type, "this is required for a mount of type " + type);
  Members body = mount.Object(type);
  RefuseCredentials(body);
  if (type == "git") return StoreGit(body);
  if (type == "contexthub") return StoreContextHub(body);
  return StoreBucket(body, type);
}

json::object StoreMount(Members& mount, std::set<std::string>& ids, std::set<std::string>& paths) {
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  RefuseCredentials(mount);
  std::string id = mount.RequiredText("id");
  if (!IsMountId(id)) mount.Refuse("id", "1 to 64 letters, digits, '_' or '-' are expected");
  if (!ids.insert(id).second) mount.Refuse("id", "two mounts have the id " + Printable(id));
  std::string path = mount.RequiredText("mount_path");
  std::string type = mount.RequiredText("type");
  if (!IsMountPath(path, type))
    mount.Refuse("mount_path",
                 type == "contexthub"
                     ? "an absolute path outside of the system's folders is expected, "
                       "without '.' and '..'"
                     : "a path below /mnt/mounts is expected, without '.' and '..'");
  if (!paths.insert(path).second)
    mount.Refuse("mount_path", "two mounts have the path " + Printable(path));
  json::object stored{{"id", id}, {"type", type}, {"mount_path", path}};
  if (type != "s3" && type != "gcs" && type != "git" && type != "contexthub") {
    mount.Refuse("type", "the type must be s3, gcs, git or contexthub");
    return stored;
  }
  if (mount.Has("encryption"))
    mount.Refuse("encryption",
                 "uploads are not encrypted with a key of their own here: leave it out, and let "
                 "the bucket encrypt by default");
  KeepMountFlag(mount, "read_only", stored);
  if (mount.Has("cache")) {
    Members cache = mount.Object("cache");
    json::object kept;
    KeepMountNumber(cache, "max_size_bytes", 0, kAny, kept);
    KeepMountNumber(cache, "writeback_seconds", 0, kAny, kept);
    stored["cache"] = std::move(kept);
  }
  stored[type] = StoreMountBody(mount, type);
  return stored;
}

json::object StoreMountAuth(Members auth, const AccountSealer& sealer) {
  json::object stored;
  if (auth.Has("azure"))
    auth.Refuse("azure", "mounts of Azure are not available here: leave them and their auth out");
  if (auth.Has("aws")) {
    Members aws = auth.Object("aws");
    if (aws.Has("session_tags"))
      aws.Refuse("session_tags", "these are for a rule of proxy_config, not for mounts");
    stored["aws"] = StoreAwsAuth(std::move(aws), nullptr, sealer);
  }
  if (auth.Has("gcp")) stored["gcp"] = StoreGcpAuth(auth.Object("gcp"), nullptr, sealer);
  return stored;
}

bool HasMountOf(const json::value& stored, std::string_view type) {
  const json::value* mounts = Find(stored, "mounts");
  const json::array* array = mounts == nullptr ? nullptr : mounts->if_array();
  return array != nullptr && std::any_of(array->begin(), array->end(), [&](const json::value& one) {
           return FindString(one, "type") == type;
         });
}

struct MountProvider {
  std::string_view name, mount_type;
};
constexpr MountProvider kMountProviders[] = {{"aws", "s3"}, {"gcp", "gcs"}};

// Credentials that no mount uses.
std::optional<std::string> UnusedAuthError(const json::value& stored) {
  const json::value* auth = Find(stored, "auth");
  for (const auto& [name, mount_type] : kMountProviders)
    if (auth != nullptr && Find(*auth, name) != nullptr && !HasMountOf(stored, mount_type))
      return std::string(name) + " auth requires at least one " + std::string(mount_type) +
             " mount";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> MountsAndProxyConflict(const json::value& stored_mounts,
                                                  const json::value& stored_proxy) {
  const json::value* auth = Find(stored_mounts, "auth");
  for (const auto& [name, mount_type] : kMountProviders) {
    bool has_auth = auth != nullptr && Find(*auth, name) != nullptr;
    if (has_auth && HasProviderRule(stored_proxy, name, RuleState::kAny))
      return std::string(name) + " auth cannot be in both mount_config and proxy_config";
    // Google's buckets need credentials of their own; those of Amazon may use the rule's.
    bool by_rule = name == "aws" && HasProviderRule(stored_proxy, name, RuleState::kEnabled);
    if (HasMountOf(stored_mounts, mount_type) && !has_auth && !by_rule)
      return std::string(mount_type) + " mounts require " + std::string(name) +
             " auth in mount_config";
  }
  return std::nullopt;
}

Checked<json::value> StoreMountConfig(const json::value& given,
                                      const json::value& stored_proxy,
                                      const AccountSealer& sealer) {
  FieldErrors field_errors;
  Members config(given, {"mount_config"}, field_errors);
  json::object stored;
  if (config.Has("auth")) stored["auth"] = StoreMountAuth(config.Object("auth"), sealer);
  json::array mounts;
  std::set<std::string> ids, paths;
  for (Members& mount : config.Objects("mounts", kMountsMax))
    mounts.push_back(StoreMount(mount, ids, paths));
  if (mounts.empty()) config.Refuse("mounts", "at least one mount is required");
  stored["mounts"] = std::move(mounts);
  json::value kept = std::move(stored);
  if (auto why = MountsAndProxyConflict(kept, stored_proxy)) config.Refuse("auth", *why);
  if (auto why = UnusedAuthError(kept)) config.Refuse("auth", *why);
  if (!field_errors.none()) return tl::unexpected(field_errors.first());
  return kept;
}

json::value ShowMountConfig(const json::value& stored) {
  return WithoutSecrets(stored);
}

}  // namespace viv::langsmith
