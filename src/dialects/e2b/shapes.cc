#include "dialects/e2b/shapes.h"

#include <algorithm>
#include <cmath>

#include "base/timestamp.h"
#include "dialects/e2b/network_config.h"
#include "dialects/e2b/template_name.h"

namespace viv::e2b {
namespace {

// The template's name without its tag; none when the box was started by an id alone.
std::string AliasOf(const boxes::Box& box) {
  std::string_view name = box.spec.template_name;
  name = name.substr(0, name.find(':'));
  return name == box.spec.template_id ? std::string() : std::string(name);
}

void AddAlias(json::object& shape, const boxes::Box& box) {
  if (std::string alias = AliasOf(box); !alias.empty()) shape["alias"] = alias;
}

json::object MetadataOf(const boxes::Box& box) {
  json::object metadata;
  for (const auto& [key, value] : box.spec.metadata) metadata[key] = value;
  return metadata;
}

// Null says that nobody asked for either.
json::value ShowInternet(const boxes::BoxNetwork& network) {
  if (network.internet_requested) return *network.internet_requested;
  return network.egress.internet ? json::value() : json::value(false);
}

}  // namespace

bool IsRunning(const boxes::Box& box) {
  return box.state == boxes::BoxState::kRunning || box.state == boxes::BoxState::kStarting;
}

std::int64_t CpuCount(double cpus) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(cpus)));
}

std::int64_t Mebibytes(std::int64_t bytes) {
  return bytes >> 20;
}

json::object ShowSandbox(const Context& context, const boxes::Box& box) {
  json::object shape{{"templateID", box.spec.template_id},
                     {"sandboxID", box.id},
                     {"clientID", kClientId},
                     {"envdVersion", kAgentVersion},
                     {"envdAccessToken", context.boxes.AgentToken(box.id)}};
  AddAlias(shape, box);
  if (!box.spec.network.public_traffic)
    shape["trafficAccessToken"] = context.boxes.TrafficToken(box.id);
  if (!context.domain.empty()) shape["domain"] = context.domain;
  return shape;
}

json::object ShowListed(const boxes::Box& box) {
  json::object shape{{"templateID", box.spec.template_id},
                     {"sandboxID", box.id},
                     {"clientID", kClientId},
                     {"startedAt", TimeText(box.started_at_us)},
                     {"endAt", TimeText(box.ends_at_us)},
                     {"cpuCount", CpuCount(box.spec.limits.cpus)},
                     {"memoryMB", Mebibytes(box.spec.limits.memory_bytes)},
                     {"diskSizeMB", Mebibytes(box.spec.disk_bytes)},
                     {"metadata", MetadataOf(box)},
                     {"state", IsRunning(box) ? "running" : "paused"},
                     {"envdVersion", kAgentVersion}};
  AddAlias(shape, box);
  return shape;
}

json::object ShowDetail(const Context& context, const boxes::Box& box) {
  json::object shape = ShowListed(box);
  shape["envdAccessToken"] = context.boxes.AgentToken(box.id);
  shape["allowInternetAccess"] = ShowInternet(box.spec.network);
  if (!context.domain.empty()) shape["domain"] = context.domain;
  if (json::value network = ShowNetwork(box.spec.network); !network.is_null())
    shape["network"] = std::move(network);
  shape["lifecycle"] =
      json::object{{"onTimeout", box.spec.on_timeout == boxes::OnTimeout::kKill ? "kill" : "pause"},
                   {"autoResume", box.spec.wake != boxes::WakeOnTraffic::kNever}};
  return shape;
}

}  // namespace viv::e2b
