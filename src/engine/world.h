#pragma once
// A world is the state of one simulated application: an image, the pages changed since, and the log
// that makes them durable. Every operation is one transaction: it is in the log, or it had no
// effect. Not thread-safe: its owner serializes the callers.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "engine/catalogue.h"
#include "engine/document.h"
#include "engine/pages.h"
#include "engine/runner.h"
#include "engine/world_log.h"

namespace viv::engine {

struct ToolResult {
  std::string text;
  bool is_error = false;
  std::optional<json::value> structured;  // for tools that declare an output schema
  std::optional<json::value> content;     // instead of text: a list of MCP content items
  std::vector<Notice> notices;            // in the order they arose
};

class World {
 public:
  // A world on the profile's image; `log_path` is where its changes are kept.
  World(LoadedAppPtr loaded, const std::string& profile, std::string log_path);

  // Replays the log. Called once, before anything else.
  Status Open();

  const App& app() const { return *loaded_->app; }
  const Profile& profile() const { return *profile_; }

  // Runs a tool. What the agent did wrong is an answer with is_error; a Result error means that
  // nothing happened for a reason of ours: kNotFound no such tool, kLimitExceeded more than
  // `steps_max` (0: no limit) or cancelled, kUnavailable the log could not be written.
  Result<ToolResult> Call(std::string_view tool,
                          const json::object& arguments,
                          std::int64_t steps_max,
                          const std::atomic<bool>* cancelled = nullptr);

  Status Reset();  // back to the image it was acquired with

  // The state becomes: an empty account, or the default data, and then `document` (may be null). A
  // document with a saved state in it brings that state back, whatever the start; and one that is
  // the vendor's dump of the acquired seed, of the initial state or of the present one brings back
  // that, with all that such a dump leaves out. The result counts as initial.
  enum class StartFrom { kEmpty, kDefault };
  Result<LoadReport> Initialize(StartFrom start, const json::value& document);
  Result<json::value> Dump(DumpForm form);

  // The full document and, as its member kSavedStateMember, the whole state: see saved_state.h.
  Result<json::value> Save();

  // Rows inserted, updated and deleted since the initial state, by table.
  Result<json::value> Diff();

  // Answers each expectation with pass or fail and the reason; see verify.h.
  Result<json::value> Verify(const json::array& expectations);

  // Makes this fresh world equal to `origin`, initial state included. Both stand on the same
  // version of the app.
  Status CopyFrom(const World& origin);

  Status SetClock(ClockMode mode, std::optional<std::int64_t> now_ms);
  Result<WorldState> State();

  Status Remove();  // removes everything, including the log's file

  std::size_t changed_pages() const { return pages_.changed_count(); }

 private:
  template <typename Work>
  auto Transact(Work work, std::int64_t steps_max = 0, const std::atomic<bool>* cancelled = nullptr)
      -> decltype(work(std::declval<Session&>()));
  Status Persist();
  Result<bool> IsDumpOf(const Pages& pages, const json::value& document);
  Result<LoadReport> BuildInitial(StartFrom start, const json::value& document);

  LoadedAppPtr loaded_;
  const Profile* profile_;
  Pages pages_;
  Pages baseline_;  // the initial state; shares its pages with pages_ until they change
  WorldLog log_;
};

}  // namespace viv::engine
