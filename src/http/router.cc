#include "http/router.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/check.h"
#include "base/text.h"

namespace viv::http {
namespace {

constexpr std::size_t kParametersMax = 16;

// Takes the first segment off `path`, which starts with a slash or is empty.
std::string_view TakeSegment(std::string_view& path) {
  path.remove_prefix(1);
  std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

std::string_view WithoutTrailingSlash(std::string_view path) {
  if (!path.empty() && path.back() == '/') path.remove_suffix(1);
  return path;
}

bool IsParameter(std::string_view segment) {
  return !segment.empty() && segment.front() == '{';
}

// "id" of "{id}" or "{id...}".
std::string_view ParameterName(std::string_view segment, bool rest) {
  std::size_t suffix = rest ? 4 : 1;
  CHECK(segment.size() > suffix + 1 && segment.back() == '}');
  return segment.substr(1, segment.size() - suffix - 1);
}

}  // namespace

struct Router::Node {
  // Parameter names belong to the route, for two routes may name the same segment differently.
  struct Endpoint {
    std::string method;
    std::vector<std::string> names;
    Handler handler;
  };
  std::map<std::string, std::unique_ptr<Node>, std::less<>> literals;
  std::unique_ptr<Node> parameter;
  std::vector<Endpoint> endpoints;       // the path ends here
  std::vector<Endpoint> rest_endpoints;  // the path may go on

  static const Endpoint* Find(const std::vector<Endpoint>& list, std::string_view method) {
    for (const Endpoint& endpoint : list) {
      if (endpoint.method == method) return &endpoint;
    }
    return nullptr;
  }
};

// One lookup. A node is reached by one way only, so the walk is no longer than the tree is large,
// and no deeper than its longest pattern.
struct Router::Search {
  std::string_view method;
  std::array<std::string_view, kParametersMax> values{};
  std::size_t count = 0;
  Match match;

  bool Walk(const Node& node, std::string_view path) {
    if (path.empty() && Accept(node.endpoints)) return true;
    if (!path.empty() && Descend(node, path)) return true;
    if (node.rest_endpoints.empty()) return false;
    values[count++] = path.empty() ? path : path.substr(1);
    if (Accept(node.rest_endpoints)) return true;
    --count;
    return false;
  }

  bool Descend(const Node& node, std::string_view path) {
    std::string_view segment = TakeSegment(path);
    auto literal = node.literals.find(segment);
    if (literal != node.literals.end() && Walk(*literal->second, path)) return true;
    if (!node.parameter || segment.empty()) return false;
    values[count++] = segment;
    if (Walk(*node.parameter, path)) return true;
    --count;
    return false;
  }

  bool Accept(const std::vector<Node::Endpoint>& endpoints) {
    if (endpoints.empty()) return false;
    const Node::Endpoint* endpoint = Node::Find(endpoints, method);
    if (endpoint == nullptr && method == "HEAD") endpoint = Node::Find(endpoints, "GET");
    std::vector<std::pair<std::string, std::string>> parameters;
    const std::vector<std::string>& names = (endpoint ? *endpoint : endpoints.front()).names;
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::optional<std::string> value = PercentDecode(values[i]);
      if (!value) return false;
      if (endpoint) parameters.emplace_back(names[i], *std::move(value));
    }
    if (endpoint == nullptr) {
      NoteAllowed(endpoints);
      return false;
    }
    match.handler = &endpoint->handler;
    match.parameters = std::move(parameters);
    return true;
  }

  void NoteAllowed(const std::vector<Node::Endpoint>& endpoints) {
    auto note = [this](const std::string& name) {
      auto& list = match.allowed_methods;
      if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
    };
    for (const Node::Endpoint& endpoint : endpoints) {
      note(endpoint.method);
      if (endpoint.method == "GET") note("HEAD");
    }
  }
};

Router::Router() : root_(std::make_unique<Node>()) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

void Router::Add(std::string_view method, std::string_view pattern, Handler handler) {
  CHECK(!pattern.empty() && pattern.front() == '/' && handler);
  routes_.push_back(Route{std::string(method), std::string(pattern), handler});
  Node* node = root_.get();
  std::vector<std::string> names;
  bool rest = false;
  for (std::string_view path = WithoutTrailingSlash(pattern); !path.empty();) {
    CHECK(!rest);  // only the last segment takes the rest
    std::string_view segment = TakeSegment(path);
    CHECK(!segment.empty());
    if (!IsParameter(segment)) {
      auto& child = node->literals[std::string(segment)];
      if (!child) child = std::make_unique<Node>();
      node = child.get();
      continue;
    }
    rest = segment.ends_with("...}");
    names.emplace_back(ParameterName(segment, rest));
    if (rest) continue;
    if (!node->parameter) node->parameter = std::make_unique<Node>();
    node = node->parameter.get();
  }
  CHECK(names.size() <= kParametersMax);
  auto& endpoints = rest ? node->rest_endpoints : node->endpoints;
  CHECK(Node::Find(endpoints, method) == nullptr);
  endpoints.push_back({std::string(method), std::move(names), std::move(handler)});
}

void Router::Mount(std::string_view prefix, const Router& routes) {
  CHECK(this != &routes);
  for (const Route& route : routes.routes_) {
    Add(route.method, std::string(WithoutTrailingSlash(prefix)) + route.pattern, route.handler);
  }
}

std::vector<Router::Listed> Router::List() const {
  std::vector<Listed> list;
  list.reserve(routes_.size());
  for (const Route& route : routes_) list.push_back({route.method, route.pattern});
  return list;
}

Router::Match Router::Find(std::string_view method, std::string_view path) const {
  if (path.empty() || path.front() != '/') return {};
  Search search{.method = method, .match = {}};
  if (search.Walk(*root_, WithoutTrailingSlash(path))) search.match.allowed_methods.clear();
  return std::move(search.match);
}

namespace {

Task<Response> Route(const Router& router, const ErrorRenderer& errors, Request& request) {
  Router::Match match = router.Find(request.method, request.path);
  if (match.handler != nullptr) {
    request.parameters = std::move(match.parameters);
    co_return co_await (*match.handler)(request);
  }
  if (match.allowed_methods.empty()) co_return errors(404, "Not Found", request);
  Response response = errors(405, "Method Not Allowed", request);
  std::string allowed;
  for (const std::string& name : match.allowed_methods) {
    allowed += (allowed.empty() ? "" : ", ") + name;
  }
  response.headers.Set("Allow", std::move(allowed));
  co_return response;
}

}  // namespace

Handler Dispatch(const Router& router, ErrorRenderer errors) {
  return [&router, errors = std::move(errors)](Request& request) {
    return Route(router, errors, request);
  };
}

}  // namespace viv::http
