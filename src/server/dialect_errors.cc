#include "server/dialect_errors.h"

#include <map>
#include <utility>

#include "base/text.h"
#include "dialects/e2b/errors.h"
#include "dialects/langsmith/errors.h"
#include "server/box_dialects.h"

namespace viv::server {
namespace {

using Render = DialectErrors::Render;

// Takes the first segment off `path`, which has one.
std::string_view TakePathSegment(std::string_view& path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

// Below "/v2/sandboxes/" are sandboxes of E2B by their ids, and all of LangSmith: of a path that
// neither of them has, the id decides.
Render RenderOfSharedPath(std::string_view path) {
  constexpr std::string_view kShared = "/v2/sandboxes/";
  constexpr std::size_t kIdBytes = 21;
  if (!path.starts_with(kShared)) return nullptr;
  path.remove_prefix(kShared.size());
  const std::string_view id = path.substr(0, path.find_first_of("-/"));
  return id.size() == kIdBytes && id.front() == 'i' ? e2b::RenderRouteError
                                                    : langsmith::RenderRouteError;
}

}  // namespace

struct DialectErrors::Node {
  std::map<std::string, std::unique_ptr<Node>, std::less<>> literals;
  std::unique_ptr<Node> parameter;
  Render route = nullptr;       // of a route whose path ends here
  Render rest_route = nullptr;  // of a route whose path may go on here
  Render owner = nullptr;       // of every route through this node, when `shared` is not set
  bool shared = false;

  void NoteOwner(Render render) {
    if (owner == nullptr) owner = render;
    if (owner != render) shared = true;
  }

  // As http::Router finds a route, whatever its method.
  Render FindRoute(std::string_view path) const {
    if (path.empty() || path == "/") return route != nullptr ? route : rest_route;
    std::string_view rest = path;
    const std::string_view segment = TakePathSegment(rest);
    if (auto literal = literals.find(segment); literal != literals.end())
      if (Render found = literal->second->FindRoute(rest)) return found;
    if (parameter != nullptr && !segment.empty())
      if (Render found = parameter->FindRoute(rest)) return found;
    return rest_route;
  }

  // The only owner below the longest run of literal segments that leads somewhere.
  Render FindOwner(std::string_view path) const {
    const Node* node = this;
    while (!path.empty()) {
      auto literal = node->literals.find(TakePathSegment(path));
      if (literal == node->literals.end()) return nullptr;
      node = literal->second.get();
      if (!node->shared) return node->owner;
    }
    return nullptr;
  }
};

DialectErrors::DialectErrors(std::string domain, Render other)
    : domain_(std::move(domain)), other_(other), root_(std::make_unique<Node>()) {}
DialectErrors::~DialectErrors() = default;

void DialectErrors::Add(std::string_view prefix, const http::Router& routes, Render render) {
  for (const http::Router::Listed& listed : routes.List()) {
    const std::string pattern = std::string(prefix) + listed.pattern;
    Node* node = root_.get();
    bool goes_on = false;
    for (std::string_view path = pattern; !path.empty() && path != "/";) {
      const std::string_view segment = TakePathSegment(path);
      goes_on = segment.ends_with("...}");
      if (goes_on) break;
      std::unique_ptr<Node>& next =
          segment.starts_with('{') ? node->parameter : node->literals[std::string(segment)];
      if (next == nullptr) next = std::make_unique<Node>();
      node = next.get();
      node->NoteOwner(render);
    }
    Render& end = goes_on ? node->rest_route : node->route;
    if (end == nullptr) end = render;
  }
}

Render DialectErrors::Find(const http::Request& request) const {
  switch (TrafficOf(domain_, request)) {
    case BoxTraffic::kE2b:
      return e2b::RenderRouteError;
    case BoxTraffic::kLangsmith:
      return langsmith::RenderRouteError;
    case BoxTraffic::kNone:
      break;
  }
  if (Render found = root_->FindRoute(request.path)) return found;
  if (Render found = root_->FindOwner(request.path)) return found;
  if (Render found = RenderOfSharedPath(request.path)) return found;
  return other_;
}

http::Response DialectErrors::operator()(int status,
                                         std::string message,
                                         const http::Request& request) const {
  return Find(request)(status, std::move(message), request);
}

}  // namespace viv::server
