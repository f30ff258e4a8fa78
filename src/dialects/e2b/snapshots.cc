#include <set>

#include "base/log.h"
#include "base/text.h"
#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/pages.h"
#include "dialects/e2b/query.h"
#include "dialects/e2b/template_name.h"
#include "http/fields.h"

namespace viv::e2b {
namespace {

// Names come with the team and a tag, and the first of them is the id; a nameless one is called by
// its own id.
json::object ShowSnapshot(const std::string& account_id, const boxes::TemplateInfo& info) {
  json::array names;
  for (const std::string& given : info.names) {
    auto name = ParseTemplateName(given);
    if (!name || name->alias == info.id) continue;
    names.emplace_back(ToLower(account_id) + '/' + name->alias + ':' +
                       (name->tag.empty() ? "default" : name->tag));
  }
  json::value id = names.empty() ? json::value(info.id + ":default") : names.front();
  return {{"snapshotID", std::move(id)}, {"names", std::move(names)}};
}

// A bare name is that of every tag; one with a tag, "default" too, names exactly that.
bool IsRequested(const boxes::TemplateInfo& info,
                 std::string_view asked,
                 const std::string& plain) {
  if (IsNamed(info, plain)) return true;
  if (asked.find(':') != std::string_view::npos) return false;
  for (const std::string& given : info.names) {
    auto name = ParseTemplateName(given);
    if (name && name->alias == plain) return true;
  }
  return false;
}

// A name is one template, and its newest build counts, which comes first. What is left of older
// ones is only kept for the sandboxes that run from it.
void DropReplaced(std::vector<boxes::TemplateInfo>& all) {
  std::set<std::string> seen;
  std::erase_if(all, [&seen](const boxes::TemplateInfo& info) {
    return !info.names.empty() && !seen.insert(info.names.front()).second;
  });
}

// The builds that this one takes the place of. One in use stays for now; the next snapshot of the
// name, or its removal, tries again.
Task<void> RemoveReplaced(Context& context, std::string account_id, boxes::TemplateInfo taken) {
  if (taken.names.empty()) co_return;
  for (const boxes::TemplateInfo& info : context.boxes.ListTemplates(account_id)) {
    if (!info.is_snapshot || info.id == taken.id || info.names != taken.names) continue;
    if (info.created_at_us > taken.created_at_us) continue;
    Status removed = co_await context.boxes.RemoveTemplate(account_id, info.id);
    if (!removed && removed.error().code != ErrorCode::kConflict)
      log::Warn("snapshot.not_replaced", {{"id", info.id}, {"error", removed.error().message}});
  }
}

}  // namespace

Task<http::Response> CreateSnapshot(Context& context, http::Request& request) {
  http::Fields fields(request, http::Fields::Body::kOptional);
  std::optional<std::string> asked = fields.Text("name");
  if (!fields.ok()) co_return RenderError(fields.error());
  std::string account_id = request.identity.account_id;
  std::string name;
  if (asked && !asked->empty()) {
    auto plain = PlainTemplateName(account_id, *asked);
    if (!plain) co_return Failure(400, plain.error().message);
    name = std::move(*plain);
  }
  std::string id = SandboxIdOf(request);
  auto snapshot = co_await context.boxes.Snapshot(account_id, id, std::move(name));
  if (!snapshot) co_return RenderSandboxError(snapshot.error(), id);
  co_await RemoveReplaced(context, account_id, *snapshot);
  co_return http::Json(201, WriteJson(ShowSnapshot(account_id, *snapshot)));
}

Task<http::Response> ListSnapshots(Context& context, http::Request& request) {
  QueryFields query(request);
  const std::string& account_id = request.identity.account_id;
  std::optional<std::string> origin = query.Text("sandboxID");
  std::optional<std::string> asked = query.Text("name");
  std::optional<Result<std::string>> name;
  if (asked && !asked->empty()) name = PlainTemplateName(account_id, *asked);
  std::vector<boxes::TemplateInfo> all;
  for (boxes::TemplateInfo& info : context.boxes.ListTemplates(account_id)) {
    if (!info.is_snapshot) continue;
    if (origin && !origin->empty() && info.origin_box != ShortId(*origin)) continue;
    // An invalid name matches nothing.
    if (name && (!*name || !IsRequested(info, *asked, **name))) continue;
    all.push_back(std::move(info));
  }
  DropReplaced(all);
  Page<boxes::TemplateInfo> page = CutPage(query, std::move(all));
  if (!query.ok()) co_return RenderError(query.error());
  json::array list;
  for (const boxes::TemplateInfo& info : page.items) list.push_back(ShowSnapshot(account_id, info));
  http::Response response = http::Json(200, WriteJson(list));
  if (!page.next_token.empty()) response.headers.Set("X-Next-Token", page.next_token);
  co_return response;
}

}  // namespace viv::e2b
