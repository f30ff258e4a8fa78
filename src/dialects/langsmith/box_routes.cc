#include "dialects/langsmith/operations.h"

namespace viv::langsmith {
namespace {

constexpr http::RouteEntry<Context> kBoxRoutes[] = {
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

http::RouteTable<Context> BoxRoutes() {
  return kBoxRoutes;
}

}  // namespace viv::langsmith
