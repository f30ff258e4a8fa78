#include "dialects/langsmith/service_grants.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ids.h"
#include "base/log.h"

namespace viv::langsmith {
namespace {

constexpr std::size_t kGrantsPerBoxMax = 256;
constexpr std::size_t kSweptGrantsMax = 64;  // in one call; the next one goes on
constexpr std::size_t kGenerationLength = 16;

constexpr std::array<std::pair<Grant::Access, std::string_view>, 3> kGrantNames = {{
    {Grant::Access::kToken, "token"},
    {Grant::Access::kRestricted, "restricted"},
    {Grant::Access::kWorkspace, "workspace"},
}};

std::string GrantId(const Service& service) {
  return service.box_id + ':' + std::to_string(service.port);
}

std::int64_t GrantNumber(const json::value& body, std::string_view name) {
  const json::value* found = Find(body, name);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

Grant GrantOf(const accounts::DocumentTable::Entry& entry) {
  Grant grant;
  grant.service.box_id = FindString(entry.body, "box");
  grant.service.port = static_cast<std::uint16_t>(GrantNumber(entry.body, "port"));
  grant.account_id = entry.account_id;
  for (const auto& [access, name] : kGrantNames)
    if (name == FindString(entry.body, "access")) grant.access = access;
  grant.created_at_us = GrantNumber(entry.body, "created");
  grant.expires_at_us = GrantNumber(entry.body, "expires");
  grant.generation = FindString(entry.body, "generation");
  grant.embed_origins.emplace();
  const json::value* origins = Find(entry.body, "embed_origins");
  if (origins == nullptr || !origins->is_array()) return grant;
  for (const json::value& origin : origins->get_array())
    if (origin.is_string()) grant.embed_origins->emplace_back(View(origin.get_string()));
  return grant;
}

json::object GrantBody(const Grant& grant) {
  json::object body;
  body["box"] = grant.service.box_id;
  body["port"] = std::int64_t{grant.service.port};  // as it is when it was read back
  body["access"] = json::string(NameOfAccess(grant.access));
  body["created"] = grant.created_at_us;
  body["expires"] = grant.expires_at_us;
  body["generation"] = grant.generation;
  if (grant.embed_origins && !grant.embed_origins->empty())
    body["embed_origins"] = json::array(grant.embed_origins->begin(), grant.embed_origins->end());
  return body;
}

// Two requests for one port must not each begin a generation of their own.
AsyncMutex& GrantMutex(Context& context, const Service& service) {
  return context
      .grant_mutexes[std::hash<std::string>()(GrantId(service)) % context.grant_mutexes.size()];
}

bool IsGrantExpired(const Context& context, const Grant& grant) {
  return grant.expires_at_us != 0 && context.clock() * 1000 >= grant.expires_at_us;
}

}  // namespace

std::string_view NameOfAccess(Grant::Access access) {
  for (const auto& [one, name] : kGrantNames)
    if (one == access) return name;
  return {};
}

bool IsByLogin(const Grant& grant) {
  return grant.access != Grant::Access::kToken;
}

std::optional<Grant> FindGrant(const Context& context, const Service& service) {
  accounts::DocumentTable::EntryPtr entry = context.services.Find(GrantId(service));
  if (entry == nullptr) return std::nullopt;
  Grant grant = GrantOf(*entry);
  if (IsGrantExpired(context, grant)) return std::nullopt;
  return grant;
}

std::vector<Grant> GrantsOfBox(const Context& context, const boxes::Box& box) {
  std::vector<Grant> grants;
  for (const auto& entry : context.services.List(box.account_id)) {
    if (FindString(entry->body, "box") != box.id) continue;
    Grant grant = GrantOf(*entry);
    if (!IsGrantExpired(context, grant)) grants.push_back(std::move(grant));
  }
  std::sort(grants.begin(), grants.end(),
            [](const Grant& a, const Grant& b) { return a.service.port < b.service.port; });
  return grants;
}

Task<Result<Grant>> SaveGrant(Context& context, Grant grant) {
  AsyncMutex::Lock grant_lock = co_await GrantMutex(context, grant.service).Acquire();
  std::optional<Grant> before = FindGrant(context, grant.service);
  grant.generation = RandomHex(kGenerationLength);
  if (before && before->access == grant.access) {
    grant.created_at_us = before->created_at_us;
    grant.expires_at_us = std::max(grant.expires_at_us, before->expires_at_us);
    grant.generation = before->generation;
  }
  if (before && !grant.embed_origins) grant.embed_origins = before->embed_origins;
  if (!grant.embed_origins) grant.embed_origins.emplace();
  if (!before) {
    co_await SweepGrants(context, grant.account_id);
    auto box = context.boxes.Find(grant.service.box_id);
    if (!box) co_return PassUp(std::move(box).error());
    if (GrantsOfBox(context, **box).size() >= kGrantsPerBoxMax)
      co_return Fail(ErrorCode::kLimitExceeded,
                     "a sandbox shares at most " + std::to_string(kGrantsPerBoxMax) + " ports");
  }
  accounts::DocumentTable::Entry entry{GrantId(grant.service), grant.account_id, GrantBody(grant)};
  CO_RETURN_IF_ERROR(co_await context.services.Put(std::move(entry)));
  co_return grant;
}

Task<Status> RemoveGrant(Context& context, Service service) {
  std::string id = GrantId(service);
  if (context.services.Find(id) == nullptr) co_return Status();
  co_return co_await context.services.Remove(std::move(id));
}

Task<void> SweepGrants(Context& context, std::string account_id) {
  std::vector<Service> gone;
  for (const auto& entry : context.services.List(account_id)) {
    Grant grant = GrantOf(*entry);
    if (!IsGrantExpired(context, grant) && context.boxes.Find(grant.service.box_id)) continue;
    gone.push_back(grant.service);
    if (gone.size() == kSweptGrantsMax) break;
  }
  for (const Service& service : gone) {
    Status removed = co_await RemoveGrant(context, service);
    if (!removed)
      log::Warn("service_grant.not_removed",
                {{"box", service.box_id}, {"error", removed.error().message}});
  }
}

}  // namespace viv::langsmith
