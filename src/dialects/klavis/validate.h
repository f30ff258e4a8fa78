#pragma once
// Reads values out of a request as pydantic does in its lax mode, collecting every problem instead
// of stopping at the first.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "engine/document.h"
#include "http/message.h"

namespace viv::klavis {

inline const std::vector<std::string> kBenchmarks = {"MCP_Atlas", "Toolathlon", "MCP_Mark"};

class Validator {
 public:
  bool ok() const { return problems_.empty(); }
  const std::vector<engine::Problem>& problems() const { return problems_; }

  // The body as JSON: null when there is none. A body that is no JSON is a problem at its position.
  json::value Body(const http::Request& request);
  // Nothing when the member is absent or null.
  std::optional<std::string> Text(const json::value& body, std::string_view name);
  std::optional<std::string> Choice(const json::value& body,
                                    std::string_view name,
                                    const std::vector<std::string>& choices);
  std::optional<std::int64_t> Integer(const json::value& body,
                                      std::string_view name,
                                      std::int64_t least,
                                      std::int64_t most);
  json::value Tags(const json::value& body);

  bool QueryBoolean(const http::Request& request, std::string_view name, bool fallback);
  std::optional<std::int64_t> QueryInteger(const http::Request& request,
                                           std::string_view name,
                                           std::int64_t least);

  void Add(json::array location,
           std::string type,
           std::string message,
           json::value input,
           json::object context = {});
  void AddChoice(json::array location, const std::vector<std::string>& choices, json::value input);

 private:
  std::vector<engine::Problem> problems_;
};

}  // namespace viv::klavis
