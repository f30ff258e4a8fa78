// The server that a URL of ours leads to.

#include <optional>

#include "base/text.h"
#include "boxes/box_ids.h"
#include "mcp/box_endpoint.h"
#include "mcp/routes.h"
#include "mcp/world_endpoint.h"

namespace viv::mcp {
namespace {

constexpr std::size_t kServerUrlBytesMax = 4096;

// "…/mcp/{server}" or "…/{server}/mcp", each also with "/sse" behind it, which may stand for the
// "/mcp" of the second.
std::string ServerInPath(std::string_view path) {
  std::vector<std::string_view> segments;
  for (std::string_view segment : Split(path, '/'))
    if (!segment.empty()) segments.push_back(segment);
  const bool events = !segments.empty() && segments.back() == "sse";
  if (events) segments.pop_back();
  if (segments.empty()) return "";
  const std::string_view last = segments.back();
  const std::string_view before =
      segments.size() < 2 ? std::string_view() : segments[segments.size() - 2];
  if (before == "mcp") return PercentDecode(last).value_or("");
  if (last == "mcp") return PercentDecode(before).value_or("");
  return events ? PercentDecode(last).value_or("") : "";
}

}  // namespace

Result<EndpointPtr> Routes::FindByUrl(std::string_view account_id, std::string_view url) {
  auto none = [] {
    return Fail(ErrorCode::kNotFound,
                "serverUrl leads to no sandbox of yours: give the URL that it was acquired with");
  };
  const std::size_t scheme = url.find("://");
  if (url.size() > kServerUrlBytesMax || scheme == std::string_view::npos) return none();
  std::string_view rest = url.substr(scheme + 3);
  rest = rest.substr(std::min(rest.find('/'), rest.size()));
  rest = rest.substr(0, rest.find('#'));
  http::Request named;
  const std::size_t mark = rest.find('?');
  const std::string server = ToLower(ServerInPath(rest.substr(0, mark)));
  if (server.empty() || mark == std::string_view::npos) return none();
  named.query = rest.substr(mark + 1);
  if (std::optional<std::string> id = named.Query("local_sandbox_id")) {
    const std::optional<std::string> box_id = boxes::BoxOfUuid(*id);
    if (local_.boxes == nullptr || !box_id || !local_.boxes->Get(account_id, *box_id))
      return none();
    EndpointPtr found = BoxEndpoint::Find(*local_.boxes, *local_.servers, *id, server);
    if (found == nullptr) return none();
    return found;
  }
  auto sandbox = sandboxes_.FindLease(named.Query("instance_id").value_or(""));
  if (!sandbox || (*sandbox)->account_id != account_id ||
      !EqualsIgnoreCase((*sandbox)->server, server))
    return none();
  return std::make_shared<WorldEndpoint>(sandboxes_, protocol_, *std::move(sandbox));
}

}  // namespace viv::mcp
