#include "agent/dataplane/dataplane.h"
#include "base/json.h"

namespace viv::agent {

http::Response DataPlaneError(int status, std::string_view type, std::string message) {
  json::object detail;
  detail["error"] = std::string(type);
  detail["message"] = std::move(message);
  json::object body;
  body["detail"] = std::move(detail);
  return http::Json(status, WriteJson(body));
}

}  // namespace viv::agent
