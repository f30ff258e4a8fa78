#include "cli/egress_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "cli/print_error.h"

namespace viv::cli {
namespace {

enum Column { kTime, kVerdict, kTo, kProtocol, kRequest, kOut, kIn, kWhy, kColumns };
using EgressRow = std::array<std::string, kColumns>;

constexpr std::size_t kCellWidthMax = 48;  // a longer cell pushes the rest of its line
constexpr std::string_view kNothing = "-";

// Control characters, also those of Unicode, could move the cursor or worse.
std::string ForTerminal(std::string_view text) {
  std::string shown = Printable(text);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto byte = static_cast<unsigned char>(shown[i]);
    const bool c1 =
        byte == 0xC2 && i + 1 < shown.size() && static_cast<unsigned char>(shown[i + 1]) < 0xA0;
    if (c1) shown.replace(i, 2, "?");
    if (byte < ' ' || byte == 0x7f) shown[i] = '?';
  }
  return shown;
}

std::int64_t NumberIn(const json::value& record, std::string_view name) {
  const json::value* found = Find(record, name);
  if (found == nullptr || !found->is_number()) return 0;
  boost::system::error_code error;
  const auto number = found->to_number<std::int64_t>(error);
  return error ? 0 : number;
}

std::string BytesText(std::int64_t bytes) {
  if (bytes < 10'000) return std::to_string(bytes);
  double amount = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* next : {"K", "M", "G", "T"}) {
    if (amount < 1024) break;
    amount /= 1024;
    unit = next;
  }
  return fmt::format("{:.1f}{}", amount, unit);
}

std::string DestinationText(const json::value& record) {
  std::string_view host = FindString(record, "name");
  if (host.empty()) host = FindString(record, "address");
  const std::int64_t port = NumberIn(record, "port");
  if (port == 0) return ForTerminal(host);
  const bool is_v6 = host.find(':') != std::string_view::npos;
  return ForTerminal(is_v6 ? "[" + std::string(host) + "]" : std::string(host)) + ":" +
         std::to_string(port);
}

std::string RequestText(const json::value& record) {
  std::string text = ForTerminal(FindString(record, "method"));
  if (text.empty()) return std::string(kNothing);
  text += " " + ForTerminal(FindString(record, "path"));
  if (const std::int64_t status = NumberIn(record, "status"); status != 0)
    text += " " + std::to_string(status);
  return text;
}

std::string WhyText(const json::value& record) {
  std::string rule = ForTerminal(FindString(record, "rule"));
  const std::string reason = ForTerminal(FindString(record, "reason"));
  if (rule.empty()) return reason.empty() ? std::string(kNothing) : reason;
  return reason.empty() ? rule : rule + ": " + reason;
}

EgressRow RowOf(const json::value& record) {
  // "2026-09-01T12:00:00.123456Z", of which milliseconds are enough.
  std::string time = ForTerminal(FindString(record, "at").substr(0, 23));
  std::replace(time.begin(), time.end(), 'T', ' ');
  return {std::move(time),
          ForTerminal(FindString(record, "verdict")),
          DestinationText(record),
          ForTerminal(FindString(record, "protocol")),
          RequestText(record),
          BytesText(NumberIn(record, "bytes_out")),
          BytesText(NumberIn(record, "bytes_in")),
          WhyText(record)};
}

}  // namespace

std::string EgressTable(const json::array& records) {
  std::vector<EgressRow> rows = {
      {"TIME", "VERDICT", "TO", "PROTOCOL", "REQUEST", "OUT", "IN", "WHY"}};
  for (const json::value& record : records) rows.push_back(RowOf(record));
  std::array<std::size_t, kColumns> widths{};
  for (const EgressRow& row : rows)
    for (std::size_t i = 0; i < kColumns; ++i)
      widths[i] = std::min(kCellWidthMax, std::max(widths[i], row[i].size()));
  std::string table;
  for (const EgressRow& row : rows) {
    for (std::size_t i = 0; i + 1 < kColumns; ++i) {
      const bool number = i == kOut || i == kIn;
      table += number ? fmt::format("{:>{}}  ", row[i], widths[i])
                      : fmt::format("{:<{}}  ", row[i], widths[i]);
    }
    table += row[kWhy] + "\n";
  }
  return table;
}

int ShowEgressLog(const Remote& remote, const std::string& id, const EgressLogOptions& options) {
  auto response = CallServer(
      remote, "GET",
      "/api/viv/boxes/" + PercentEncode(id) + "/egress?limit=" + std::to_string(options.limit));
  if (!response) return PrintError(response.error());
  const json::value* found = Find(*response, "records");
  const json::array records =
      found == nullptr || !found->is_array() ? json::array() : found->get_array();
  if (options.json) {
    for (const json::value& record : records) fmt::print("{}\n", WriteJson(record));
    return 0;
  }
  if (records.empty()) {
    fmt::print(stderr, "This box has no connections yet, neither allowed nor refused.\n");
    return 0;
  }
  fmt::print("{}", EgressTable(records));
  return 0;
}

}  // namespace viv::cli
