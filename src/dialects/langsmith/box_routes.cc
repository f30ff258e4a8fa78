#include "dialects/langsmith/operations.h"

namespace viv::langsmith {
namespace {

struct BoxRoute {
  std::string_view method;
  std::string_view path;
  Operation* operation;
};

constexpr BoxRoute kBoxRoutes[] = {
    {"POST", "/boxes", CreateBox},
    {"GET", "/boxes", ListBoxes},
    {"POST", "/boxes/batch-delete", BatchDeleteBoxes},
    {"GET", "/boxes/{name}", GetBox},
    {"PATCH", "/boxes/{name}", UpdateBox},
    {"DELETE", "/boxes/{name}", DeleteBox},
    {"GET", "/boxes/{name}/status", GetBoxStatus},
    {"POST", "/boxes/{name}/start", StartBox},
    {"POST", "/boxes/{name}/stop", StopBox},
    {"GET", "/usage", GetUsage},
    {"GET", "/usage/costs", GetUsageCosts},
    {"GET", "/auth/sandbox-access", ProbeAccess},
};

}  // namespace

void AddBoxRoutes(Context& context, http::Router& router, const http::Middleware& auth) {
  for (const BoxRoute& route : kBoxRoutes) {
    Operation* operation = route.operation;
    router.Add(route.method, route.path, auth([&context, operation](http::Request& request) {
                 return operation(context, request);
               }));
  }
}

}  // namespace viv::langsmith
