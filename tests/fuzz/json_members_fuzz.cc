// Members of an object found in its text must be those that a parser finds, whatever the text is.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/mcp/request.h"
#include "base/json.h"
#include "fuzz_target.h"
#include "rpc/jsonrpc/members.h"
#include "rpc/mcp/revisions.h"

FUZZ_TARGET(json_members)(const std::uint8_t* data, std::size_t size) {
  using namespace viv;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)agent::ReadMcpRequest(text);
  auto whole = ParseJson(text);
  for (std::string_view name : {"id", "params", "result", "_meta", ""}) {
    std::optional<std::string_view> found = rpc::FindMember(text, name);
    if (!whole) continue;
    const json::value* member = Find(*whole, name);
    // A name with escapes is found by the parser alone.
    if (!found) {
      if (member != nullptr && text.find('\\') == std::string_view::npos) std::abort();
      continue;
    }
    auto value = ParseJson(*found);
    bool same = member != nullptr && value && *value == *member;
    if (!same && text.find('\\') == std::string_view::npos) std::abort();
    auto replaced = ParseJson(rpc::ReplacePart(text, *found, "7"));
    if (!replaced) std::abort();
  }
  if (whole && whole->is_object()) {
    auto modern = ParseJson(mcp::AsModernResult(std::string(text)));
    if (!modern) std::abort();
  }
  return 0;
}
