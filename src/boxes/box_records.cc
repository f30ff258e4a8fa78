#include "boxes/box_records.h"

#include <utility>

namespace viv::boxes {
namespace {

using TextMap = std::map<std::string, std::string>;

constexpr std::pair<BoxState, std::string_view> kStates[] = {{BoxState::kRunning, "running"},
                                                             {BoxState::kStarting, "starting"},
                                                             {BoxState::kPaused, "paused"},
                                                             {BoxState::kStopped, "stopped"},
                                                             {BoxState::kFailed, "failed"}};
constexpr std::pair<WakeOnTraffic, std::string_view> kWakes[] = {
    {WakeOnTraffic::kNever, "never"},
    {WakeOnTraffic::kPaused, "paused"},
    {WakeOnTraffic::kAlways, "always"}};
constexpr std::pair<OnTimeout, std::string_view> kEnds[] = {
    {OnTimeout::kKill, "kill"}, {OnTimeout::kPause, "pause"}, {OnTimeout::kStop, "stop"}};

template <typename Value, std::size_t kCount>
json::string NameIn(const std::pair<Value, std::string_view> (&names)[kCount], Value value) {
  for (const auto& [one, name] : names)
    if (one == value) return json::string(name);
  return json::string(names[0].second);
}

template <typename Value, std::size_t kCount>
Value ValueIn(const std::pair<Value, std::string_view> (&names)[kCount], std::string_view text) {
  for (const auto& [one, name] : names)
    if (name == text) return one;
  return names[0].first;
}

json::array ArrayOf(const std::vector<std::string>& list) {
  json::array array;
  for (const std::string& it : list) array.emplace_back(it);
  return array;
}

json::object ObjectOf(const TextMap& map) {
  json::object object;
  for (const auto& [name, value] : map) object[name] = value;
  return object;
}

json::array OverlaysToJson(const std::vector<storage::OverlayMount>& overlays) {
  json::array array;
  for (const storage::OverlayMount& overlay : overlays) {
    json::object object;
    object["at"] = overlay.mount_point;
    object["layers"] = ArrayOf(overlay.layers);
    array.push_back(std::move(object));
  }
  return array;
}

json::object LimitsToJson(const runtime::Limits& limits, std::int64_t disk_bytes) {
  json::object object;
  object["cpus"] = limits.cpus;
  object["memory"] = limits.memory_bytes;
  object["processes"] = limits.processes;
  object["disk"] = disk_bytes;
  return object;
}

json::object NetworkToJson(const BoxNetwork& network) {
  json::object object;
  object["allow"] = ArrayOf(network.egress.allow);
  object["deny"] = ArrayOf(network.egress.deny);
  object["internet"] = network.egress.internet;
  if (network.internet_requested) object["internet_asked"] = *network.internet_requested;
  if (json::value plan = gateway::PlanToJson(network.plan); !plan.is_null())
    object["plan"] = std::move(plan);
  object["public_traffic"] = network.public_traffic;
  object["host"] = network.mask_request_host;
  json::array ports;
  for (std::uint16_t port : network.tls_ports) ports.emplace_back(port);
  object["tls_ports"] = std::move(ports);
  return object;
}

json::object SpecToJson(const BoxSpec& spec) {
  json::object object;
  object["template"] = spec.template_id;
  object["template_name"] = spec.template_name;
  object["metadata"] = ObjectOf(spec.metadata);
  object["variables"] = ObjectOf(spec.variables);
  object["user"] = spec.user;
  object["workdir"] = spec.workdir;
  object["limits"] = LimitsToJson(spec.limits, spec.disk_bytes);
  object["network"] = NetworkToJson(spec.network);
  object["on_timeout"] = NameIn(kEnds, spec.on_timeout);
  object["wake"] = NameIn(kWakes, spec.wake);
  object["timeout"] = spec.timeout_seconds;
  if (!spec.name.empty()) object["name"] = spec.name;
  if (!spec.annotations.empty()) object["notes"] = ObjectOf(spec.annotations);
  object["idle"] = spec.idle_seconds;
  object["keep_memory"] = spec.keep_memory;
  object["keep_stopped"] = spec.keep_stopped_seconds;
  object["lasting"] = spec.survives_exit;
  if (spec.disposable) object["disposable"] = true;
  return object;
}

json::object HandleToJson(const BoxHandle& handle) {
  json::object object;
  object["name"] = handle.name;
  object["folder"] = handle.folder;
  object["network"] = handle.network;
  object["slot"] = handle.slot;
  object["pid"] = handle.pid;
  object["start_time"] = handle.start_time;
  object["trees"] = OverlaysToJson(handle.overlays);
  return object;
}

std::string TextOf(const json::value& from, std::string_view name) {
  return std::string(FindString(from, name));
}

std::int64_t NumberOf(const json::value& from, std::string_view name, std::int64_t otherwise = 0) {
  const json::value* found = Find(from, name);
  if (found == nullptr || !found->is_number()) return otherwise;
  boost::system::error_code error;
  std::int64_t number = found->to_number<std::int64_t>(error);
  return error ? otherwise : number;
}

double RealOf(const json::value& from, std::string_view name, double otherwise) {
  const json::value* found = Find(from, name);
  return found != nullptr && found->is_number() ? found->to_number<double>() : otherwise;
}

bool BoolOf(const json::value& from, std::string_view name, bool otherwise) {
  const json::value* found = Find(from, name);
  return found != nullptr && found->is_bool() ? found->get_bool() : otherwise;
}

const json::value& PartOf(const json::value& from, std::string_view name) {
  static const json::value kNothing;
  const json::value* found = Find(from, name);
  return found == nullptr ? kNothing : *found;
}

std::vector<std::string> ListOf(const json::value& from, std::string_view name) {
  std::vector<std::string> list;
  const json::value& found = PartOf(from, name);
  if (!found.is_array()) return list;
  for (const json::value& it : found.get_array())
    if (it.is_string()) list.emplace_back(View(it.get_string()));
  return list;
}

TextMap MapOf(const json::value& from, std::string_view name) {
  TextMap map;
  const json::value& found = PartOf(from, name);
  if (!found.is_object()) return map;
  for (const auto& [key, value] : found.get_object())
    if (value.is_string()) map[std::string(key)] = View(value.get_string());
  return map;
}

std::vector<storage::OverlayMount> OverlaysOf(const json::value& from) {
  std::vector<storage::OverlayMount> overlays;
  const json::value& found = PartOf(from, "trees");
  if (!found.is_array()) return overlays;
  for (const json::value& it : found.get_array())
    overlays.push_back({TextOf(it, "at"), ListOf(it, "layers")});
  return overlays;
}

runtime::Limits LimitsOf(const json::value& from) {
  runtime::Limits limits;
  limits.cpus = RealOf(from, "cpus", limits.cpus);
  limits.memory_bytes = NumberOf(from, "memory", limits.memory_bytes);
  limits.processes = NumberOf(from, "processes", limits.processes);
  return limits;
}

BoxNetwork NetworkOf(const json::value& from) {
  BoxNetwork network;
  network.egress.allow = ListOf(from, "allow");
  network.egress.deny = ListOf(from, "deny");
  network.egress.internet = BoolOf(from, "internet", true);
  if (const json::value& asked = PartOf(from, "internet_asked"); asked.is_bool())
    network.internet_requested = asked.get_bool();
  network.plan = gateway::PlanOf(PartOf(from, "plan"));
  network.public_traffic = BoolOf(from, "public_traffic", false);
  network.mask_request_host = TextOf(from, "host");
  const json::value& ports = PartOf(from, "tls_ports");
  if (ports.is_array())
    for (const json::value& it : ports.get_array())
      network.tls_ports.push_back(static_cast<std::uint16_t>(it.to_number<int>()));
  return network;
}

// Earlier servers wrote "public" and opened the ports of every box. Only one dialect promises open
// ports, and only its boxes do not survive the exit of their processes: for those the old value is
// kept.
bool HadPublicTraffic(const json::value& spec) {
  return BoolOf(PartOf(spec, "network"), "public", true) && !BoolOf(spec, "lasting", false);
}

BoxSpec SpecOf(const json::value& from) {
  BoxSpec spec;
  spec.template_id = TextOf(from, "template");
  spec.template_name = TextOf(from, "template_name");
  spec.metadata = MapOf(from, "metadata");
  spec.variables = MapOf(from, "variables");
  spec.user = TextOf(from, "user");
  spec.workdir = TextOf(from, "workdir");
  spec.limits = LimitsOf(PartOf(from, "limits"));
  spec.disk_bytes = NumberOf(PartOf(from, "limits"), "disk", spec.disk_bytes);
  spec.network = NetworkOf(PartOf(from, "network"));
  if (Find(PartOf(from, "network"), "public_traffic") == nullptr)
    spec.network.public_traffic = HadPublicTraffic(from);
  spec.on_timeout = ValueIn(kEnds, FindString(from, "on_timeout"));
  spec.wake = ValueIn(kWakes, FindString(from, "wake"));
  // As earlier servers wrote it.
  if (BoolOf(from, "auto_resume", false)) spec.wake = WakeOnTraffic::kPaused;
  spec.timeout_seconds = NumberOf(from, "timeout", spec.timeout_seconds);
  spec.name = TextOf(from, "name");
  spec.annotations = MapOf(from, "notes");
  spec.idle_seconds = NumberOf(from, "idle");
  spec.keep_memory = BoolOf(from, "keep_memory", false);
  spec.keep_stopped_seconds = NumberOf(from, "keep_stopped");
  spec.survives_exit = BoolOf(from, "lasting", false);
  spec.disposable = BoolOf(from, "disposable", false);
  return spec;
}

BoxHandle HandleOf(const json::value& from) {
  BoxHandle handle;
  handle.name = TextOf(from, "name");
  handle.folder = TextOf(from, "folder");
  handle.network = TextOf(from, "network");
  handle.slot = static_cast<std::uint32_t>(NumberOf(from, "slot"));
  handle.pid = static_cast<pid_t>(NumberOf(from, "pid", -1));
  handle.start_time = static_cast<std::uint64_t>(NumberOf(from, "start_time"));
  handle.overlays = OverlaysOf(from);
  return handle;
}

}  // namespace

std::string WriteBoxRecord(const BoxRecord& record) {
  json::object object;
  object["id"] = record.box.id;
  object["account"] = record.box.account_id;
  object["state"] = NameIn(kStates, record.box.state);
  object["created"] = record.box.created_at_us;
  object["started"] = record.box.started_at_us;
  object["ends"] = record.box.ends_at_us;
  object["updated"] = record.box.updated_at_us;
  object["stopped"] = record.box.stopped_at_us;
  if (!record.box.message.empty()) object["message"] = record.box.message;
  object["spec"] = SpecToJson(record.box.spec);
  object["place"] = HandleToJson(record.handle);
  return WriteJson(object);
}

Result<BoxRecord> ReadBoxRecord(std::string_view text) {
  ASSIGN_OR_RETURN(json::value from, ParseJson(text), "box record");
  BoxRecord record;
  record.box.id = TextOf(from, "id");
  record.box.account_id = TextOf(from, "account");
  record.box.state = ValueIn(kStates, FindString(from, "state"));
  record.box.created_at_us = NumberOf(from, "created");
  record.box.started_at_us = NumberOf(from, "started");
  record.box.ends_at_us = NumberOf(from, "ends");
  record.box.updated_at_us = NumberOf(from, "updated", record.box.started_at_us);
  record.box.stopped_at_us = NumberOf(from, "stopped");
  record.box.message = TextOf(from, "message");
  record.box.spec = SpecOf(PartOf(from, "spec"));
  record.handle = HandleOf(PartOf(from, "place"));
  const bool may_lack_files =
      record.box.state == BoxState::kStarting || record.box.state == BoxState::kFailed ||
      (record.box.state == BoxState::kStopped && record.box.spec.disposable);
  if (record.box.id.empty() || (record.handle.folder.empty() && !may_lack_files))
    return Fail(ErrorCode::kInvalidArgument, "box record without id or folder");
  return record;
}

std::string WriteSnapshotRecord(const SnapshotRecord& record) {
  json::object object;
  object["id"] = record.id;
  object["account"] = record.account_id;
  object["name"] = record.name;
  object["origin"] = record.origin_box;
  object["layer"] = record.layer;
  object["trees"] = OverlaysToJson(record.overlays);
  object["variables"] = ObjectOf(record.variables);
  object["user"] = record.user;
  object["workdir"] = record.workdir;
  object["limits"] = LimitsToJson(record.limits, record.disk_bytes);
  if (record.image_bytes > 0) object["image_bytes"] = record.image_bytes;
  object["created"] = record.created_at_us;
  return WriteJson(object);
}

Result<SnapshotRecord> ReadSnapshotRecord(std::string_view text) {
  ASSIGN_OR_RETURN(json::value from, ParseJson(text), "snapshot record");
  SnapshotRecord record;
  record.id = TextOf(from, "id");
  record.account_id = TextOf(from, "account");
  record.name = TextOf(from, "name");
  record.origin_box = TextOf(from, "origin");
  record.layer = TextOf(from, "layer");
  record.overlays = OverlaysOf(from);
  record.variables = MapOf(from, "variables");
  record.user = TextOf(from, "user");
  record.workdir = TextOf(from, "workdir");
  record.limits = LimitsOf(PartOf(from, "limits"));
  record.disk_bytes = NumberOf(PartOf(from, "limits"), "disk");
  record.image_bytes = NumberOf(from, "image_bytes");
  record.created_at_us = NumberOf(from, "created");
  if (record.id.empty() || record.layer.empty())
    return Fail(ErrorCode::kInvalidArgument, "snapshot record without id or layer");
  return record;
}

}  // namespace viv::boxes
