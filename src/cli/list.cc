#include "cli/list.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/complain.h"

namespace viv::cli {

int ListSandboxes(const Remote& remote, const std::string& server, std::size_t limit) {
  std::string path = "/api/viv/sandboxes?limit=" + std::to_string(limit);
  if (!server.empty()) path += "&server=" + PercentEncode(server);
  auto answer = CallServer(remote, "GET", path);
  if (!answer) return Complain(answer.error());
  const json::array& list = answer->at("sandboxes").as_array();
  fmt::print("{:<36}  {:<16}  {:<10}  {:<19}  {:<19}  {}\n", "ID", "APP", "BENCHMARK", "ACQUIRED",
             "EXPIRES", "ACCOUNT");
  for (const json::value& sandbox : list) {
    std::string_view expires = FindString(sandbox, "expires_at");
    fmt::print("{:<36}  {:<16}  {:<10}  {:<19}  {:<19}  {}\n", FindString(sandbox, "id"),
               FindString(sandbox, "server"), FindString(sandbox, "benchmark"),
               FindString(sandbox, "updated_at").substr(0, 19),
               expires.empty() ? "never" : expires.substr(0, 19), FindString(sandbox, "email"));
  }
  auto total = answer->at("total").to_number<std::size_t>();
  if (total > list.size()) fmt::print("… and {} more; --limit shows them\n", total - list.size());
  return 0;
}

}  // namespace viv::cli
