#include "server/template_builds.h"

#include <deque>
#include <optional>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "accounts/accounts.h"
#include "base/json.h"
#include "base/log.h"
#include "dialects/dashboard/context.h"

namespace viv::server {
namespace {

constexpr std::chrono::milliseconds kProgressEvery{50};
constexpr std::size_t kBuildsMax = 4;
constexpr std::size_t kLinesMax = 10'000;

bool IsTemplateName(std::string_view name) {
  if (name.empty() || name.size() > 64) return false;
  for (char c : name) {
    bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (!good) return false;
  }
  return true;
}

std::string TemplateLine(const templates::Template& made) {
  json::object about;
  about["id"] = made.id;
  about["name"] = made.name;
  about["source"] = made.source;
  json::object line;
  line["template"] = std::move(about);
  return WriteJson(line) + "\n";
}

std::string NamedLine(std::string_view name, const std::string& text) {
  json::object line;
  line[name] = text;
  return WriteJson(line) + "\n";
}

}  // namespace

struct TemplateBuilds::Request {
  std::string name;
  std::string from;  // debian, oci-archive or oci-layout
  std::string path;  // of the archive or layout
  templates::DebianOptions debian;
};

// Shared by the thread that builds and the response that reports its progress.
struct TemplateBuilds::Build {
  std::mutex mutex;  // guards all below
  std::deque<std::string> lines;
  bool done = false;
};

TemplateBuilds::~TemplateBuilds() {
  std::list<std::jthread> ending;
  std::lock_guard lock(mutex_);
  std::swap(ending, threads_);
}

Result<templates::Template> TemplateBuilds::Run(const Request& request,
                                                const templates::Progress& progress) {
  if (request.from == "debian")
    return templates_.BuildDebian(request.name, request.debian, progress);
  if (request.from == "oci-archive")
    return templates_.ImportOciArchive(request.name, request.path, progress);
  return templates_.ImportOciLayout(request.name, request.path, progress);
}

Task<http::Response> TemplateBuilds::Start(http::Request& request) {
  if (request.identity.account_id != accounts::kDefaultAccount)
    co_return dashboard::Failure(403, "permission_denied",
                                 "templates are built by the operator: use the server's own key");
  auto body = ParseJson(request.body);
  if (!body) co_return dashboard::RenderError(body.error());
  Request build;
  build.name = FindString(*body, "name");
  build.from = FindString(*body, "from");
  build.path = FindString(*body, "path");
  if (std::string_view suite = FindString(*body, "suite"); !suite.empty())
    build.debian.suite = suite;
  build.debian.mirror = FindString(*body, "mirror");
  const json::value* packages = Find(*body, "packages");
  if (packages != nullptr && packages->is_array())
    for (const json::value& it : packages->get_array())
      if (it.is_string()) build.debian.packages.emplace_back(View(it.get_string()));
  if (!IsTemplateName(build.name))
    co_return dashboard::Failure(400, "invalid_argument",
                                 "name: lower-case letters, digits, '-' and '_' are expected");
  if (build.from != "debian" && build.from != "oci-archive" && build.from != "oci-layout")
    co_return dashboard::Failure(400, "invalid_argument",
                                 "from: debian, oci-archive or oci-layout is expected");
  if (build.from != "debian" && build.path.empty())
    co_return dashboard::Failure(400, "invalid_argument", "path: which file or folder?");

  accounts::Amounts one_build;
  one_build[accounts::Budget::kBuilds] = 1;
  auto charge = std::make_shared<accounts::Charge>(&budgets_, request.identity.account_id);
  if (Status taken = charge->Set(one_build); !taken)
    co_return dashboard::RenderError(taken.error());
  auto state = std::make_shared<Build>();
  {
    std::lock_guard lock(mutex_);
    if (threads_.size() >= kBuildsMax) threads_.pop_front();  // waits for the oldest
    threads_.emplace_back([this, state, charge, build = std::move(build)] {
      auto made = Run(build, [&state](const std::string& line) {
        std::lock_guard guard(state->mutex);
        if (state->lines.size() < kLinesMax) state->lines.push_back(NamedLine("line", line));
      });
      if (made) log::Info("template.built", {{"name", made->name}, {"source", made->source}});
      charge->SetUnchecked({});
      std::lock_guard guard(state->mutex);
      state->lines.push_back(made ? TemplateLine(*made) : NamedLine("error", made.error().message));
      state->done = true;
    });
  }
  http::Response response;
  response.headers.Add("Content-Type", "application/x-ndjson");
  response.stream = [state](http::BodyWriter& writer) -> Task<void> {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    for (;;) {
      std::string piece;
      bool done = false;
      {
        std::lock_guard guard(state->mutex);
        for (const std::string& line : state->lines) piece += line;
        state->lines.clear();
        done = state->done;
      }
      if (!piece.empty()) {
        Status written = co_await writer.Write(std::move(piece));
        if (!written) co_return;
      }
      if (done) co_return;
      timer.expires_after(kProgressEvery);
      auto [stopped] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
      if (stopped) co_return;
    }
  };
  co_return response;
}

Task<http::Response> TemplateBuilds::Remove(http::Request& request) {
  if (request.identity.account_id != accounts::kDefaultAccount)
    co_return dashboard::Failure(403, "permission_denied",
                                 "templates are removed by the operator: use the server's own key");
  Status removed = templates_.Remove(std::string(request.Parameter("name")));
  if (!removed) co_return dashboard::RenderError(removed.error());
  co_return http::Empty(204);
}

http::RouteTable<TemplateBuilds> TemplateBuilds::Table() {
  static constexpr http::RouteEntry<TemplateBuilds> kTemplateRoutes[] = {
      {"POST", "/api/viv/templates",
       [](TemplateBuilds& builds, http::Request& request) { return builds.Start(request); }},
      {"DELETE", "/api/viv/templates/{name}",
       [](TemplateBuilds& builds, http::Request& request) { return builds.Remove(request); }},
  };
  return kTemplateRoutes;
}

void TemplateBuilds::AddTo(http::Router& router, const http::KeyLookup& keys) {
  http::Middleware auth = http::Auth(keys, [](http::AuthFailure failure) {
    if (failure == http::AuthFailure::kTooManyRequests)
      return dashboard::Failure(429, "too_many_requests", std::string(http::kTooManyRequests));
    return dashboard::Failure(401, "unauthenticated",
                              "Send your key as 'Authorization: Bearer KEY' or 'X-API-Key: KEY'");
  });
  http::AddRoutes(router, Table(), *this, auth);
}

void TemplateBuilds::AddUnavailableTo(http::Router& router, const http::Handler& refuse) {
  http::AddRoutesServedBy(router, Table(), refuse);
}

}  // namespace viv::server
