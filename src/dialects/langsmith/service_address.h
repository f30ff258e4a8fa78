#pragma once
// A service is what listens on a port of a box. It is reached below a path of our own origin, which
// works everywhere, or under a name of its own where the server has a domain: a page then shares
// its origin with nobody.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dialects/langsmith/context.h"
#include "http/message.h"

namespace viv::langsmith {

struct Service {
  std::string box_id;
  std::uint16_t port = 0;

  bool operator==(const Service&) const = default;
};

struct ServiceRoute {
  Service service;
  // What stands before the guest's own paths, "/_svc/UUID/PORT"; empty when it came by name.
  std::string prefix;
};

inline constexpr std::string_view kServicePath = "/_svc/";
inline constexpr std::string_view kServiceLogin = "/_svc/auth";  // below the service

// By the host's name "{uuid}--{port}.{domain}", else by the path; nothing when it is neither.
std::optional<ServiceRoute> ServiceRouteOf(std::string_view domain, const http::Request& request);
// Whether the name alone makes it a service's: then every path is.
bool IsServiceHost(std::string_view domain, std::string_view host);

// Absolute, ends in '/'.
std::string UrlOfService(const Context& context,
                         const http::Request& request,
                         const Service& service);

// As the client writes it: with the path of the public address, when that has one. Without a '/' at
// its end; empty for a service with a name of its own.
std::string OuterPrefix(const Context& context, const ServiceRoute& route);
// Whether the client speaks TLS, to us or to the proxy before us.
bool IsClientSecure(const Context& context, const http::Request& request);

}  // namespace viv::langsmith
