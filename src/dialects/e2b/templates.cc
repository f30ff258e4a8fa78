#include <algorithm>
#include <map>

#include "base/ids.h"
#include "base/timestamp.h"
#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/pages.h"
#include "dialects/e2b/query.h"
#include "dialects/e2b/shapes.h"
#include "dialects/e2b/template_name.h"
#include "http/fields.h"

namespace viv::e2b {
namespace {

// A template here has exactly one build; its id is made of the template's, so that it stays.
std::string BuildIdOf(const boxes::TemplateInfo& info) {
  std::string hex = Sha256Hex("build of " + info.id);
  return hex.substr(0, 8) + '-' + hex.substr(8, 4) + "-4" + hex.substr(13, 3) + "-8" +
         hex.substr(17, 3) + '-' + hex.substr(20, 12);
}

json::array NamesOf(const boxes::TemplateInfo& info) {
  json::array names;
  for (const std::string& name : info.names) names.emplace_back(name);
  return names;
}

// What a template and its details share.
json::object ShowBasics(const boxes::TemplateInfo& info) {
  return {{"templateID", info.id},
          {"public", !info.is_snapshot},
          {"aliases", NamesOf(info)},
          {"names", NamesOf(info)},
          {"createdAt", TimeText(info.created_at_us)},
          {"updatedAt", TimeText(info.created_at_us)},
          {"lastSpawnedAt", nullptr},
          {"spawnCount", 0}};
}

void AddSize(json::object& shape, const boxes::TemplateInfo& info) {
  shape["cpuCount"] = CpuCount(info.cpus);
  shape["memoryMB"] = Mebibytes(info.memory_bytes);
  shape["diskSizeMB"] = Mebibytes(info.disk_bytes);
  shape["envdVersion"] = kAgentVersion;
}

json::object ShowTemplate(const boxes::TemplateInfo& info) {
  json::object shape = ShowBasics(info);
  AddSize(shape, info);
  shape["buildID"] = BuildIdOf(info);
  shape["buildStatus"] = "ready";
  shape["buildCount"] = 1;
  shape["createdBy"] = nullptr;
  return shape;
}

json::object ShowBuild(const boxes::TemplateInfo& info) {
  json::object shape{{"buildID", BuildIdOf(info)},
                     {"status", "ready"},
                     {"createdAt", TimeText(info.created_at_us)},
                     {"updatedAt", TimeText(info.created_at_us)},
                     {"finishedAt", TimeText(info.created_at_us)}};
  AddSize(shape, info);
  return shape;
}

std::vector<boxes::TemplateInfo> WithoutSnapshots(const Context& context,
                                                  const http::Request& request) {
  std::vector<boxes::TemplateInfo> all = context.boxes.ListTemplates(request.identity.account_id);
  std::erase_if(all, [](const boxes::TemplateInfo& info) { return info.is_snapshot; });
  return all;
}

json::array ShowTemplates(const std::vector<boxes::TemplateInfo>& all) {
  json::array list;
  for (const boxes::TemplateInfo& info : all) list.push_back(ShowTemplate(info));
  return list;
}

Result<boxes::TemplateInfo> RequestedTemplate(const Context& context,
                                              const http::Request& request,
                                              std::string_view parameter) {
  return FindTemplate(context.boxes, request.identity.account_id, request.Parameter(parameter));
}

// The builds of one name, the oldest first: those before the last only wait for their sandboxes.
std::vector<boxes::TemplateInfo> BuildsOf(const Context& context,
                                          const http::Request& request,
                                          const boxes::TemplateInfo& info) {
  std::vector<boxes::TemplateInfo> builds;
  if (!info.is_snapshot || info.names.empty()) return {info};
  for (boxes::TemplateInfo& one : context.boxes.ListTemplates(request.identity.account_id)) {
    if (one.is_snapshot && one.names == info.names) builds.push_back(std::move(one));
  }
  std::reverse(builds.begin(), builds.end());
  return builds;
}

// Each tag of that alias with its newest build, which the list has first.
std::map<std::string, boxes::TemplateInfo> TagsOf(const Context& context,
                                                  const http::Request& request,
                                                  const std::string& alias) {
  std::map<std::string, boxes::TemplateInfo> tags;
  for (const boxes::TemplateInfo& info : context.boxes.ListTemplates(request.identity.account_id)) {
    for (const std::string& given : info.names) {
      auto name = ParseTemplateName(given);
      if (!name || name->alias != alias) continue;
      tags.try_emplace(name->tag.empty() ? "default" : name->tag, info);
    }
  }
  return tags;
}

}  // namespace

Task<http::Response> ListTemplates(Context& context, http::Request& request) {
  co_return http::Json(200, WriteJson(ShowTemplates(WithoutSnapshots(context, request))));
}

Task<http::Response> ListTemplatesV2(Context& context, http::Request& request) {
  QueryFields query(request);
  Page<boxes::TemplateInfo> page = CutPage(query, WithoutSnapshots(context, request));
  if (!query.ok()) co_return RenderError(query.error());
  http::Response response = http::Json(200, WriteJson(ShowTemplates(page.items)));
  if (!page.next_token.empty()) response.headers.Set("X-Next-Token", page.next_token);
  co_return response;
}

Task<http::Response> GetTemplate(Context& context, http::Request& request) {
  QueryFields query(request);
  query.Limit();
  if (!query.ok()) co_return RenderError(query.error());
  auto info = RequestedTemplate(context, request, "templateID");
  if (!info) co_return RenderError(info.error());
  json::object shape = ShowBasics(*info);
  shape["builds"] = json::array{ShowBuild(*info)};
  co_return http::Json(200, WriteJson(shape));
}

// Who may use a template is not for its users to change; asking for what is so already is fine.
Task<http::Response> UpdateTemplate(Context& context, http::Request& request) {
  http::Fields fields(request, http::Fields::Body::kRequired);
  std::optional<bool> is_public = fields.Flag("public");
  if (!fields.ok()) co_return RenderError(fields.error());
  auto info = RequestedTemplate(context, request, "templateID");
  if (!info) co_return RenderError(info.error());
  if (is_public && *is_public == info->is_snapshot) {
    co_return Failure(400, info->is_snapshot
                               ? "A snapshot belongs to its team and cannot be published here"
                               : "A template is for every account of this server and cannot be "
                                 "unpublished");
  }
  co_return http::Json(200, WriteJson(json::object{{"names", NamesOf(*info)}}));
}

Task<http::Response> RemoveTemplate(Context& context, http::Request& request) {
  std::string account_id = request.identity.account_id;
  auto info = RequestedTemplate(context, request, "templateID");
  if (!info) co_return RenderError(info.error());
  for (const boxes::TemplateInfo& build : BuildsOf(context, request, *info)) {
    Status removed = co_await context.boxes.RemoveTemplate(account_id, build.id);
    if (!removed && removed.error().code == ErrorCode::kConflict)
      co_return Failure(400, removed.error().message);  // the vendor's word for "in use"
    if (!removed) co_return RenderError(removed.error());
  }
  co_return http::Empty(204);
}

Task<http::Response> GetTemplateAlias(Context& context, http::Request& request) {
  auto info = RequestedTemplate(context, request, "alias");
  if (!info) co_return RenderError(info.error());
  co_return http::Json(
      200, WriteJson(json::object{{"templateID", info->id}, {"public", !info->is_snapshot}}));
}

Task<http::Response> ListTemplateTags(Context& context, http::Request& request) {
  std::string_view asked = request.Parameter("templateID");
  auto plain = PlainTemplateName(request.identity.account_id, asked);
  if (!plain) co_return RenderError(plain.error());
  std::map<std::string, boxes::TemplateInfo> tags;
  auto info = RequestedTemplate(context, request, "templateID");
  if (info && !info->names.empty()) {
    if (auto name = ParseTemplateName(info->names.front()))
      tags = TagsOf(context, request, name->alias);
  } else if (!info && asked.find(':') == std::string_view::npos) {
    tags = TagsOf(context, request, *plain);  // there may be no "default" among them
  }
  if (tags.empty() && !info) co_return RenderError(info.error());
  if (tags.empty()) tags.emplace("default", *info);
  json::array list;
  for (const auto& [tag, build] : tags) {
    list.push_back(json::object{
        {"tag", tag}, {"buildID", BuildIdOf(build)}, {"createdAt", TimeText(build.created_at_us)}});
  }
  co_return http::Json(200, WriteJson(list));
}

}  // namespace viv::e2b
