#include "engine/runner.h"

#include <vector>

#include "base/log.h"
#include "engine/constraint.h"
#include "engine/functions/function.h"
#include "engine/guest_sql/guest_sql.h"
#include "engine/limits/work.h"
#include "engine/query/query.h"

namespace viv::engine {
namespace {

constexpr std::size_t kEachRowsMax = 100'000;  // of one `each`
constexpr std::size_t kNoticesMax = 1000;

using Row = std::vector<std::pair<std::string, json::value>>;

void SetColumns(sqlite3_stmt* statement, Frame& frame) {
  int count = sqlite3_column_count(statement);
  for (int i = 0; i < count; ++i)
    frame.Set(sqlite3_column_name(statement, i), ColumnValue(statement, i));
}

void SetColumnsToNull(sqlite3_stmt* statement, Frame& frame) {
  int count = sqlite3_column_count(statement);
  for (int i = 0; i < count; ++i) frame.Set(sqlite3_column_name(statement, i), nullptr);
}

Result<bool> StepOnce(Session& session, sqlite3_stmt* statement, const std::string& location) {
  switch (sqlite3_step(statement)) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return StatementError(session, location);
  }
}

class Run {
 public:
  Run(Session& session, Frame& frame, std::vector<Notice>* notices)
      : session_(session), frame_(frame), notices_(notices) {}

  Status All(const Steps& steps) {
    for (const Step& step : steps) RETURN_IF_ERROR(One(step));
    return {};
  }

 private:
  Status One(const Step& step) {
    switch (step.kind) {
      case Step::Kind::kRequire:
        return Require(step);
      case Step::Kind::kRefuse:
        return Refuse(step);
      case Step::Kind::kFail:
        return FailIf(step);
      case Step::Kind::kLet:
        return Let(step);
      case Step::Kind::kRun:
        return ToTheEnd(step);
      case Step::Kind::kEach:
        return Each(step);
      case Step::Kind::kWhen:
        return When(step);
      case Step::Kind::kQuery:
        return Query(step);
      case Step::Kind::kGuestSql:
        return GuestSql(step);
      case Step::Kind::kProgress:
        return Notify(step, Notice::Kind::kProgress);
      case Step::Kind::kLog:
        return Notify(step, Notice::Kind::kLog);
    }
    return {};
  }

  Result<sqlite3_stmt*> Start(const Sql& sql) {
    ASSIGN_OR_RETURN(sqlite3_stmt * statement, session_.Prepared(sql));
    RETURN_IF_ERROR(BindVariables(statement, frame_, session_.app()));
    return statement;
  }

  // A query or guest statement that failed: its message stands where the step's error text says
  // {message} or {message_json}, or after that text.
  tl::unexpected<Error> WrongQuery(const Step& step, Error error) {
    if (error.code != ErrorCode::kInvalidArgument ||
        step.error.find("{message") == std::string::npos) {
      return PassUp(std::move(error), step.error);
    }
    frame_.Set("message_json", json::string(WriteJson(json::string(error.message))));
    frame_.Set("message", json::string(error.message));
    return Wrong(step);
  }

  tl::unexpected<Error> Wrong(const Step& step) {
    return Fail(ErrorCode::kInvalidArgument, Interpolate(step.error, frame_));
  }

  Status Require(const Step& step) {
    ASSIGN_OR_RETURN(bool row, RunFirstRow(session_, step.sql, frame_));
    if (!row) return Wrong(step);
    return {};
  }

  Status Refuse(const Step& step) {
    std::size_t mark = frame_.Mark();
    ASSIGN_OR_RETURN(bool row, RunFirstRow(session_, step.sql, frame_));
    if (row) return Wrong(step);
    frame_.Restore(mark);
    return {};
  }

  Status FailIf(const Step& step) {
    ASSIGN_OR_RETURN(sqlite3_stmt * statement, Start(step.sql));
    ASSIGN_OR_RETURN(bool row, StepOnce(session_, statement, step.sql.location));
    json::value text = row ? ColumnValue(statement, 0) : json::value();
    sqlite3_reset(statement);
    if (text.is_null()) return {};
    return Fail(ErrorCode::kInvalidArgument,
                text.is_string() ? std::string(text.get_string()) : WriteJson(text));
  }

  Status Let(const Step& step) {
    ASSIGN_OR_RETURN(sqlite3_stmt * statement, Start(step.sql));
    ASSIGN_OR_RETURN(bool row, StepOnce(session_, statement, step.sql.location));
    if (row) {
      SetColumns(statement, frame_);
    } else {
      SetColumnsToNull(statement, frame_);
    }
    sqlite3_reset(statement);
    return {};
  }

  Status ToTheEnd(const Step& step) {
    ASSIGN_OR_RETURN(sqlite3_stmt * statement, Start(step.sql));
    int total_before = sqlite3_total_changes(session_.connection().get());
    std::size_t mark = frame_.Mark();
    for (;;) {
      ASSIGN_OR_RETURN(bool row, StepOnce(session_, statement, step.sql.location));
      if (!row) break;
      frame_.Restore(mark);
      SetColumns(statement, frame_);
    }
    sqlite3_reset(statement);
    frame_.Set("changes", sqlite3_total_changes(session_.connection().get()) - total_before);
    return {};
  }

  // All rows are read before the body runs, so that the body may change what they came from.
  Result<std::vector<Row>> ReadRows(const Sql& sql) {
    ASSIGN_OR_RETURN(sqlite3_stmt * statement, Start(sql));
    std::vector<Row> rows;
    for (;;) {
      ASSIGN_OR_RETURN(bool has_row, StepOnce(session_, statement, sql.location));
      if (!has_row) break;
      if (rows.size() == kEachRowsMax)
        return Fail(ErrorCode::kInvalidArgument, "too many rows at once");
      Row row;
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        row.emplace_back(sqlite3_column_name(statement, i), ColumnValue(statement, i));
      }
      rows.push_back(std::move(row));
    }
    sqlite3_reset(statement);
    return rows;
  }

  Status Each(const Step& step) {
    ASSIGN_OR_RETURN(std::vector<Row> rows, ReadRows(step.sql));
    std::size_t mark = frame_.Mark();
    for (Row& row : rows) {
      for (auto& [name, value] : row) frame_.Set(name, std::move(value));
      RETURN_IF_ERROR(All(step.body));
      frame_.Restore(mark);
    }
    return {};
  }

  Status When(const Step& step) {
    ASSIGN_OR_RETURN(sqlite3_stmt * statement, Start(step.sql));
    ASSIGN_OR_RETURN(bool row, StepOnce(session_, statement, step.sql.location));
    bool holds = row && sqlite3_column_int(statement, 0) != 0;
    sqlite3_reset(statement);
    return All(holds ? step.body : step.otherwise);
  }

  // The texts of a statement's first row.
  Result<std::vector<json::value>> Texts(const Sql& sql) {
    ASSIGN_OR_RETURN(sqlite3_stmt * statement, Start(sql));
    ASSIGN_OR_RETURN(bool row, StepOnce(session_, statement, sql.location));
    std::vector<json::value> values;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      values.push_back(row ? ColumnValue(statement, i) : json::value());
    }
    sqlite3_reset(statement);
    return values;
  }

  Status Query(const Step& step) {
    const QueryTarget& target = session_.app().queries.at(step.target);
    ASSIGN_OR_RETURN(std::vector<json::value> given, Texts(step.sql));
    for (json::value& value : given) {
      bool structured = target.language == "filter_json" || &value != &given.front();
      if (!structured || !value.is_string()) continue;
      ASSIGN_OR_RETURN(value, ParseJson(View(value.get_string())));
    }
    ASSIGN_OR_RETURN(WorldState * state, session_.State());
    query::Context context;
    context.now_ms = state->now_ms();
    context.time_zone = session_.app().time_zone;
    const auto& identity = session_.app().identity;
    if (auto me = identity.find("id"); me != identity.end()) context.me = me->second;
    auto compiled = query::Compile(target.language, given[0], target.target, context, given[1]);
    if (!compiled) return WrongQuery(step, compiled.error());
    for (const query::Check& check : compiled->checks) {
      ASSIGN_OR_RETURN(json::array found, Keys(check.sql, check.parameters));
      if (found.empty()) return WrongQuery(step, Error{ErrorCode::kInvalidArgument, check.message});
    }
    ASSIGN_OR_RETURN(json::array keys, Keys(compiled->sql, compiled->parameters));
    frame_.Set(step.as, std::move(keys));
    return {};
  }

  Result<json::array> Keys(const std::string& sql, const query::Parameters& parameters) {
    ASSIGN_OR_RETURN(db::Statement statement, session_.connection().Prepare(sql), "query");
    std::size_t mark = frame_.Mark();
    for (const auto& [name, value] : parameters)
      frame_.Set(std::string_view(name).substr(1), value);
    RETURN_IF_ERROR(BindVariables(statement.get(), frame_, session_.app()));
    frame_.Restore(mark);
    json::array keys;
    for (;;) {
      ASSIGN_OR_RETURN(bool row, StepOnce(session_, statement.get(), "query"));
      if (!row) return keys;
      keys.push_back(ColumnValue(statement.get(), 0));
    }
  }

  Status GuestSql(const Step& step) {
    ASSIGN_OR_RETURN(std::vector<json::value> given, Texts(step.sql));
    auto text = [&](std::size_t i) {
      return given[i].is_string() ? std::string(given[i].get_string()) : std::string();
    };
    guest_sql::Session guest;
    guest.database = text(1);
    guest.schema = text(2);
    auto access = step.read_only ? guest_sql::Access::kReadOnly : guest_sql::Access::kReadWrite;
    auto outcome = guest_sql::Run(session_.connection().get(), text(0), guest, access, {});
    if (!outcome) {
      // Whatever is wrong with a statement is for the agent to read; only our own failures are not.
      Error error = outcome.error();
      if (error.code != ErrorCode::kInternal) error.code = ErrorCode::kInvalidArgument;
      return WrongQuery(step, std::move(error));
    }
    frame_.Set(step.as, json::object{{"columns", std::move(outcome->columns)},
                                     {"rows", std::move(outcome->rows)},
                                     {"rows_affected", outcome->rows_affected},
                                     {"statement_type", outcome->statement_type},
                                     {"message", outcome->message},
                                     {"database", outcome->session.database},
                                     {"schema", outcome->session.schema}});
    return {};
  }

  Status Notify(const Step& step, Notice::Kind kind) {
    ASSIGN_OR_RETURN(std::vector<Row> rows, ReadRows(step.sql));
    for (Row& row : rows) {
      if (notices_ == nullptr || notices_->size() == kNoticesMax) break;
      Notice notice{.kind = kind, .values = {}};
      for (auto& [name, value] : row) {
        if (!value.is_null()) notice.values[name] = std::move(value);
      }
      notices_->push_back(std::move(notice));
    }
    return {};
  }

  Session& session_;
  Frame& frame_;
  std::vector<Notice>* notices_;
};

}  // namespace

tl::unexpected<Error> StatementError(Session& session, const std::string& location) {
  sqlite3* handle = session.connection().get();
  int code = sqlite3_extended_errcode(handle);
  std::string message = sqlite3_errmsg(handle);
  if (std::string failure = session.TakeFailure(); !failure.empty()) {
    return Fail(ErrorCode::kInvalidArgument, std::move(failure));
  }
  if (const Work* work = CurrentWork(); work != nullptr && work->ended())
    return Fail(ErrorCode::kLimitExceeded, "the call used up its step limit");
  if (auto broken = FindBrokenConstraint(handle))
    return Fail(ErrorCode::kInvalidArgument, DescribeConstraint(*broken));
  if (code == SQLITE_NOMEM) return Fail(ErrorCode::kLimitExceeded, "the call used too much memory");
  // The app's own words, or those of our function that refused its arguments.
  if (code == SQLITE_CONSTRAINT_TRIGGER || code == functions::kArgumentsRefused)
    return Fail(ErrorCode::kInvalidArgument, std::move(message));
  if (auto refusal = DescribeRefusal(handle)) {
    log::Warn("app.statement_refused", {{"place", location}, {"error", message}});
    return Fail(ErrorCode::kInvalidArgument, std::move(*refusal));
  }
  return Fail(ErrorCode::kInternal, location + ": " + message);
}

Result<bool> RunFirstRow(Session& session, const Sql& sql, Frame& frame) {
  ASSIGN_OR_RETURN(sqlite3_stmt * statement, session.Prepared(sql));
  RETURN_IF_ERROR(BindVariables(statement, frame, session.app()));
  ASSIGN_OR_RETURN(bool row, StepOnce(session, statement, sql.location));
  if (row) SetColumns(statement, frame);
  sqlite3_reset(statement);
  return row;
}

Status RunSteps(Session& session, const Steps& steps, Frame& frame, std::vector<Notice>* notices) {
  return Run(session, frame, notices).All(steps);
}

namespace {

// Whether a tool takes arguments beside those that its schema names: a schema that is only advice,
// or one that says so.
bool TakesOthers(const Tool& tool) {
  const json::value* others = tool.input_schema.if_contains("additionalProperties");
  return tool.loose || (others != nullptr && *others != json::value(false));
}

// The variables that a call starts with. Only declared arguments are among them, so that no agent
// sets a variable that the app did not mean to be set; :args has the others where the tool takes
// them.
Frame FirstVariables(const Tool& tool, const json::object& given) {
  Frame frame;
  json::object declared;
  const json::value* properties = tool.input_schema.if_contains("properties");
  if (properties != nullptr && properties->is_object()) {
    for (const auto& argument : given) {
      if (!properties->get_object().contains(argument.key())) continue;
      frame.Set(argument.key(), argument.value());
      declared.emplace(argument.key(), argument.value());
    }
  }
  frame.Set("args", json::string(WriteJson(TakesOthers(tool) ? given : declared)));
  return frame;
}

}  // namespace

Result<ToolOutcome> RunTool(Session& session, const Tool& tool, const json::object& arguments) {
  Frame frame = FirstVariables(tool, arguments);
  ToolOutcome outcome;
  RETURN_IF_ERROR(RunSteps(session, tool.steps, frame, &outcome.notices));
  ASSIGN_OR_RETURN(sqlite3_stmt * statement, session.Prepared(tool.result));
  RETURN_IF_ERROR(BindVariables(statement, frame, session.app()));
  ASSIGN_OR_RETURN(bool row, StepOnce(session, statement, tool.result.location));
  if (!row)
    return Fail(ErrorCode::kInternal, tool.result.location + ": the result statement gave no row");
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
  if (text != nullptr)
    outcome.text.assign(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, 0)));
  if (text == nullptr && tool.form == Tool::Form::kJson) outcome.text = "null";
  sqlite3_reset(statement);
  return outcome;
}

std::string Interpolate(const std::string& text, const Frame& frame) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t end = text[i] == '{' ? text.find('}', i) : std::string::npos;
    if (end == std::string::npos) {
      out += text[i];
      continue;
    }
    const json::value* value = frame.Get(std::string_view(text).substr(i + 1, end - i - 1));
    if (value == nullptr) {
      out += text[i];
      continue;
    }
    out += value->is_string() ? std::string(value->get_string()) : WriteJson(*value);
    i = end;
  }
  return out;
}

}  // namespace viv::engine
