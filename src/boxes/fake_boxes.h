#pragma once
// A stand-in for the domain in tests: boxes as records, a clock that the test sets, failures on
// demand.

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "boxes/boxes.h"
#include "boxes/sorted_boxes.h"

namespace viv::boxes {

class FakeBoxes : public Boxes {
 public:
  std::int64_t now_us = 1'790'000'000'123'456;
  std::map<std::string, BoxPtr> boxes;
  std::vector<TemplateInfo> templates;
  std::map<std::string, std::vector<MetricPoint>> metrics;
  std::vector<LogEntry> logs;
  std::vector<json::object> egress_log;
  std::optional<Error> failure;                      // of whatever is asked next
  std::vector<std::pair<std::string, int>> dialled;  // id and port; 0 is the agent
  std::optional<Error> dial_failure;
  std::function<void()> before_update;  // what happens between a request and its turn
  int memory_losses = 0;
  std::string snapshot_prefix = "snap";       // of the ids of new ones
  std::map<std::string, std::string> owners;  // of snapshots, by id; one without is everybody's
  std::map<std::string, std::map<std::string, std::string>> snapshot_variables;  // by id

  FakeBoxes() {
    TemplateInfo base;
    base.id = "basebasebasebasebase";
    base.names = {"base"};
    base.cpus = 2;
    base.memory_bytes = 512LL << 20;
    base.disk_bytes = 10LL << 30;
    base.created_at_us = 1'700'000'000'000'000;
    templates.push_back(base);
  }

  // A box put there without being asked for.
  std::string Put(Box box) {
    if (box.id.empty()) box.id = NextId();
    if (box.account_id.empty()) box.account_id = "mine";
    if (box.spec.template_id.empty()) {
      box.spec.template_id = templates.front().id;
      box.spec.template_name = "base";
    }
    std::string id = box.id;
    boxes[id] = std::make_shared<const Box>(std::move(box));
    return id;
  }

  template <typename Change>
  void Edit(const std::string& id, Change change) {
    Box box = *boxes.at(id);
    change(box);
    boxes[id] = std::make_shared<const Box>(std::move(box));
  }

  Task<Result<BoxPtr>> Create(CreateBox request) override {
    if (auto error = Take()) co_return PassUp(*error);
    auto found = std::find_if(templates.begin(), templates.end(), [&](const auto& info) {
      return info.id == request.template_name ||
             std::find(info.names.begin(), info.names.end(), request.template_name) !=
                 info.names.end();
    });
    if (found == templates.end()) {
      co_return Fail(ErrorCode::kNotFound, "template '" + request.template_name + "' not found");
    }
    if (!request.name.empty() && GetByName(request.account_id, request.name))
      co_return Fail(ErrorCode::kConflict, "the name is taken");
    Box box;
    box.id = NextId();
    box.account_id = request.account_id;
    if (request.return_when == CreateBox::ReturnWhen::kRecorded) box.state = BoxState::kStarting;
    box.spec.name = request.name;
    box.spec.annotations = request.annotations;
    box.spec.idle_seconds = request.idle_seconds;
    box.spec.keep_memory = request.keep_memory;
    box.spec.keep_stopped_seconds = request.keep_stopped_seconds;
    box.spec.survives_exit = request.survives_exit;
    box.spec.disposable = request.disposable;
    box.spec.user = request.user.value_or("user");
    box.spec.workdir = request.workdir.value_or("");
    box.spec.limits = request.limits.value_or(runtime::Limits());
    box.spec.disk_bytes = request.disk_bytes.value_or(found->disk_bytes);
    box.spec.template_id = found->id;
    box.spec.template_name = request.template_name;
    box.spec.metadata = request.metadata;
    box.spec.variables = request.variables;
    box.spec.network = request.network;
    box.spec.on_timeout = request.on_timeout;
    box.spec.wake = request.wake;
    box.spec.timeout_seconds = request.timeout_seconds;
    box.created_at_us = box.started_at_us = box.updated_at_us = now_us;
    box.ends_at_us = EndAfter(request.timeout_seconds);
    co_return boxes[Put(std::move(box))];
  }

  Result<BoxPtr> Get(std::string_view account_id, std::string_view id) const override {
    auto found = boxes.find(std::string(id));
    if (found == boxes.end() || found->second->account_id != account_id)
      return Fail(ErrorCode::kNotFound, "no such box");
    return found->second;
  }

  Result<BoxPtr> GetByName(std::string_view account_id, std::string_view name) const override {
    for (const auto& [id, box] : boxes) {
      if (box->account_id == account_id && box->spec.name == name) return box;
    }
    return Fail(ErrorCode::kNotFound, "no such box");
  }

  BoxPage List(const BoxQuery& query) const override {
    SortedBoxes order(query.sort_by);
    for (const auto& [id, box] : boxes)
      if (box->account_id == query.account_id) order.Add(box);
    return order.List(query);
  }

  Task<Status> Remove(std::string account_id, std::string id) override {
    auto found = Get(account_id, id);
    if (!found) co_return PassUp(found.error());
    boxes.erase(id);
    co_return Status();
  }

  std::optional<Error> proxy_failure;
  std::vector<std::string> proxies;  // that were asked about
  Task<Status> CheckProxy(std::string address) override {
    proxies.push_back(std::move(address));
    if (proxy_failure) co_return PassUp(*proxy_failure);
    co_return Status();
  }

  std::vector<std::string> resets;  // the ids
  Task<Status> Reset(std::string account_id, std::string id) override {
    if (auto error = Take()) co_return PassUp(*error);
    auto found = Get(account_id, id);
    if (!found) co_return PassUp(found.error());
    resets.push_back(id);
    co_return Status();
  }

  Task<Status> Pause(std::string account_id, std::string id, Memory memory) override {
    if (auto error = Take()) co_return PassUp(*error);
    auto found = Get(account_id, id);
    if (!found) co_return PassUp(found.error());
    if ((*found)->state != BoxState::kRunning) co_return Fail(ErrorCode::kConflict, "not running");
    if (memory == Memory::kDrop) ++memory_losses;
    Edit(id, [&](Box& box) {
      box.state = memory == Memory::kKeep ? BoxState::kPaused : BoxState::kStopped;
      box.stopped_at_us = now_us;
    });
    co_return Status();
  }

  Task<Result<Connected>> Connect(std::string account_id,
                                  std::string id,
                                  std::int64_t timeout_seconds) override {
    if (auto error = Take()) co_return PassUp(*error);
    auto found = Get(account_id, id);
    if (!found) co_return PassUp(found.error());
    Connected connected;
    connected.was_running = (*found)->state == BoxState::kRunning;
    Edit(id, [&](Box& box) {
      std::int64_t end = EndAfter(timeout_seconds);
      box.ends_at_us = connected.was_running ? std::max(box.ends_at_us, end) : end;
      if (!connected.was_running) box.started_at_us = now_us;
      box.state = BoxState::kRunning;
      box.stopped_at_us = 0;
    });
    connected.box = boxes[id];
    co_return connected;
  }

  Task<Status> SetTimeout(std::string account_id,
                          std::string id,
                          std::int64_t timeout_seconds,
                          Extend extend) override {
    auto found = Get(account_id, id);
    if (!found) co_return PassUp(found.error());
    Edit(id, [&](Box& box) {
      std::int64_t end = now_us + timeout_seconds * 1'000'000;
      box.ends_at_us = extend == Extend::kSet ? end : std::max(box.ends_at_us, end);
    });
    co_return Status();
  }

  Task<Result<BoxPtr>> Update(std::string account_id, std::string id, MakeBoxChange make) override {
    if (auto error = Take()) co_return PassUp(*error);
    auto found = Get(account_id, id);
    if (!found) co_return PassUp(found.error());
    if (before_update) before_update();
    ASSIGN_OR_CO_RETURN(BoxChange change, make(*boxes[id]));
    if (change.name) {
      auto other = GetByName(account_id, *change.name);
      if (other && (*other)->id != id) co_return Fail(ErrorCode::kConflict, "the name is taken");
    }
    Edit(id, [&](Box& box) { box.spec = ApplyBoxChange(std::move(box.spec), change); });
    co_return boxes[id];
  }

  Task<Result<std::vector<Result<BoxPtr>>>> Fork(std::string account_id,
                                                 std::string id,
                                                 std::size_t count,
                                                 std::int64_t timeout_seconds) override {
    auto found = Get(account_id, id);
    if (!found) co_return PassUp(found.error());
    std::optional<Error> last = Take();  // a failure here is that of the last copy
    std::vector<Result<BoxPtr>> forks;
    for (std::size_t i = 0; i < count; ++i) {
      if (last && i + 1 == count) {
        forks.push_back(PassUp(*last));
        continue;
      }
      Box copy = **found;
      copy.id.clear();
      copy.ends_at_us = EndAfter(timeout_seconds);
      forks.push_back(boxes[Put(std::move(copy))]);
    }
    co_return forks;
  }

  Task<Result<TemplateInfo>> Snapshot(std::string account_id,
                                      std::string id,
                                      std::string name) override {
    auto found = Get(account_id, id);
    if (!found) co_return PassUp(found.error());
    TemplateInfo info = templates.front();
    info.id = snapshot_prefix + std::to_string(1000 + templates.size());
    info.names.clear();
    if (!name.empty()) info.names.push_back(name);
    info.is_snapshot = true;
    info.origin_box = id;
    info.created_at_us = now_us + static_cast<std::int64_t>(templates.size());
    templates.push_back(info);
    owners[info.id] = account_id;
    snapshot_variables[info.id] = (*found)->spec.variables;
    co_return info;
  }

  Task<Result<TemplateInfo>> SnapshotWith(std::string account_id,
                                          std::string id,
                                          std::string name,
                                          std::map<std::string, std::string> variables) override {
    auto info = co_await Snapshot(std::move(account_id), std::move(id), std::move(name));
    if (info) snapshot_variables[info->id] = std::move(variables);
    co_return info;
  }

  std::vector<TemplateInfo> ListTemplates(std::string_view account_id) const override {
    std::vector<TemplateInfo> list;
    for (const TemplateInfo& info : templates) {
      auto owner = owners.find(info.id);
      if (owner == owners.end() || owner->second == account_id) list.push_back(info);
    }
    std::sort(list.begin(), list.end(), [](const TemplateInfo& a, const TemplateInfo& b) {
      return std::tie(a.created_at_us, a.id) > std::tie(b.created_at_us, b.id);
    });
    return list;
  }

  Task<Status> RemoveTemplate(std::string, std::string id_or_name) override {
    if (auto error = Take()) co_return PassUp(*error);
    std::erase_if(templates, [&](const auto& info) { return info.id == id_or_name; });
    co_return Status();
  }

  Result<std::vector<MetricPoint>> Metrics(std::string_view account_id,
                                           std::string_view id) const override {
    RETURN_IF_ERROR(Get(account_id, id));
    auto found = metrics.find(std::string(id));
    return found == metrics.end() ? std::vector<MetricPoint>() : found->second;
  }

  Task<Result<std::vector<LogEntry>>> Logs(std::string account_id, std::string id) override {
    auto found = Get(account_id, id);
    if (!found) co_return PassUp(found.error());
    co_return logs;
  }

  Result<std::vector<json::object>> EgressLog(std::string_view account_id,
                                              std::string_view id,
                                              std::size_t limit) const override {
    auto found = Get(account_id, id);
    if (!found) return PassUp(found.error());
    std::size_t skipped = egress_log.size() > limit ? egress_log.size() - limit : 0;
    return std::vector<json::object>(egress_log.begin() + static_cast<std::ptrdiff_t>(skipped),
                                     egress_log.end());
  }

  Result<BoxPtr> Find(std::string_view id) const override {
    auto found = boxes.find(std::string(id));
    if (found == boxes.end()) return Fail(ErrorCode::kNotFound, "no such box");
    return found->second;
  }

  void ForEachRunning(const std::function<void(const Box&)>& visit) const override {
    for (const auto& [id, box] : boxes) {
      if (box->state == BoxState::kRunning) visit(*box);
    }
  }

  std::string AgentToken(std::string_view id) const override { return "agent-" + std::string(id); }
  std::string TrafficToken(std::string_view id) const override {
    return "traffic-" + std::string(id);
  }

  Task<Result<UniqueFd>> DialAgent(std::string id) override { return Dial(std::move(id), 0); }
  Task<Result<UniqueFd>> DialPort(std::string id, std::uint16_t port) override {
    return Dial(std::move(id), port);
  }

 private:
  std::string NextId() {
    std::string number = std::to_string(++count_);
    return "i" + std::string(20 - number.size(), '0') + number;
  }
  std::int64_t EndAfter(std::int64_t seconds) const {
    return seconds == 0 ? kNoEndUs : now_us + seconds * 1'000'000;
  }
  std::optional<Error> Take() { return std::exchange(failure, std::nullopt); }
  Task<Result<UniqueFd>> Dial(std::string id, int port) {
    dialled.emplace_back(std::move(id), port);
    if (dial_failure) co_return PassUp(*dial_failure);
    co_return UniqueFd();
  }

  std::size_t count_ = 0;
};

}  // namespace viv::boxes
