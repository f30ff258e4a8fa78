#include "dialects/langsmith/service_address.h"

#include <charconv>

#include "base/text.h"
#include "boxes/box_ids.h"

namespace viv::langsmith {
namespace {

std::optional<Service> ServiceFrom(std::string_view uuid, std::string_view port_text) {
  std::uint16_t port = 0;
  const char* end = port_text.data() + port_text.size();
  auto read = std::from_chars(port_text.data(), end, port);
  if (read.ec != std::errc() || read.ptr != end || port == 0) return std::nullopt;
  if (port_text.front() == '0') return std::nullopt;  // one service has one address
  std::optional<std::string> id = boxes::BoxOfUuid(uuid);
  if (!id) return std::nullopt;
  return Service{*std::move(id), port};
}

std::string_view WithoutPort(std::string_view host) {
  std::size_t colon = host.rfind(':');
  return colon == std::string_view::npos || host.ends_with(']') ? host : host.substr(0, colon);
}

// The first label of a name below the domain.
std::string_view ServiceLabel(std::string_view domain, std::string_view host) {
  domain = WithoutPort(domain);
  host = WithoutPort(host);
  if (domain.empty() || host.size() <= domain.size() + 1) return {};
  std::string_view label = host.substr(0, host.size() - domain.size() - 1);
  bool is_below =
      host[label.size()] == '.' && EqualsIgnoreCase(host.substr(label.size() + 1), domain);
  return is_below ? label : std::string_view();
}

std::optional<Service> ServiceOfHost(std::string_view domain, std::string_view host) {
  std::string_view label = ServiceLabel(domain, host);
  std::size_t dashes = label.find("--");
  if (dashes == std::string_view::npos) return std::nullopt;
  return ServiceFrom(label.substr(0, dashes), label.substr(dashes + 2));
}

std::string PathOfService(const Service& service) {
  return std::string(kServicePath) + boxes::UuidOfBox(service.box_id) + '/' +
         std::to_string(service.port);
}

}  // namespace

bool IsServiceHost(std::string_view domain, std::string_view host) {
  return ServiceOfHost(domain, host).has_value();
}

std::optional<ServiceRoute> ServiceRouteOf(std::string_view domain, const http::Request& request) {
  if (auto named = ServiceOfHost(domain, request.headers.Get("host")))
    return ServiceRoute{*std::move(named), ""};
  std::string_view path = request.path;
  if (!path.starts_with(kServicePath)) return std::nullopt;
  path.remove_prefix(kServicePath.size());
  std::string_view uuid = path.substr(0, path.find('/'));
  if (uuid.size() == path.size()) return std::nullopt;
  path.remove_prefix(uuid.size() + 1);
  std::string_view port = path.substr(0, path.find('/'));
  if (port.empty()) return std::nullopt;
  std::optional<Service> service = ServiceFrom(uuid, port);
  if (!service) return std::nullopt;
  std::size_t prefix = kServicePath.size() + uuid.size() + 1 + port.size();
  return ServiceRoute{*std::move(service), request.path.substr(0, prefix)};
}

bool IsClientSecure(const Context& context, const http::Request& request) {
  return request.secure || context.public_url.starts_with("https://");
}

std::string UrlOfService(const Context& context,
                         const http::Request& request,
                         const Service& service) {
  if (context.domain.empty()) return OriginOf(context, request) + PathOfService(service) + '/';
  std::string_view scheme = IsClientSecure(context, request) ? "https://" : "http://";
  return std::string(scheme) + boxes::UuidOfBox(service.box_id) + "--" +
         std::to_string(service.port) + '.' + context.domain + '/';
}

std::string OuterPrefix(const Context& context, const ServiceRoute& route) {
  if (route.prefix.empty()) return {};
  std::string_view url = context.public_url;
  std::size_t scheme = url.find("://");
  std::size_t path =
      scheme == std::string_view::npos ? std::string_view::npos : url.find('/', scheme + 3);
  std::string outer(path == std::string_view::npos ? std::string_view() : url.substr(path));
  while (outer.ends_with('/')) outer.pop_back();
  return outer + route.prefix;
}

}  // namespace viv::langsmith
