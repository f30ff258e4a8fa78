#include "cli/list.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/boxes.h"
#include "cli/output.h"
#include "cli/print_error.h"

namespace viv::cli {
namespace {

Result<json::value> FetchWorlds(const Remote& remote, const ListOptions& options) {
  std::string path = "/api/viv/sandboxes?limit=" + std::to_string(options.limit);
  if (!options.app.empty()) path += "&server=" + PercentEncode(options.app);
  return CallServer(remote, "GET", path);
}

void PrintWorlds(const json::value& response) {
  const json::array& list = response.at("sandboxes").as_array();
  fmt::print("{:<36}  {:<16}  {:<10}  {:<19}  {:<19}  {}\n", "ID", "APP", "BENCHMARK", "ACQUIRED",
             "EXPIRES", "ACCOUNT");
  for (const json::value& sandbox : list) {
    std::string_view expires = FindString(sandbox, "expires_at");
    fmt::print("{:<36}  {:<16}  {:<10}  {:<19}  {:<19}  {}\n", FindString(sandbox, "id"),
               FindString(sandbox, "server"), FindString(sandbox, "benchmark"),
               FindString(sandbox, "updated_at").substr(0, 19),
               expires.empty() ? "never" : expires.substr(0, 19), FindString(sandbox, "email"));
  }
  auto total = response.at("total").to_number<std::size_t>();
  if (total > list.size()) fmt::print("… and {} more; --limit shows them\n", total - list.size());
}

}  // namespace

int ListAll(const Remote& remote, const ListOptions& options) {
  auto worlds = FetchWorlds(remote, options);
  if (!worlds) return PrintError(worlds.error());
  json::array boxes;
  if (options.app.empty()) boxes = FetchBoxes(remote, options.limit);
  if (remote.json)
    return PrintJson(
        json::object{{"boxes", std::move(boxes)}, {"worlds", worlds->at("sandboxes")}});
  PrintBoxes(boxes);
  PrintWorlds(*worlds);
  return 0;
}

int ListWorlds(const Remote& remote, const ListOptions& options) {
  auto worlds = FetchWorlds(remote, options);
  if (!worlds) return PrintError(worlds.error());
  if (remote.json) return PrintJson(worlds->at("sandboxes"));
  PrintWorlds(*worlds);
  return 0;
}

}  // namespace viv::cli
