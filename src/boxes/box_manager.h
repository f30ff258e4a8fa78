#pragma once
// Manages the boxes on this machine. Changes of one box are serialized by the mutex of its entry,
// and each ends with the box's record in the store. The record is authoritative: after a crash, the
// next start of the server makes the state of the kernel agree with it. An operation that has begun
// is finished even if its caller disconnects.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "accounts/budgets.h"
#include "base/blocking_pool.h"
#include "base/clock.h"
#include "boxes/box_host.h"
#include "boxes/box_index.h"
#include "boxes/box_records.h"
#include "boxes/box_templates.h"
#include "boxes/boxes.h"
#include "boxes/exit_poller.h"
#include "boxes/parked_boxes.h"
#include "boxes/usage_monitor.h"
#include "gateway/gateway.h"
#include "store/store.h"

namespace viv::boxes {

struct BoxManagerOptions {
  std::size_t boxes_max = 9'500;
  std::size_t parked = 16;                   // for each template in use
  std::string secret;                        // tokens derive from it
  gateway::Gateway* gateway = nullptr;       // outlives it; nullptr: no request is intercepted
  gateway::SecretSource* secrets = nullptr;  // as the gateway's own
  network::FlowLog* flow_log = nullptr;      // outlives it too
  accounts::Budgets* budgets = nullptr;      // the same; nullptr: accounts have no limits
  // For callbacks; set where there is a gateway.
  std::function<std::string(std::string_view account_id)> uuid_of_account;
  std::function<std::int64_t()> now_us = NowMicros;
};

class BoxManager : public Boxes {
 public:
  // Adopts the boxes that an earlier server left and removes what has no record. All arguments
  // outlive it.
  static Result<std::unique_ptr<BoxManager>> Open(store::Store& store,
                                                  BoxHost& host,
                                                  templates::Templates& templates,
                                                  BlockingPool& pool,
                                                  BoxManagerOptions options);
  ~BoxManager() override;  // ends the parked boxes; the others keep running

  Task<Result<BoxPtr>> Create(CreateBox request) override;
  Result<BoxPtr> Get(std::string_view account_id, std::string_view id) const override;
  Result<BoxPtr> GetByName(std::string_view account_id, std::string_view name) const override;
  BoxPage List(const BoxQuery& query) const override { return index_.List(query); }
  Task<Status> Remove(std::string account_id, std::string id) override;
  Task<Status> Reset(std::string account_id, std::string id) override;
  Task<Status> Pause(std::string account_id, std::string id, Memory memory) override;
  Task<Result<Connected>> Connect(std::string account_id,
                                  std::string id,
                                  std::int64_t timeout_seconds) override;
  Task<Status> SetTimeout(std::string account_id,
                          std::string id,
                          std::int64_t timeout_seconds,
                          Extend extend) override;
  Task<Result<BoxPtr>> Update(std::string account_id,
                              std::string id,
                              MakeBoxChange change) override;
  Task<Result<std::vector<Result<BoxPtr>>>> Fork(std::string account_id,
                                                 std::string id,
                                                 std::size_t count,
                                                 std::int64_t timeout_seconds) override;
  Task<Result<TemplateInfo>> Snapshot(std::string account_id,
                                      std::string id,
                                      std::string name) override;
  Task<Result<TemplateInfo>> SnapshotWith(std::string account_id,
                                          std::string id,
                                          std::string name,
                                          std::map<std::string, std::string> variables) override;
  std::vector<TemplateInfo> ListTemplates(std::string_view account_id) const override {
    return templates_.List(account_id);
  }
  Task<Status> RemoveTemplate(std::string account_id, std::string id_or_name) override;
  Result<std::vector<MetricPoint>> Metrics(std::string_view account_id,
                                           std::string_view id) const override;
  Task<Result<std::vector<LogEntry>>> Logs(std::string account_id, std::string id) override;
  Result<std::vector<json::object>> EgressLog(std::string_view account_id,
                                              std::string_view id,
                                              std::size_t limit) const override;
  Task<Status> CheckProxy(std::string address) override;

  Result<BoxPtr> Find(std::string_view id) const override;
  void ForEachRunning(const std::function<void(const Box&)>& visit) const override;
  std::string AgentToken(std::string_view id) const override;
  std::string TrafficToken(std::string_view id) const override;
  Task<Result<UniqueFd>> DialAgent(std::string id) override;
  Task<Result<UniqueFd>> DialPort(std::string id, std::uint16_t port) override;

  // Ends boxes whose time is over, handles exits of their processes and records metrics. Called
  // several times a second, by one caller.
  Task<void> RunMaintenance();
  Task<void> RemoveAll();  // for a server that ends its boxes when it stops
  std::size_t size() const { return index_.size(); }
  BoxTemplates& templates() { return templates_; }
  std::size_t parked() const { return parked_->size(); }
  // Processes of boxes that were removed, stopped or replaced, and have not all ended, by box.
  std::size_t ending() const { return host_.ending(); }
  // Boxes whose processes are frozen until there is free disk space again.
  std::size_t frozen_for_disk() const;
  // What keeps boxes from being served as they should, each problem in a sentence.
  std::vector<std::string> Problems() const;
  // Whether a box or a snapshot uses a layer in this folder.
  bool UsesFolder(const std::string& folder) const;
  // For UsageMonitor.
  std::vector<MonitoredBox> ListMonitored() const;

 private:
  // An entry with its lock, and the current version of its box.
  struct LockedBox {
    BoxEntryPtr entry;
    AsyncMutex::Lock lock;
    BoxPtr box;
  };
  struct Sealed {
    std::string layer;
    std::vector<storage::OverlayMount> overlays;
    BoxLayers::Reference layer_reference;
  };

  BoxManager(store::Store& store,
             BoxHost& host,
             templates::Templates& templates,
             BlockingPool& pool,
             BoxManagerOptions options,
             ExitPoller exits);

  enum class EndWait { kYes, kNo };  // kNo: for maintenance, which must not wait

  // box_manager.cc
  Task<Result<LockedBox>> LockBox(std::string account_id, std::string id);  // empty account: any
  Task<Status> Commit(BoxEntryPtr entry, Box box);
  Task<Result<std::unique_ptr<LiveBox>>> StartOnPool(BoxHost::StartRequest request);
  Task<Status> SetUp(const LiveBox& live, const Box& box);
  Task<Status> DoRemove(std::string account_id, std::string id);
  Task<Status> RemoveLocked(LockedBox& locked, EndWait wait);
  Task<Status> DoSetTimeout(std::string account_id,
                            std::string id,
                            std::int64_t timeout_seconds,
                            Extend extend);
  Task<Result<BoxPtr>> DoUpdate(std::string account_id, std::string id, MakeBoxChange make);
  Task<Status> ApplyChange(LockedBox& locked, BoxChange change);
  void Publish(const BoxEntryPtr& entry, Box box);
  void AddEvent(BoxEntry& entry, std::string message) const;
  std::int64_t NowUs() const { return options_.now_us(); }
  // The end of a box that starts now with a timeout of `seconds`.
  static std::int64_t EndTime(const BoxSpec& spec, std::int64_t now_us, std::int64_t seconds);

  // box_manager_budget.cc
  Status ChargeToRun(BoxEntry& entry, const Box& box) const;  // called before the box runs
  static void UpdateCharge(BoxEntry& entry, BoxState state);  // called when its state has changed
  class ScopedChargeUpdate;

  // box_manager_end.cc Waits a few seconds at most. `layer_reference` keeps the layers of the box
  // until its processes have exited.
  Task<void> End(std::unique_ptr<LiveBox> live,
                 BoxHost::Files files,
                 BoxLayers::Reference layer_reference,
                 EndWait wait = EndWait::kYes);

  // box_manager_egress.cc
  network::BoxEgress EgressOf(const Box& box) const;
  network::SocksProxy SocksOf(const std::string& account_id,
                              const gateway::UpstreamProxy& proxy) const;

  // box_manager_start.cc
  static BoxHost::StartRequest RequestOf(const StartPoint& from);
  Task<Result<BoxPtr>> DoCreate(CreateBox request);
  Task<Result<BoxPtr>> StartNew(StartPoint from, Box box);
  Status Register(const StartPoint& from, Box& box, BoxEntry& entry);
  static void AddLayers(const std::vector<storage::OverlayMount>& extra_layers, StartPoint& from);
  Task<Result<std::unique_ptr<LiveBox>>> TakeOrStart(const StartPoint& from, const Box& box);
  Task<Status> StartAndCommit(BoxEntryPtr entry, const StartPoint& from, Box box);
  Status AdaptParked(LiveBox& live, const StartPoint& from, const Box& box);
  Task<Result<BoxPtr>> StartAsync(StartPoint from, Box box);
  Task<void> FinishStart(LockedBox locked, StartPoint from);

  // box_manager_pause_resume.cc
  Task<Status> DoPause(std::string account_id, std::string id, Memory memory);
  Task<Status> PauseLocked(LockedBox& locked, Memory memory);
  Task<Result<Connected>> DoConnect(std::string account_id,
                                    std::string id,
                                    std::int64_t timeout_seconds);
  Task<Result<BoxPtr>> Wake(LockedBox& locked, std::int64_t timeout_seconds);
  Task<Result<BoxPtr>> DoWake(LockedBox& locked, std::int64_t timeout_seconds);
  static Status ThawRunning(BoxEntry& entry);  // if it fails, maintenance tries again
  Task<Status> CompleteResume(LockedBox& locked);
  Task<Status> FailLocked(LockedBox& locked, std::string message);
  Task<void> EndProcesses(BoxEntryPtr entry, std::unique_ptr<LiveBox> live, const BoxSpec& spec);
  Task<Status> RestartProcesses(LockedBox& locked, const Box& box);
  Task<Result<BoxIndex::Found>> EnsureRunning(std::string id);

  Task<Status> DoReset(std::string account_id, std::string id);
  Task<void> EndReplaced(std::unique_ptr<LiveBox> live,
                         std::string folder,
                         BoxLayers::Reference layer_reference);

  // box_manager_copy.cc
  Task<Result<Sealed>> Seal(LockedBox& locked);
  Task<Result<std::vector<Result<BoxPtr>>>> DoFork(std::string account_id,
                                                   std::string id,
                                                   std::size_t count,
                                                   std::int64_t timeout_seconds);
  using OwnVariables = std::optional<std::map<std::string, std::string>>;  // none: the box's
  Task<Result<TemplateInfo>> DoSnapshot(std::string account_id,
                                        std::string id,
                                        std::string name,
                                        OwnVariables own);

  // box_manager_disk.cc
  Status CheckDiskSpace() const;  // kUnavailable while the disk is almost full
  Task<void> CheckDisk();
  Task<void> FreezeWriters(bool all);
  void FreezeIfWriting(const BoxIndex::Found& found, bool all);
  Task<void> ThawFrozen();
  void Thaw(const BoxIndex::Found& found);

  // box_manager_sockets.cc
  Task<void> CheckSockets();
  void LimitSockets(const BoxIndex::Found& found);

  // box_manager_maintenance.cc
  Status AdoptAll();
  void Adopt(BoxRecord record, std::vector<std::string>& lost);
  Task<void> RetryThaws();
  Task<void> HandleDeadline(std::string id);
  Task<void> StopIfIdle(LockedBox& locked);
  Task<void> HandleExit(std::string id);
  Task<void> RecordMetrics();

  store::Store& store_;
  BoxHost& host_;
  BlockingPool& pool_;
  const BoxManagerOptions options_;
  BoxLayers layers_;
  BoxTemplates templates_;
  BoxIndex index_;
  ExitPoller exits_;
  std::atomic<bool> disk_is_low_ = false, image_is_broken_ = false;
  std::size_t frozen_for_disk_ = 0;  // at the last check; used by maintenance only
  std::int64_t trim_next_us_ = 0;
  std::int64_t socket_check_next_us_ = 0;  // the time of the next check
  std::int64_t memory_available_max_ = 0;  // the most that was available since the baseline was set
  std::unique_ptr<ParkedBoxes> parked_;
};

}  // namespace viv::boxes
