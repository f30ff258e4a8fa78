#include "dialects/langsmith/registries.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "boxes/image_reference.h"
#include "dialects/langsmith/body.h"
#include "dialects/langsmith/box_query.h"
#include "dialects/langsmith/errors.h"

namespace viv::langsmith {
namespace {

using RegistryEntry = accounts::DocumentTable::EntryPtr;

constexpr std::size_t kRegistriesMax = 1000;
constexpr std::size_t kRegistryPageDefault = 20;  // of pages with cursors
constexpr std::size_t kRegistryPageMax = 100;
constexpr std::size_t kRegistryNameBytesMax = 128;
constexpr std::size_t kRegistryUrlBytesMax = 1024;
constexpr std::size_t kRegistryPasswordBytesMax = 16'384;

std::string RegistryPurpose(std::string_view account_id, std::string_view id) {
  return "langsmith.registry:" + std::string(account_id) + ":" + std::string(id);
}

json::object ShowRegistry(const accounts::DocumentTable::Entry& entry) {
  json::object shape{{"id", entry.id}};
  for (const char* name : {"name", "url", "created_at", "created_by", "updated_at", "updated_by"})
    shape[name] = json::string(FindString(entry.body, name));
  return shape;
}

RegistryEntry FindRegistry(const Context& context,
                           std::string_view account_id,
                           std::string_view name) {
  for (const RegistryEntry& entry : context.registries.List(account_id))
    if (FindString(entry->body, "name") == name) return entry;
  return nullptr;
}

http::Response NoRegistry(std::string_view name) {
  return Failure(404, "ResourceNotFound", "registry '" + Printable(name) + "' does not exist");
}

http::Response RegistryNameTaken(std::string_view name) {
  return Failure(409, "Conflict", "registry '" + Printable(name) + "' exists already");
}

// A name stands in paths.
bool IsRegistryName(std::string_view name) {
  if (name.empty() || name.size() > kRegistryNameBytesMax) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
                     }) &&
         name != "." && name != "..";
}

struct RegistryRequest {
  std::optional<std::string> name, url, username, password;
};

Checked<RegistryRequest> ReadRegistryRequest(const json::value& body) {
  FieldErrors field_errors;
  Members members(body, {}, field_errors);
  RegistryRequest request;
  request.name = members.Text("name");
  request.url = members.Text("url", kRegistryUrlBytesMax);
  request.username = members.Text("username");
  request.password = members.Text("password", kRegistryPasswordBytesMax);
  if (request.name && !IsRegistryName(*request.name))
    members.Refuse("name", "1 to 128 letters, digits, '.', '_' and '-' are expected");
  if (request.url) {
    if (auto address = ParseRegistryUrl(*request.url); !address)
      members.Refuse("url", address.error().message);
  }
  if (request.username && request.username->find(':') != std::string::npos)
    members.Refuse("username", "a user's name has no ':'");
  if (!field_errors.none()) return tl::unexpected(field_errors.first());
  return request;
}

Checked<RegistryRequest> ReadNewRegistry(const json::value& body) {
  Checked<RegistryRequest> request = ReadRegistryRequest(body);
  if (!request) return request;
  if (!request->name) return FailField({"name"}, "a name is needed");
  if (!request->url) return FailField({"url"}, "the registry's host is needed");
  if (!request->username) return FailField({"username"}, "a user's name is needed");
  if (!request->password) return FailField({"password"}, "a password or token is needed");
  return request;
}

// Into the stored form; what is not given stays.
void ApplyRegistryRequest(const RegistryRequest& request,
                          const Context& context,
                          accounts::DocumentTable::Entry& entry) {
  json::object& body = entry.body.as_object();
  if (request.name) body["name"] = *request.name;
  if (request.url) body["url"] = *request.url;
  if (request.username) body["username"] = *request.username;
  if (request.password)
    body["password"] =
        context.sealer.Seal(RegistryPurpose(entry.account_id, entry.id), *request.password);
  body["updated_at"] = TimeText(context.clock() * 1000);
  body["updated_by"] = entry.account_id;
}

Task<http::Response> CreateRegistry(Context& context, http::Request& request) {
  const std::string account_id = request.identity.account_id;
  auto body = ReadBody(request, Body::kRequired);
  if (!body) co_return std::move(body.error());
  auto asked = ReadNewRegistry(*body);
  if (!asked) co_return RenderFieldError(asked.error());
  AsyncMutex::Lock lock = co_await context.registry_mutex.Acquire();
  if (FindRegistry(context, account_id, *asked->name)) co_return RegistryNameTaken(*asked->name);
  if (context.registries.List(account_id).size() >= kRegistriesMax)
    co_return Failure(429, "QuotaExceeded", "an account has at most 1000 registries");
  accounts::DocumentTable::Entry entry;
  entry.id = RandomUuid();
  entry.account_id = account_id;
  entry.body =
      json::object{{"created_at", TimeText(context.clock() * 1000)}, {"created_by", account_id}};
  ApplyRegistryRequest(*asked, context, entry);
  json::object shape = ShowRegistry(entry);
  Status kept = co_await context.registries.Put(std::move(entry));
  if (!kept) co_return FailureOf(kept.error());
  co_return http::Json(201, WriteJson(shape));
}

Task<http::Response> GetRegistry(Context& context, http::Request& request) {
  const std::string_view name = request.Parameter("name");
  RegistryEntry entry = FindRegistry(context, request.identity.account_id, name);
  if (entry == nullptr) co_return NoRegistry(name);
  co_return http::Json(200, WriteJson(ShowRegistry(*entry)));
}

Task<http::Response> UpdateRegistry(Context& context, http::Request& request) {
  const std::string account_id = request.identity.account_id;
  const std::string name(request.Parameter("name"));
  auto body = ReadBody(request, Body::kOptional);
  if (!body) co_return std::move(body.error());
  auto asked = ReadRegistryRequest(*body);
  if (!asked) co_return RenderFieldError(asked.error());
  AsyncMutex::Lock lock = co_await context.registry_mutex.Acquire();
  RegistryEntry found = FindRegistry(context, account_id, name);
  if (found == nullptr) co_return NoRegistry(name);
  if (asked->name && *asked->name != name && FindRegistry(context, account_id, *asked->name))
    co_return RegistryNameTaken(*asked->name);
  accounts::DocumentTable::Entry entry = *found;
  ApplyRegistryRequest(*asked, context, entry);
  json::object shape = ShowRegistry(entry);
  Status kept = co_await context.registries.Put(std::move(entry));
  if (!kept) co_return FailureOf(kept.error());
  co_return http::Json(200, WriteJson(shape));
}

Task<http::Response> DeleteRegistry(Context& context, http::Request& request) {
  const std::string name(request.Parameter("name"));
  AsyncMutex::Lock lock = co_await context.registry_mutex.Acquire();
  RegistryEntry found = FindRegistry(context, request.identity.account_id, name);
  if (found == nullptr) co_return NoRegistry(name);
  Status removed = co_await context.registries.Remove(found->id);
  if (!removed) co_return FailureOf(removed.error());
  co_return http::Empty(204);
}

BoxSortKey SortKeyOfRegistry(const accounts::DocumentTable::Entry& entry) {
  return {0, std::string(FindString(entry.body, "created_at")), entry.id};
}

bool IsNewerSortKey(const BoxSortKey& a, const BoxSortKey& b) {
  return std::tie(a.text, a.id) > std::tie(b.text, b.id);
}

// Newest first. Older clients read `registries` and `offset` (of the next page, 0 at the end),
// newer ones `items` and `next_cursor`.
Task<http::Response> ListRegistries(Context& context, http::Request& request) {
  const std::string& account_id = request.identity.account_id;
  auto query = ReadBoxQuery(request, account_id);
  if (!query) co_return Failure(400, "InvalidRequest", query.error().message);
  const bool sized = request.Query("page_size").has_value();
  if (sized || query->after)
    query->limit = std::min(sized ? query->limit : kRegistryPageDefault, kRegistryPageMax);
  std::vector<RegistryEntry> all = context.registries.List(account_id);
  std::erase_if(all, [&](const RegistryEntry& entry) {
    return ToLower(FindString(entry->body, "name")).find(query->filter.name_part) ==
               std::string::npos ||
           (query->after && !IsNewerSortKey(*query->after, SortKeyOfRegistry(*entry)));
  });
  std::sort(all.begin(), all.end(), [](const RegistryEntry& a, const RegistryEntry& b) {
    return IsNewerSortKey(SortKeyOfRegistry(*a), SortKeyOfRegistry(*b));
  });
  const std::size_t begin = std::min(query->offset, all.size());
  const std::size_t end = std::min(begin + query->limit, all.size());
  json::array registries;
  for (std::size_t i = begin; i < end; ++i) registries.push_back(ShowRegistry(*all[i]));
  json::object page;
  const bool more = end < all.size() && end > begin;
  page["items"] = registries;
  page["registries"] = std::move(registries);
  page["offset"] = more && !query->after ? end : 0;
  page["next_cursor"] = nullptr;
  if (more) page["next_cursor"] = EncodeCursor(*query, SortKeyOfRegistry(*all[end - 1]));
  co_return http::Json(200, WriteJson(page));
}

constexpr http::RouteEntry<Context> kRegistryRoutes[] = {
    {"GET", "/registries", ListRegistries},
    {"POST", "/registries", CreateRegistry},
    {"GET", "/registries/{name}", GetRegistry},
    {"PATCH", "/registries/{name}", UpdateRegistry},
    {"DELETE", "/registries/{name}", DeleteRegistry},
};

}  // namespace

Result<RegistryAddress> ParseRegistryUrl(std::string_view url) {
  RegistryAddress address;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    address.transport = boxes::RegistryTransport::kPlain;
  }
  address.host = ToLower(rest.substr(0, rest.find('/')));
  if (!boxes::IsRegistryHost(address.host))
    return Fail(ErrorCode::kInvalidArgument,
                "a host such as registry.example.com or registry.example.com:5000 is expected");
  // Docker's own has several names.
  for (std::string_view hub :
       {"index.docker.io", "registry-1.docker.io", "registry.hub.docker.com"})
    if (address.host == hub) address.host = "docker.io";
  return address;
}

Result<OpenedRegistry> OpenRegistry(const Context& context,
                                    std::string_view account_id,
                                    std::string_view ref) {
  RegistryEntry entry = context.registries.Find(account_id, ref);
  if (entry == nullptr) entry = FindRegistry(context, account_id, ref);
  if (entry == nullptr)
    return Fail(ErrorCode::kNotFound, "registry '" + Printable(ref) + "' does not exist");
  OpenedRegistry registry;
  registry.name = FindString(entry->body, "name");
  ASSIGN_OR_RETURN(RegistryAddress address, ParseRegistryUrl(FindString(entry->body, "url")));
  registry.host = std::move(address.host);
  registry.transport = address.transport;
  registry.login.user = FindString(entry->body, "username");
  ASSIGN_OR_RETURN(registry.login.password,
                   context.sealer.Open(RegistryPurpose(account_id, entry->id),
                                       FindString(entry->body, "password")),
                   "open the password of registry '" + registry.name + "'");
  return registry;
}

http::RouteTable<Context> RegistryRoutes() {
  return kRegistryRoutes;
}

}  // namespace viv::langsmith
