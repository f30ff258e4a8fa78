#include "dialects/klavis/memory_file.h"

#include "base/json.h"
#include "base/text.h"

namespace viv::klavis {
namespace {

constexpr std::size_t kMemoryDepthMax = 16;

bool HasText(const json::value& line, std::string_view name) {
  const json::value* value = Find(line, name);
  return value != nullptr && value->is_string();
}

bool IsEntity(const json::value& line) {
  if (!HasText(line, "name") || !HasText(line, "entityType")) return false;
  const json::value* observations = Find(line, "observations");
  if (observations == nullptr || !observations->is_array()) return false;
  for (const json::value& one : observations->get_array())
    if (!one.is_string()) return false;
  return true;
}

bool IsRelation(const json::value& line) {
  return HasText(line, "from") && HasText(line, "to") && HasText(line, "relationType");
}

}  // namespace

std::string MemoryFileOf(std::string_view benchmark) {
  return benchmark == "MCP_Atlas" ? "/data/repos/memory_mcp_server/memories-for-mcp.json"
                                  : "/data/memory/memory.json";
}

Status CheckMemoryLines(std::string_view text) {
  std::size_t number = 0;
  for (const std::string_view line : Split(text, '\n')) {
    ++number;
    if (Trim(line).empty()) continue;
    auto refuse = [number](const std::string& why) {
      return Fail(ErrorCode::kInvalidArgument, "line " + std::to_string(number) + " " + why);
    };
    auto value = ParseJson(Trim(line), kMemoryDepthMax);
    if (!value) return refuse("is no JSON: a memory file has one JSON object per line");
    const std::string_view type = FindString(*value, "type");
    if (type == "entity" ? !IsEntity(*value) : type != "relation" || !IsRelation(*value))
      return refuse(
          "is neither an entity (type, name, entityType, observations) nor a relation (type, from, "
          "to, relationType)");
  }
  return {};
}

}  // namespace viv::klavis
