#include "cli/account_limits.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/box_commands.h"
#include "cli/print_error.h"

namespace viv::cli {
namespace {

constexpr std::string_view kNone = "none";

enum class LimitKind { kCount, kProcessors, kBytes };
struct LimitOption {
  const char* flag;
  std::string_view key;  // in the server's answers
  LimitKind kind;
  const char* about;
};
constexpr LimitOption kLimitOptions[] = {
    {"--boxes", "boxes", LimitKind::kCount, "Boxes, running and stopped"},
    {"--running", "running", LimitKind::kCount, "Boxes that run at once"},
    {"--worlds", "worlds", LimitKind::kCount, "Sandboxes of simulated applications"},
    {"--cpus", "cpus", LimitKind::kProcessors, "Processors of its running boxes together"},
    {"--memory", "memory_bytes", LimitKind::kBytes, "Memory of its boxes together"},
    {"--disk", "disk_bytes", LimitKind::kBytes, "Disk space of its boxes and snapshots together"},
    {"--blobs", "blobs", LimitKind::kCount, "Archives in transfer to and from its boxes"},
    {"--blob-bytes", "blob_bytes", LimitKind::kBytes, "Size of these archives together"},
    {"--builds", "builds", LimitKind::kCount, "Template builds at once"},
    {"--repository", "repository_bytes", LimitKind::kBytes, "Size of its git repository"},
    {"--requests", "requests_per_second", LimitKind::kCount, "Requests per second"},
};

Result<json::value> ReadLimitOption(const LimitOption& option, const std::string& given) {
  if (given == kNone) return json::value();
  auto wrong = [&](std::string_view expected) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} {}: {} is expected, or none", option.flag, given, expected));
  };
  if (option.kind == LimitKind::kBytes) {
    auto bytes = ParseByteSize(given);
    if (!bytes) return wrong("a size such as 16GiB");
    return json::value(*bytes);
  }
  char* end = nullptr;
  const double number = std::strtod(given.c_str(), &end);
  if (given.empty() || *end != '\0' || !(number >= 0) || number > 1e15) return wrong("a number");
  if (option.kind == LimitKind::kProcessors) return json::value(number);
  if (number != std::floor(number)) return wrong("a whole number");
  return json::value(static_cast<std::int64_t>(number));
}

std::string ShowLimitValue(const LimitOption& option, const json::value* value) {
  if (value == nullptr || !value->is_number()) return "-";
  const auto number = value->to_number<double>();
  if (option.kind != LimitKind::kBytes) return fmt::format("{:.10g}", number);
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double shown = number;
  std::size_t unit = 0;
  for (; shown >= 1024 && unit + 1 < std::size(kUnits); ++unit) shown /= 1024;
  return fmt::format("{:.4g} {}", shown, kUnits[unit]);
}

}  // namespace

struct LimitCommandOptions {
  std::string account = "me";
  std::map<std::string_view, std::string> given;  // by key
  bool clear = false;
  bool as_json = false;
};

namespace {

int ShowAccountLimits(const Remote& remote, const std::string& path, bool as_json) {
  auto response = CallServer(remote, "GET", path + "/usage");
  if (!response) return PrintError(response.error());
  if (as_json) {
    fmt::print("{}\n", WriteJson(*response));
    return 0;
  }
  fmt::print("{:<20}  {:>12}  {:>12}  {:>12}\n",
             "LIMITS OF " + std::string(FindString(*response, "account")), "IN USE", "LIMIT",
             "MAY HAVE");
  const json::value* usage = Find(*response, "usage");
  const json::value* limits = Find(*response, "limits");
  const json::value* most = Find(*response, "most");
  for (const LimitOption& option : kLimitOptions) {
    auto show = [&option](const json::value* from) {
      return ShowLimitValue(option, from == nullptr ? nullptr : Find(*from, option.key));
    };
    fmt::print("{:<20}  {:>12}  {:>12}  {:>12}\n", option.flag + 2, show(usage), show(limits),
               show(most));
  }
  return 0;
}

int RunLimits(const Remote& remote, const LimitCommandOptions& options) {
  const std::string path = "/api/viv/accounts/" + PercentEncode(options.account);
  json::object changes;
  for (const LimitOption& option : kLimitOptions) {
    auto given = options.given.find(option.key);
    if (given == options.given.end() || given->second.empty()) continue;
    auto value = ReadLimitOption(option, given->second);
    if (!value) return PrintError(value.error());
    changes[option.key] = *std::move(value);
  }
  if (options.clear) {
    auto cleared = CallServer(remote, "DELETE", path + "/limits");
    if (!cleared) return PrintError(cleared.error());
  }
  if (!changes.empty()) {
    auto changed = CallServer(remote, "PATCH", path + "/limits", WriteJson(changes));
    if (!changed) return PrintError(changed.error());
  }
  return ShowAccountLimits(remote, path, options.as_json);
}

}  // namespace

Result<std::int64_t> ParseByteSize(std::string_view text) {
  constexpr std::string_view kUnits = "KMGTP";
  const std::string number(text);
  char* end = nullptr;
  double size = std::strtod(number.c_str(), &end);
  std::string_view unit = Trim(std::string_view(end));
  const auto wrong = Fail(ErrorCode::kInvalidArgument, "a size such as 16GiB is expected");
  if (end == number.c_str() || !(size >= 0)) return wrong;
  if (unit.ends_with("B")) unit.remove_suffix(1);
  if (!unit.empty()) {
    const std::size_t power = kUnits.find(static_cast<char>(std::toupper(unit.front())));
    if (power == std::string_view::npos || (unit.size() > 1 && unit.substr(1) != "i")) return wrong;
    size *= std::pow(1024, static_cast<double>(power + 1));
  }
  if (size > 9e15) return wrong;
  return static_cast<std::int64_t>(size);
}

std::shared_ptr<LimitCommandOptions> AddLimitCommand(CLI::App& account, Remote& remote, int& code) {
  auto o = std::make_shared<LimitCommandOptions>();
  CLI::App* limits = account.add_subcommand(
      "limits", "Show the usage and limits of an account; set limits with the server's own key");
  AddRemoteOptions(*limits, remote);
  limits->add_option("account", o->account, "Account, by name or id; default: your own");
  for (const LimitOption& option : kLimitOptions)
    limits->add_option(option.flag, o->given[option.key], option.about);
  limits->add_flag("--clear", o->clear, "Remove all limits first; the fair share applies then");
  limits->add_flag("--json", o->as_json, "Print the server's answer");
  limits->footer(
      "\nA limit is a number, a size such as 16GiB, or none.\n\nExamples:\n  viv account limits\n"
      "  viv account limits alice --boxes 50 --memory 16GiB --requests 100\n"
      "  viv account limits alice --disk none\n  viv account limits alice --clear");
  limits->callback([&code, &remote, o] { code = RunLimits(remote, *o); });
  return o;
}

}  // namespace viv::cli
