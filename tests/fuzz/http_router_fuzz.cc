// Any method and path must find a route or none, without harm, and what is found must be
// consistent.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "fuzz_target.h"
#include "http/router.h"

namespace {

viv::Task<viv::http::Response> Nothing(viv::http::Request&) {
  co_return viv::http::Response();
}

viv::http::Router MakeRouter() {
  viv::http::Router router;
  for (const char* pattern : {"/", "/health", "/a/me/x", "/a/{id}", "/a/{id}/y", "/a/{id}/{name}/z",
                              "/files/{path...}", "/{first}/b"}) {
    router.Add("GET", pattern, Nothing);
  }
  router.Add("POST", "/a/{id}", Nothing);
  router.Add("DELETE", "/files/{path...}", Nothing);
  return router;
}

}  // namespace

// The input is a method and a path with a space between them.
FUZZ_TARGET(http_router)(const std::uint8_t* data, std::size_t size) {
  static const viv::http::Router router = MakeRouter();
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string_view method = text.substr(0, text.find(' '));
  text.remove_prefix(method.size() == text.size() ? text.size() : method.size() + 1);
  auto match = router.Find(method, text);
  if (match.handler != nullptr) CHECK(match.allowed_methods.empty());
  if (match.handler == nullptr) CHECK(match.parameters.empty());
  for (const auto& [name, value] : match.parameters) CHECK(name == "path" || !value.empty());
  return 0;
}
