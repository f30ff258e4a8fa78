#include <charconv>

#include "base/clock.h"
#include "dialects/dashboard/context.h"

namespace viv::dashboard {
namespace {

constexpr std::size_t kPageDefault = 100;
constexpr std::size_t kPageMax = 10'000;

Result<std::size_t> ReadCount(const http::Request& request,
                              std::string_view name,
                              std::size_t fallback) {
  std::optional<std::string> text = request.Query(name);
  if (!text) return fallback;
  std::size_t value = 0;
  auto read = std::from_chars(text->data(), text->data() + text->size(), value);
  if (text->empty() || read.ptr != text->data() + text->size()) {
    return Fail(ErrorCode::kInvalidArgument, std::string(name) + ": a whole number is expected");
  }
  return value;
}

}  // namespace

Task<http::Response> ListSandboxes(Context& context, http::Request& request) {
  auto limit = ReadCount(request, "limit", kPageDefault);
  if (!limit) co_return RenderError(limit.error());
  auto offset = ReadCount(request, "offset", 0);
  if (!offset) co_return RenderError(offset.error());
  worlds::Sandboxes::ListQuery query;
  query.account_id = request.identity.account_id;
  query.server = request.Query("server").value_or("");
  query.limit = std::min(*limit, kPageMax);
  query.offset = *offset;
  worlds::Sandboxes::Page page = context.sandboxes.List(query);
  json::array list;
  for (const store::SandboxPtr& sandbox : page.sandboxes) {
    list.push_back(
        {{"id", sandbox->id},
         {"server", sandbox->server},
         {"email", sandbox->email},
         {"benchmark",
          sandbox->benchmark.empty() ? json::value() : json::value(sandbox->benchmark)},
         {"created_at", IsoMicros(sandbox->created_at_us)},
         {"updated_at", IsoMicros(sandbox->updated_at_us)},
         {"expires_at", sandbox->expires_at_us ? json::value(IsoMicros(*sandbox->expires_at_us))
                                               : json::value()}});
  }
  co_return http::Json(
      200, WriteJson(json::object{{"sandboxes", std::move(list)}, {"total", page.total}}));
}

Task<http::Response> ListApps(Context& context, http::Request& /*request*/) {
  json::array list;
  for (const auto& loaded : context.sandboxes.catalogue().List()) {
    json::array profiles;
    for (const engine::Profile& profile : loaded->app->profiles) {
      profiles.push_back({{"name", profile.name}, {"tools", profile.tools.size()}});
    }
    list.push_back({{"name", loaded->app->name},
                    {"title", loaded->app->title},
                    {"description", loaded->app->description},
                    {"version", engine::Catalogue::VersionOf(*loaded->app)},
                    {"profiles", std::move(profiles)}});
  }
  co_return http::Json(200, WriteJson(json::object{{"apps", std::move(list)}}));
}

}  // namespace viv::dashboard
