#include "engine/world.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "engine/diff.h"
#include "engine/limits/work.h"
#include "engine/pretty_text.h"
#include "engine/saved_state.h"
#include "engine/verify.h"
#include "schema/json_schema.h"

namespace viv::engine {
namespace {

constexpr std::uint64_t kLogBytesMin = 1 << 20;  // below this a log is never rewritten
constexpr std::int64_t kMemoryBytesMax = std::int64_t{512} << 20;  // of one call's statements
constexpr std::int64_t kBytesPerStep = 40;  // that functions may look at: about as long as a step
constexpr std::int64_t kCallBytesMin = 64 << 20;
constexpr int kDumpValueBytesMax = 64 << 20;  // a document's value may be a whole table's rows
constexpr std::size_t kResultDepthMax = 512;
constexpr std::uint64_t kLogGrowth = 4;  // times the changed pages before it is

}  // namespace

World::World(LoadedAppPtr loaded, const std::string& profile, std::string log_path)
    : loaded_(std::move(loaded)),
      profile_(&loaded_->app->profile(profile)),
      pages_(loaded_->ImageOf(*profile_)),
      baseline_(pages_),
      log_(std::move(log_path)) {}

Status World::Open() {
  ASSIGN_OR_RETURN(std::string image_id, log_.ReadImageId());
  if (!image_id.empty() && image_id != pages_.image().id()) {
    ImagePtr image = loaded_->FindImage(image_id);
    if (image == nullptr)
      return Fail(ErrorCode::kInternal, "the world's image " + image_id + " is not there");
    pages_ = Pages(std::move(image));
    baseline_ = pages_;
  }
  return log_.Replay(pages_, [this] { baseline_ = pages_; });
}

// Writes what changed to the log; takes it back when that fails.
Status World::Persist() {
  if (pages_.uncommitted().empty()) return {};
  Status written = log_.Append(pages_, WorldLog::Kind::kCommit);
  if (!written) {
    pages_.Revert();
    return written;
  }
  pages_.Commit();
  std::uint64_t state_bytes = pages_.changed_count() * kPageBytes;
  if (log_.bytes() > std::max(kLogBytesMin, kLogGrowth * state_bytes)) {
    Status rewritten = log_.Rewrite(baseline_, pages_);
    if (!rewritten) log::Warn("world.log_not_rewritten", {{"error", rewritten.error().message}});
  }
  return {};
}

// Runs `work` on a session in one transaction and makes its changes last.
template <typename Work>
auto World::Transact(Work work, std::int64_t steps_max, const std::atomic<bool>* cancelled)
    -> decltype(work(std::declval<Session&>())) {
  ASSIGN_OR_RETURN(Sessions::Lease session, loaded_->sessions->Take(pages_));
  WorkLimits limits{.memory_bytes_max = kMemoryBytesMax};
  if (steps_max > 0) {
    limits.steps_max = steps_max;
    limits.bytes_max = std::max(kCallBytesMin, steps_max * kBytesPerStep);
  }
  engine::Work allowed(limits, cancelled);
  std::optional<WorkScope> scope(allowed);
  RETURN_IF_ERROR(session->Begin());
  auto done = work(*session);
  Status committed = done && !allowed.ended() ? session->Commit() : Status();
  if (!done) committed = PassUp(done.error());
  scope.reset();
  if (!committed || allowed.ended()) {
    session->Rollback();
    pages_.Revert();
    if (allowed.ended()) return Fail(ErrorCode::kLimitExceeded, "the call used up its step limit");
    return PassUp(committed.error());
  }
  RETURN_IF_ERROR(Persist());
  return done;
}

Result<ToolResult> World::Call(std::string_view tool_name,
                               const json::object& given,
                               std::int64_t steps_max,
                               const std::atomic<bool>* cancelled) {
  const Tool* tool = app().tool(*profile_, tool_name);
  if (tool == nullptr) return Fail(ErrorCode::kNotFound, "Unknown tool: " + std::string(tool_name));
  if (auto violation =
          tool->loose ? std::nullopt : schema::FindSchemaViolation(tool->input_schema, given)) {
    return ToolResult{.text = "Input validation error: " + *violation,
                      .is_error = true,
                      .structured = {},
                      .content = {},
                      .notices = {}};
  }
  json::object arguments = tool->loose ? given : schema::WithDefaults(tool->input_schema, given);
  auto work = [&](Session& session) -> Result<ToolOutcome> {
    if (tool->writes) RETURN_IF_ERROR(session.Tick());
    return RunTool(session, *tool, arguments);
  };
  auto outcome = Transact(work, steps_max, cancelled);
  if (!outcome && outcome.error().code == ErrorCode::kInvalidArgument) {
    return ToolResult{.text = app().error_prefix + outcome.error().message,
                      .is_error = true,
                      .structured = {},
                      .content = {},
                      .notices = {}};
  }
  if (!outcome) return PassUp(outcome.error());
  ToolResult result;
  result.notices = std::move(outcome->notices);
  if (tool->form == Tool::Form::kText) {
    result.text = std::move(outcome->text);
    return result;
  }
  if (tool->form == Tool::Form::kJson && !tool->output_schema) {
    ASSIGN_OR_RETURN(result.text, PrettyText(outcome->text, kResultDepthMax),
                     tool->name + ": result");
    return result;
  }
  ASSIGN_OR_RETURN(json::value value, ParseJson(outcome->text, kResultDepthMax),
                   tool->name + ": result");
  result.text = PrettyJson(value);
  if (tool->form == Tool::Form::kContent) {
    result.content = std::move(value);
  } else if (tool->output_schema) {
    result.structured = std::move(value);
  }
  return result;
}

Status World::Reset() {
  RETURN_IF_ERROR(log_.Remove());
  if (pages_.image().id() == loaded_->ImageOf(*profile_)->id()) {
    pages_.Reset();
  } else {
    pages_ = Pages(loaded_->ImageOf(*profile_));
  }
  baseline_ = pages_;
  return {};
}

Result<LoadReport> World::Initialize(StartFrom start, const json::value& document) {
  // The new state is built aside and takes the old one's place only when it is in the log.
  Pages before = pages_;
  Result<LoadReport> report = BuildInitial(start, document);
  Status written = report ? log_.Rewrite(pages_, pages_) : Status(PassUp(report.error()));
  if (!written) {
    pages_ = std::move(before);
    return PassUp(written.error());
  }
  baseline_ = pages_;
  return report;
}

// Leaves the new state in pages_, sealed.
Result<LoadReport> World::BuildInitial(StartFrom start, const json::value& document) {
  const Pages seed(loaded_->ImageOf(*profile_));
  if (const json::value* state = FindSavedState(document)) {
    pages_ = seed;
    {
      ASSIGN_OR_RETURN(Sessions::Lease session, loaded_->sessions->Take(pages_));
      RETURN_IF_ERROR(LoadState(*session, *state));
    }
    pages_.Commit();
    return CountRecords(app().model, document);
  }
  if (start == StartFrom::kEmpty && document.is_object()) {
    for (const Pages* candidate : {&seed, &std::as_const(baseline_), &std::as_const(pages_)}) {
      ASSIGN_OR_RETURN(bool same, IsDumpOf(*candidate, document));
      if (!same) continue;
      if (candidate != &pages_) pages_ = *candidate;
      return CountRecords(app().model, document);
    }
  }
  pages_ = start == StartFrom::kEmpty ? Pages(loaded_->EmptyImage(*profile_)) : seed;
  if (document.is_null()) return LoadReport();
  json::value whole;
  // The base data fills lists that are ours alone: a document of the vendor's cannot name them.
  auto is_ours = [&](const ModelChild& child) {
    return child.extra && FindMember(document.as_object(), child.name, child.aliases) != nullptr;
  };
  const auto& lists = app().model.collections;
  if (start == StartFrom::kEmpty && std::any_of(lists.begin(), lists.end(), is_ours)) {
    ASSIGN_OR_RETURN(json::value base, ReadBaseDocument(app()));
    whole = ReplaceBaseLists(app().model, base, document);
    if (!whole.is_null()) pages_ = Pages(loaded_->BareImage(*profile_));
  }
  ASSIGN_OR_RETURN(Sessions::Lease session, loaded_->sessions->Take(pages_));
  RETURN_IF_ERROR(session->Begin());
  Result<LoadReport> report = LoadDocument(*session, whole.is_null() ? document : whole);
  Status committed = report ? session->Commit() : Status(PassUp(report.error()));
  if (!committed) {
    session->Rollback();
    return PassUp(committed.error());
  }
  pages_.Commit();
  return whole.is_null() ? report : CountRecords(app().model, document);
}

// An empty document describes an empty account and nothing else.
Result<bool> World::IsDumpOf(const Pages& pages, const json::value& document) {
  LoadReport asked = CountRecords(app().model, document);
  if (asked.records == 0) return false;
  Pages copy = pages;
  ASSIGN_OR_RETURN(Sessions::Lease session, loaded_->sessions->Take(copy));
  RETURN_IF_ERROR(session->Begin());
  // Most documents differ in how much they have; only one that does not is compared as a whole.
  ASSIGN_OR_RETURN(bool may_be, HasSameRowCounts(*session, asked));
  if (!may_be) return false;
  ASSIGN_OR_RETURN(json::value dump, DumpDocument(*session, DumpForm::kVendor));
  return dump == document;
}

Result<json::value> World::Dump(DumpForm form) {
  auto work = [form](Session& session) {
    sqlite3* handle = session.connection().get();
    const int former = sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kDumpValueBytesMax);
    auto document = DumpDocument(session, form);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, former);
    return document;
  };
  return Transact(work);
}

Result<json::value> World::Save() {
  auto work = [](Session& session) -> Result<json::value> {
    ASSIGN_OR_RETURN(json::value document, DumpDocument(session, DumpForm::kFull));
    ASSIGN_OR_RETURN(document.get_object()[kSavedStateMember], SaveState(session));
    return document;
  };
  return Transact(work);
}

Result<json::value> World::Diff() {
  return DiffPages(*loaded_->comparisons, baseline_, pages_);
}

Result<json::value> World::Verify(const json::array& expectations) {
  auto dump = [this] { return Dump(DumpForm::kFull); };
  return VerifyPages(*loaded_->comparisons, baseline_, pages_, dump, expectations);
}

Status World::CopyFrom(const World& origin) {
  Pages pages = origin.pages_;
  Pages baseline = origin.baseline_;
  if (pages.changed_count() > 0 || pages.image().id() != loaded_->ImageOf(*profile_)->id()) {
    RETURN_IF_ERROR(log_.Rewrite(baseline, pages));
  }
  pages_ = std::move(pages);
  baseline_ = std::move(baseline);
  return {};
}

Status World::SetClock(ClockMode mode, std::optional<std::int64_t> now_ms) {
  auto work = [&](Session& session) -> Status {
    ASSIGN_OR_RETURN(WorldState * state, session.State());
    state->mode = mode;
    if (now_ms) state->clock_ms = *now_ms;
    session.TouchState();
    return {};
  };
  return Transact(work);
}

Result<WorldState> World::State() {
  auto work = [](Session& session) -> Result<WorldState> {
    ASSIGN_OR_RETURN(WorldState * state, session.State());
    return *state;
  };
  return Transact(work);
}

Status World::Remove() {
  return log_.Remove();
}

}  // namespace viv::engine
