#include "network/flow_record.h"

#include "base/text.h"
#include "base/timestamp.h"

namespace viv::network {
namespace {

constexpr std::size_t kFlowTextMax = 300;
constexpr std::size_t kFlowPathMax = 1024;

void PutText(json::object& line,
             std::string_view name,
             const std::string& text,
             std::size_t bytes_max = kFlowTextMax) {
  if (!text.empty()) line[name] = Printable(text, bytes_max);
}

template <typename Number>
void PutNumber(json::object& line, std::string_view name, Number number) {
  if (number != 0) line[name] = number;
}

}  // namespace

FlowRecord TruncatedRecord(const FlowRecord& record) {
  FlowRecord shorter = record;
  auto shorten = [](std::string& text, std::size_t bytes_max) {
    if (text.size() > bytes_max) text = text.substr(0, bytes_max);
  };
  for (std::string* text : {&shorter.name, &shorter.address, &shorter.protocol, &shorter.method,
                            &shorter.rule, &shorter.verdict, &shorter.reason})
    shorten(*text, kFlowTextMax);
  shorten(shorter.path, kFlowPathMax);
  return shorter;
}

std::string FlowLine(const FlowRecord& record) {
  json::object line;
  line["at"] = TimeText(record.at_us);
  PutText(line, "name", record.name);
  PutText(line, "address", record.address);
  PutNumber(line, "port", record.port);
  PutText(line, "protocol", record.protocol);
  PutText(line, "method", record.method);
  PutText(line, "path", record.path, kFlowPathMax);
  PutNumber(line, "status", record.status);
  PutText(line, "rule", record.rule);
  PutText(line, "verdict", record.verdict);
  PutText(line, "reason", record.reason);
  PutNumber(line, "bytes_out", record.bytes_out);
  PutNumber(line, "bytes_in", record.bytes_in);
  PutNumber(line, "duration_us", record.duration_us);
  return WriteJson(line) + "\n";
}

}  // namespace viv::network
