#pragma once
// The domain's interface to boxes, which are Linux sandboxes. When a call returns, its effect is
// durable. A box of another account is treated as missing: kNotFound. Thread-safe; coroutines of
// any executor may call.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/task.h"
#include "base/unique_fd.h"
#include "gateway/rules/plan.h"
#include "network/policy.h"
#include "runtime/cgroups.h"
#include "storage/overlay.h"

namespace viv::boxes {

enum class BoxState {
  kStarting,  // recorded; its processes are being started
  kRunning,
  kPaused,   // frozen: memory and processes are kept
  kStopped,  // it has no processes; its files are kept unless it is disposable
  kFailed    // it did not start, or its processes exited; it can be started again or removed
};
enum class OnTimeout { kKill, kPause, kStop };
inline constexpr std::int64_t kNoEndUs = 253'402'300'799'000'000;  // the end of the year 9999

// Whether traffic wakes a box, as Connect always does.
enum class WakeOnTraffic { kNever, kPaused, kAlways };  // kAlways: a stopped one is started again

struct BoxNetwork {
  network::Policy egress;
  std::optional<bool> internet_requested;  // what the request said, if anything
  gateway::Plan plan;                      // what is added to its requests
  bool public_traffic = false;             // true: ports are open to whoever knows the id
  std::string mask_request_host;           // "host:${PORT}" for the Host header of port traffic
  std::vector<std::uint16_t> tls_ports;    // ports that speak TLS themselves

  bool operator==(const BoxNetwork&) const = default;
};

struct BoxSpec {
  std::string template_id;    // resolved: a template's or snapshot's id
  std::string template_name;  // its name at the time
  std::map<std::string, std::string> metadata;
  std::map<std::string, std::string> variables;  // of every process
  std::string user = "user";                     // whom commands run as, unless told otherwise
  std::string workdir;                           // empty: the user's home
  runtime::Limits limits;
  std::int64_t disk_bytes = 10LL << 30;
  BoxNetwork network;
  // The account's own name for it, which no other box of the account has; empty: none.
  std::string name;
  // What dialects store with the box, each under a key of its own.
  std::map<std::string, std::string> annotations;
  OnTimeout on_timeout = OnTimeout::kKill;
  WakeOnTraffic wake = WakeOnTraffic::kNever;
  // The timeout it was created with; each resume applies it again. 0: it has no end.
  std::int64_t timeout_seconds = 300;
  // It is stopped after this time without activity: no request to it, no running command and no use
  // of the CPU. 0: never.
  std::int64_t idle_seconds = 0;
  bool keep_memory = false;               // when idle it is paused instead of stopped
  std::int64_t keep_stopped_seconds = 0;  // it is removed this long after a stop; 0: never
  bool survives_exit = false;             // it is kept, failed or stopped, when its processes exit
  bool disposable = false;                // its files are removed whenever its processes end
};

// A box at one moment. It is shared because it never changes: a change creates a new one.
struct Box {
  std::string id;  // "i" and 20 of [a-z0-9]
  std::string account_id;
  BoxState state = BoxState::kRunning;
  BoxSpec spec;
  std::int64_t created_at_us = 0;
  std::int64_t started_at_us = 0;  // created or last resumed
  std::int64_t ends_at_us = 0;     // when on_timeout happens; only counts while running
  std::int64_t updated_at_us = 0;  // the last change of its spec or state
  std::int64_t stopped_at_us = 0;  // paused or stopped since; 0 while it runs
  std::string message;             // why it failed
};
using BoxPtr = std::shared_ptr<const Box>;

struct CreateBox {
  std::string account_id;
  std::string template_name;  // name, "name:tag", id, or a snapshot's id or name
  std::map<std::string, std::string> metadata;
  std::map<std::string, std::string> variables;
  BoxNetwork network;
  OnTimeout on_timeout = OnTimeout::kKill;
  WakeOnTraffic wake = WakeOnTraffic::kNever;
  std::int64_t timeout_seconds = 300;  // 0: no end
  std::string name = {};
  std::map<std::string, std::string> annotations = {};
  std::int64_t idle_seconds = 0;
  bool keep_memory = false;
  std::int64_t keep_stopped_seconds = 0;
  bool survives_exit = false;
  bool disposable = false;
  // Layers over the template's own: of an overlay that it has, or an overlay of their own.
  std::vector<storage::OverlayMount> extra_layers = {};
  // These replace the template's own values.
  std::optional<std::string> user = {};
  std::optional<std::string> workdir = {};
  std::optional<runtime::Limits> limits = {};
  std::optional<std::int64_t> disk_bytes = {};
  // kRecorded returns once the record is stored: the box is kStarting, then kRunning or kFailed.
  enum class ReturnWhen { kRunning, kRecorded } return_when = ReturnWhen::kRunning;
};

// What is not given stays as it is.
struct BoxChange {
  std::optional<std::string> name = {};
  std::map<std::string, std::string> annotations = {};               // only these keys change
  std::optional<BoxNetwork> network = {};                            // at once
  std::optional<std::map<std::string, std::string>> variables = {};  // of later processes
  std::optional<std::string> user = {};
  std::optional<std::string> workdir = {};
  std::optional<runtime::Limits> limits = {};  // from the next start on
  std::optional<std::int64_t> disk_bytes = {};
  std::optional<std::int64_t> idle_seconds = {};
  std::optional<std::int64_t> keep_stopped_seconds = {};
};

BoxSpec ApplyBoxChange(BoxSpec spec, const BoxChange& change);

// Computes the change from the current box. Called while the box is locked, on any thread; it owns
// what it needs, because the caller may be gone by then.
using MakeBoxChange = std::function<Result<BoxChange>(const Box& now)>;

// The position of a box in a list: `number` or `text`, depending on the sort order, then the id.
struct BoxSortKey {
  std::int64_t number = 0;
  std::string text;
  std::string id;

  bool operator==(const BoxSortKey&) const = default;
};

struct BoxQuery {
  std::string account_id;
  std::function<bool(const Box&)> accept;  // nullptr: all; must not block or call this interface
  enum class Order { kNewestFirst, kOldestFirst } order = Order::kNewestFirst;
  enum class SortBy {
    kStart,
    kCreation,
    kName,        // its id when it has no name
    kState,       // failed, starting, running, then paused and stopped
    kStop,        // when it was paused or stopped
    kIdleTime,    // its idle timeout
    kKeepStopped  // how long it is kept after a stop
  } sort_by = SortBy::kStart;
  std::optional<BoxSortKey> after;  // the last one of the page before
  std::size_t offset = 0;           // this many are skipped; fast when `accept` is not set
  std::size_t limit = 100;
};
BoxSortKey SortKeyOf(BoxQuery::SortBy by, const Box& box);

struct BoxPage {
  std::vector<BoxPtr> boxes;
  bool has_more = false;
};

// A template or a snapshot, as lists show it.
struct TemplateInfo {
  std::string id;
  std::vector<std::string> names;
  bool is_snapshot = false;
  std::string origin_box;  // a snapshot's
  double cpus = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t disk_bytes = 0;
  std::int64_t created_at_us = 0;
};

struct MetricPoint {
  std::int64_t at_us = 0;
  double cpu_used_percent = 0;  // 100 is one core in full
  double cpus = 0;
  std::int64_t memory_used_bytes = 0, memory_total_bytes = 0, memory_cache_bytes = 0;
  std::int64_t disk_used_bytes = 0, disk_total_bytes = 0;
};

struct LogEntry {
  std::int64_t at_us = 0;
  std::string level;  // debug, info, warn, error
  std::string message;
  std::map<std::string, std::string> fields;
};

class Boxes {
 public:
  virtual ~Boxes() = default;

  // kNotFound without such a template, kConflict when the name is taken, kLimitExceeded when no
  // more fit.
  virtual Task<Result<BoxPtr>> Create(CreateBox request) = 0;
  virtual Result<BoxPtr> Get(std::string_view account_id, std::string_view id) const = 0;
  virtual Result<BoxPtr> GetByName(std::string_view account_id, std::string_view name) const = 0;
  virtual BoxPage List(const BoxQuery& query) const = 0;
  virtual Task<Status> Remove(std::string account_id, std::string id) = 0;
  // Restores the box as it was created: its original files and new processes. Its id and end stay.
  virtual Task<Status> Reset(std::string account_id, std::string id) = 0;

  enum class Memory { kKeep, kDrop };
  // kConflict when it does not run.
  virtual Task<Status> Pause(std::string account_id, std::string id, Memory memory) = 0;
  struct Connected {
    BoxPtr box;
    bool was_running = true;
  };
  // Resumes or starts the box if it does not run; its end is then `timeout_seconds` from now. The
  // end of a running box is moved to at least that time. A box without an end keeps none. Waits for
  // a box that is starting.
  virtual Task<Result<Connected>> Connect(std::string account_id,
                                          std::string id,
                                          std::int64_t timeout_seconds) = 0;
  enum class Extend { kSet, kAtLeast };
  virtual Task<Status> SetTimeout(std::string account_id,
                                  std::string id,
                                  std::int64_t timeout_seconds,
                                  Extend extend) = 0;
  // kConflict when the name is taken.
  virtual Task<Result<BoxPtr>> Update(std::string account_id,
                                      std::string id,
                                      MakeBoxChange change) = 0;

  // Returns `count` results: each is a copy, or the reason why there is none.
  virtual Task<Result<std::vector<Result<BoxPtr>>>> Fork(std::string account_id,
                                                         std::string id,
                                                         std::size_t count,
                                                         std::int64_t timeout_seconds) = 0;
  virtual Task<Result<TemplateInfo>> Snapshot(std::string account_id,
                                              std::string id,
                                              std::string name) = 0;  // empty: none
  // The same, but without the box's own variables: boxes from the snapshot have the variables of
  // the box's template, overridden by the given ones.
  virtual Task<Result<TemplateInfo>> SnapshotWith(std::string account_id,
                                                  std::string id,
                                                  std::string name,
                                                  std::map<std::string, std::string> variables) = 0;
  // What the account can start from: all templates and its own snapshots, newest first.
  virtual std::vector<TemplateInfo> ListTemplates(std::string_view account_id) const = 0;
  // kConflict while a box uses it; kPermissionDenied for a built-in one.
  virtual Task<Status> RemoveTemplate(std::string account_id, std::string id_or_name) = 0;

  virtual Result<std::vector<MetricPoint>> Metrics(std::string_view account_id,
                                                   std::string_view id) const = 0;  // oldest first
  virtual Task<Result<std::vector<LogEntry>>> Logs(std::string account_id, std::string id) = 0;
  // The newest `limit` connections and requests of the box, allowed or refused, oldest first
  // (network/flow_log.h).
  virtual Result<std::vector<json::object>> EgressLog(std::string_view account_id,
                                                      std::string_view id,
                                                      std::size_t limit) const = 0;

  // Whether "host:port" may be the proxy of a box, as far as can be told now. kPermissionDenied,
  // "HOST resolves to ADDRESS", when nobody may connect there; else why no address was found.
  virtual Task<Status> CheckProxy(std::string address) = 0;

  // For traffic, which no account authenticates: finds the box by its id alone.
  virtual Result<BoxPtr> Find(std::string_view id) const = 0;
  virtual void ForEachRunning(const std::function<void(const Box&)>& visit) const = 0;
  // The tokens are derived from the id and the server's secret; they are not stored.
  virtual std::string AgentToken(std::string_view id) const = 0;
  virtual std::string TrafficToken(std::string_view id) const = 0;
  // A connection to the box's agent, or to one of its ports. kConflict when the box does not run
  // and traffic may not wake it, kNotFound without such a box, kUnavailable when nobody listens
  // there. A box that traffic may wake is woken.
  virtual Task<Result<UniqueFd>> DialAgent(std::string id) = 0;
  virtual Task<Result<UniqueFd>> DialPort(std::string id, std::uint16_t port) = 0;
};

}  // namespace viv::boxes
