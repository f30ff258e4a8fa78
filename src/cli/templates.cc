#include "cli/templates.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/text.h"
#include "cli/output.h"
#include "cli/print_error.h"
#include "http/client.h"

namespace viv::cli {
namespace {

// Prints each line of progress; ends with what the last line says.
class BuildFollower {
 public:
  Status Take(const std::string& piece) {
    rest_ += piece;
    for (std::size_t end = 0; (end = rest_.find('\n')) != std::string::npos;) {
      const std::string line = rest_.substr(0, end);
      rest_.erase(0, end + 1);
      ASSIGN_OR_RETURN(json::value message, ParseJson(line));
      if (const json::value* made = Find(message, "template"))
        made_ = FindString(*made, "name");
      else if (const json::value* error = Find(message, "error"))
        return Fail(ErrorCode::kUnavailable, ErrorText(*error));
      else
        fmt::print(stderr, "{}\n", FindString(message, "line"));
    }
    return {};
  }
  const std::string& made() const { return made_; }

 private:
  // {"error": "…"} at the end of a build, {"error": {"message": "…"}} of a refusal.
  static std::string ErrorText(const json::value& error) {
    if (error.is_string()) return std::string(View(error.get_string()));
    return std::string(FindString(error, "message"));
  }

  std::string rest_;
  std::string made_;
};

}  // namespace

int ListTemplates(const Remote& remote) {
  auto response = CallServer(remote, "GET", "/templates");
  if (!response) return PrintError(response.error());
  if (remote.json) return PrintJson(*response);
  fmt::print("{:<24}  {:<20}  {:>4}  {:>9}  {}\n", "NAME", "ID", "CPUS", "MEMORY", "CREATED");
  for (const json::value& it : response->as_array()) {
    const json::value* names = Find(it, "aliases");
    std::string name = "-";
    if (names != nullptr && names->is_array() && !names->get_array().empty())
      name = View(names->get_array().front().as_string());
    auto number = [&it](std::string_view member) {
      const json::value* found = Find(it, member);
      return found == nullptr ? 0 : found->to_number<double>();
    };
    fmt::print("{:<24}  {:<20}  {:>4}  {:>5} MiB  {}\n", name, FindString(it, "templateID"),
               number("cpuCount"), number("memoryMB"), FindString(it, "createdAt").substr(0, 19));
  }
  return 0;
}

int BuildTemplate(const Remote& remote, const TemplateSource& source) {
  json::object body;
  body["name"] = source.name;
  body["from"] = source.from.front();
  if (source.from.size() > 1) {
    std::error_code error;
    body["path"] = std::filesystem::absolute(source.from[1], error).string();
  }
  if (!source.suite.empty()) body["suite"] = source.suite;
  if (!source.mirror.empty()) body["mirror"] = source.mirror;
  json::array packages;
  for (const std::string& it : source.packages) packages.emplace_back(it);
  body["packages"] = std::move(packages);

  auto request = RequestTo(remote, "POST", "/api/viv/templates", WriteJson(body));
  if (!request) return PrintError(request.error());
  BuildFollower follower;
  std::string refusal;
  int status = 0;
  http::StreamCallbacks callbacks;
  callbacks.on_head = [&status](int code, const http::Headers&) -> Status {
    status = code;
    return {};
  };
  callbacks.on_piece = [&](std::string piece) -> Status {
    return follower.Take(status >= 400 ? piece + "\n" : piece);
  };
  Status built = http::FetchStreamBlocking(*std::move(request), std::move(callbacks));
  if (!built) return PrintError(built.error());
  if (follower.made().empty())
    return PrintError(
        {ErrorCode::kUnavailable, "the server stopped before the template was built"});
  fmt::print("{}\n", follower.made());
  return 0;
}

int RemoveTemplate(const Remote& remote, const std::string& name) {
  auto removed = CallServer(remote, "DELETE", "/api/viv/templates/" + PercentEncode(name));
  return removed ? 0 : PrintError(removed.error());
}

}  // namespace viv::cli
