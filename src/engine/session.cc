#include "engine/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/clock.h"
#include "engine/functions/functions.h"
#include "engine/guest_sql/rows_function.h"
#include "engine/limits/work.h"
#include "engine/page_vfs.h"

namespace viv::engine {

const char kWorldTables[] = R"(
CREATE TABLE _world (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  clock_ms INTEGER NOT NULL,
  clock_mode INTEGER NOT NULL,  -- 0 tick, 1 frozen, 2 real
  serial INTEGER NOT NULL
);
)";

namespace {

constexpr int kValueBytesMax = 16 << 20;  // of what a call's statements make
constexpr int kSeedBytesMax = 64 << 20;   // of what an app's own data has

Session& SessionOf(sqlite3_context* context) {
  return *static_cast<Session*>(sqlite3_user_data(context));
}

WorldState* StateOf(sqlite3_context* context) {
  auto state = SessionOf(context).State();
  if (state) return *state;
  sqlite3_result_error(context, state.error().message.c_str(), -1);
  return nullptr;
}

void ResultText(sqlite3_context* context, const std::string& text) {
  sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

void NowMsFunction(sqlite3_context* context, int /*count*/, sqlite3_value** /*arguments*/) {
  WorldState* state = StateOf(context);
  if (state != nullptr) sqlite3_result_int64(context, state->now_ms());
}

// The world's next serial number: 1, 2, 3, … the same in every clone of an image.
std::optional<std::int64_t> NextSerial(sqlite3_context* context) {
  WorldState* state = StateOf(context);
  if (state == nullptr) return std::nullopt;
  SessionOf(context).TouchState();
  return ++state->serial;
}

void SerialFunction(sqlite3_context* context, int /*count*/, sqlite3_value** /*arguments*/) {
  if (auto serial = NextSerial(context)) sqlite3_result_int64(context, *serial);
}

// Numbers that look random and are not: the n-th draw of a fixed sequence (splitmix64).
std::uint64_t MixBits(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

std::string PseudoRandomText(std::int64_t serial, std::size_t length, std::string_view alphabet) {
  std::string text;
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < length; ++i) {
    if (i % 8 == 0) word = MixBits(static_cast<std::uint64_t>(serial) * 64 + i / 8);
    text += alphabet[word % alphabet.size()];
    word /= alphabet.size();
  }
  return text;
}

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kIdDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr int kTextLengthMax = 256;

// new_id(prefix, length): prefix and `length` upper-case letters and digits.
void NewIdFunction(sqlite3_context* context, int /*count*/, sqlite3_value** arguments) {
  auto serial = NextSerial(context);
  if (!serial) return;
  int length = std::clamp(sqlite3_value_int(arguments[1]), 1, kTextLengthMax);
  const auto* prefix = reinterpret_cast<const char*>(sqlite3_value_text(arguments[0]));
  ResultText(context, (prefix == nullptr ? "" : prefix) +
                          PseudoRandomText(*serial, static_cast<std::size_t>(length), kIdDigits));
}

void NewHexFunction(sqlite3_context* context, int /*count*/, sqlite3_value** arguments) {
  auto serial = NextSerial(context);
  if (!serial) return;
  int length = std::clamp(sqlite3_value_int(arguments[0]), 1, kTextLengthMax);
  ResultText(context, PseudoRandomText(*serial, static_cast<std::size_t>(length), kHexDigits));
}

void NewUuidFunction(sqlite3_context* context, int /*count*/, sqlite3_value** /*arguments*/) {
  auto serial = NextSerial(context);
  if (!serial) return;
  std::string text = PseudoRandomText(*serial, 32, kHexDigits);
  text[12] = '4';
  text[16] = kHexDigits[8 + kHexDigits.find(text[16]) % 4];
  for (std::size_t at : {8, 13, 18, 23}) text.insert(at, 1, '-');
  ResultText(context, text);
}

// fail(text): ends the call with that error, from anywhere within an expression.
void FailFunction(sqlite3_context* context, int /*count*/, sqlite3_value** arguments) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(arguments[0]));
  std::string message = text == nullptr ? "failed" : text;
  SessionOf(context).SetFailure(message);
  sqlite3_result_error(context, message.c_str(), -1);
}

struct WorldFunction {
  const char* name;
  int arguments;
  void (*function)(sqlite3_context*, int, sqlite3_value**);
};

constexpr WorldFunction kWorldFunctions[] = {
    {"now_ms", 0, NowMsFunction},   {"serial", 0, SerialFunction},    {"new_id", 2, NewIdFunction},
    {"new_hex", 1, NewHexFunction}, {"new_uuid", 0, NewUuidFunction}, {"fail", 1, FailFunction},
};

}  // namespace

std::int64_t WorldState::now_ms() const {
  return mode == ClockMode::kReal ? NowMs() : clock_ms;
}

Session::Session(const App& app, db::Connection connection)
    : app_(app), connection_(std::move(connection)), statements_(app.statement_count) {}

Session::~Session() {
  // Statements go before their connection; sqlite3_close_v2 would otherwise keep it as a zombie.
  statements_.clear();
}

Result<std::unique_ptr<Session>> Session::Open(const App& app) {
  ASSIGN_OR_RETURN(db::Connection connection, OpenPageConnection());
  auto session = std::unique_ptr<Session>(new Session(app, std::move(connection)));
  RETURN_IF_ERROR(session->RegisterWorldFunctions());
  sqlite3_limit(session->connection_.get(), SQLITE_LIMIT_LENGTH, kValueBytesMax);
  return session;
}

Result<std::unique_ptr<Session>> Session::OpenFile(const App& app, const std::string& path) {
  ASSIGN_OR_RETURN(
      db::Connection connection,
      db::Connection::Open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX));
  RETURN_IF_ERROR(connection.Execute(
      "PRAGMA page_size=4096; PRAGMA auto_vacuum=NONE; PRAGMA journal_mode=MEMORY; "
      "PRAGMA temp_store=MEMORY; PRAGMA synchronous=OFF; PRAGMA foreign_keys=ON"));
  auto session = std::unique_ptr<Session>(new Session(app, std::move(connection)));
  RETURN_IF_ERROR(session->RegisterWorldFunctions());
  RETURN_IF_ERROR(session->connection_.Execute(kWorldTables));
  RETURN_IF_ERROR(session->connection_.Execute(
      fmt::format("INSERT INTO _world VALUES (1, {}, 0, 0)", app.clock_start_ms)));
  RETURN_IF_ERROR(session->connection_.Execute(app.schema_sql), app.folder + "/schema.sql");
  return session;
}

Status Session::RegisterWorldFunctions() {
  RETURN_IF_ERROR(RegisterFunctions(connection_.get()));
  RETURN_IF_ERROR(guest_sql::RegisterRowsFunction(connection_.get()));
  for (const WorldFunction& one : kWorldFunctions) {
    int done = sqlite3_create_function_v2(connection_.get(), one.name, one.arguments, SQLITE_UTF8,
                                          this, one.function, nullptr, nullptr, nullptr);
    if (done != SQLITE_OK) return db::SqliteError(connection_.get(), one.name);
  }
  sqlite3_limit(connection_.get(), SQLITE_LIMIT_LENGTH, kSeedBytesMax);
  sqlite3_limit(connection_.get(), SQLITE_LIMIT_ATTACHED, 0);
  return {};
}

void Session::Attach(Pages* pages) {
  AttachPages(connection_, pages);
}

Result<sqlite3_stmt*> Session::Prepared(const Sql& sql) {
  db::Statement& prepared = statements_[sql.slot];
  if (prepared.get() == nullptr) {
    ASSIGN_OR_RETURN(prepared, connection_.Prepare(sql.text), sql.location);
  } else {
    sqlite3_reset(prepared.get());
  }
  return prepared.get();
}

Status Session::Begin() {
  state_loaded_ = false;
  state_changed_ = false;
  failure_.clear();
  return RunPrepared(begin_, "BEGIN");
}

Status Session::RunPrepared(db::Statement& prepared, std::string_view sql) {
  if (prepared.get() == nullptr) {
    ASSIGN_OR_RETURN(prepared, connection_.Prepare(sql));
  }
  Result<bool> done = prepared.Step();
  prepared.Reset();
  if (!done) return PassUp(done.error());
  return {};
}

Status Session::Commit() {
  if (state_changed_) {
    if (save_state_.get() == nullptr) {
      ASSIGN_OR_RETURN(
          save_state_,
          connection_.Prepare(
              "UPDATE _world SET clock_ms = ?1, clock_mode = ?2, serial = ?3 WHERE id = 1"));
    }
    save_state_.Bind(1, state_.clock_ms);
    save_state_.Bind(2, static_cast<std::int64_t>(state_.mode));
    save_state_.Bind(3, state_.serial);
    RETURN_IF_ERROR(save_state_.Step());
    save_state_.Reset();
  }
  return RunPrepared(commit_, "COMMIT");
}

void Session::Rollback() {
  WithoutLimits lifted;  // also when it is for want of time or memory that things are taken back
  // A statement in the middle of its rows would keep the transaction open.
  for (db::Statement& statement : statements_) {
    if (statement.get() != nullptr) sqlite3_reset(statement.get());
  }
  if (sqlite3_get_autocommit(connection_.get()) == 0) (void)connection_.Execute("ROLLBACK");
}

Result<WorldState*> Session::State() {
  if (state_loaded_) return &state_;
  if (load_state_.get() == nullptr) {
    ASSIGN_OR_RETURN(load_state_,
                     connection_.Prepare("SELECT clock_ms, clock_mode, serial FROM _world"));
  }
  ASSIGN_OR_RETURN(bool row, load_state_.Step());
  if (!row) return Fail(ErrorCode::kInternal, "the world has lost its state row");
  state_.clock_ms = load_state_.Integer(0);
  state_.mode = static_cast<ClockMode>(load_state_.Integer(1));
  state_.serial = load_state_.Integer(2);
  load_state_.Reset();
  state_loaded_ = true;
  return &state_;
}

Status Session::Tick() {
  ASSIGN_OR_RETURN(WorldState * state, State());
  if (state->mode != ClockMode::kTick) return {};
  state->clock_ms += app_.tick_ms;
  TouchState();
  return {};
}

Sessions::Lease::~Lease() {
  if (session_ == nullptr) return;
  session_->Rollback();
  session_->Attach(nullptr);
  if (!pages_->has_image_schema()) return;
  if (sqlite3_get_autocommit(session_->connection().get()) == 0) return;  // it could not be
  std::lock_guard lock(owner_->mutex_);
  auto& idle = owner_->idle_[pages_->image().id()];
  if (idle.size() < kIdleMax) idle.push_back(std::move(session_));
}

Result<Sessions::Lease> Sessions::Take(Pages& pages) {
  std::unique_ptr<Session> session;
  if (pages.has_image_schema()) {
    std::lock_guard lock(mutex_);
    auto& idle = idle_[pages.image().id()];
    if (!idle.empty()) {
      session = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (session == nullptr) {
    ASSIGN_OR_RETURN(session, Session::Open(*app_));
  }
  session->Attach(&pages);
  return Lease(*this, std::move(session), pages);
}

Status BindVariables(sqlite3_stmt* statement, const Frame& frame, const App& app) {
  int count = sqlite3_bind_parameter_count(statement);
  int code = SQLITE_OK;
  for (int i = 1; i <= count && code == SQLITE_OK; ++i) {
    const char* name = sqlite3_bind_parameter_name(statement, i);
    if (name == nullptr) continue;
    // The identity comes first: nothing that a call or a document says can take its place.
    if (std::strncmp(name + 1, "me_", 3) == 0) {
      if (auto me = app.identity.find(name + 4); me != app.identity.end()) {
        code = sqlite3_bind_text(statement, i, me->second.data(),
                                 static_cast<int>(me->second.size()), SQLITE_STATIC);
        continue;
      }
    }
    const json::value* value = frame.Get(name + 1);
    if (value == nullptr) {
      code = sqlite3_bind_null(statement, i);
      continue;
    }
    switch (value->kind()) {
      case json::kind::null:
        code = sqlite3_bind_null(statement, i);
        break;
      case json::kind::bool_:
        code = sqlite3_bind_int(statement, i, value->get_bool() ? 1 : 0);
        break;
      case json::kind::int64:
        code = sqlite3_bind_int64(statement, i, value->get_int64());
        break;
      case json::kind::uint64:
        code = sqlite3_bind_double(statement, i, static_cast<double>(value->get_uint64()));
        break;
      case json::kind::double_:
        code = sqlite3_bind_double(statement, i, value->get_double());
        break;
      case json::kind::string:
        code = sqlite3_bind_text64(statement, i, value->get_string().data(),
                                   value->get_string().size(), SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
      default: {
        std::string text = WriteJson(*value);
        code = sqlite3_bind_text64(statement, i, text.data(), text.size(), SQLITE_TRANSIENT,
                                   SQLITE_UTF8);
        break;
      }
    }
  }
  if (code == SQLITE_OK) return {};
  if (code == SQLITE_TOOBIG) return Fail(ErrorCode::kInvalidArgument, "a value is too large");
  return Fail(code == SQLITE_NOMEM ? ErrorCode::kLimitExceeded : ErrorCode::kInternal,
              std::string("bind a value: ") + sqlite3_errstr(code));
}

json::value ColumnValue(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement, column);
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_NULL:
      return nullptr;
    default: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return json::string(text == nullptr ? "" : text,
                          static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
    }
  }
}

}  // namespace viv::engine
