#include "engine/saved_state.h"

#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/base64.h"
#include "base/text.h"
#include "engine/compared_tables.h"
#include "engine/constraint.h"

namespace viv::engine {
namespace {

constexpr std::int64_t kStateFormat = 1;
constexpr std::int64_t kExactMax = std::int64_t{1} << 53;  // whole numbers that any client keeps
constexpr std::array<std::string_view, 3> kClockModes = {"tick", "frozen", "real"};
constexpr std::string_view kGuestPrefix = "g$";  // of the tables that guest SQL makes
constexpr std::size_t kGuestColumnsMax = 2000;

using SavedRow = json::array;

tl::unexpected<Error> RefuseState(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, "_world: " + std::move(message));
}

// One table as it stands in the database.
struct StoredTable {
  std::string name;
  bool has_number = false;  // rows have a number that no column shows: rowid
  bool is_index = false;    // a full-text index over another table, made anew instead of saved
  bool is_virtual = false;  // a full-text table with texts of its own
  std::vector<std::string> columns;
  std::vector<std::string> types;
  std::vector<std::string> key;  // the columns that tell rows apart; empty: rowid does

  bool is_guest() const { return std::string_view(name).starts_with(kGuestPrefix); }

  // What one row of a saved table lists.
  std::vector<std::string> SavedColumns() const {
    std::vector<std::string> all = columns;
    if (has_number) all.insert(all.begin(), "rowid");
    return all;
  }
};

Result<StoredTable> DescribeTable(db::Connection& connection,
                                  const std::string& name,
                                  bool without_rowid) {
  StoredTable table;
  table.name = name;
  ASSIGN_OR_RETURN(db::Statement statement,
                   connection.Prepare("SELECT name, type, pk FROM pragma_table_xinfo(?1) WHERE "
                                      "hidden = 0 ORDER BY cid"));
  statement.Bind(1, name);
  std::map<std::int64_t, std::size_t> key;
  for (;;) {
    ASSIGN_OR_RETURN(bool row, statement.Step());
    if (!row) break;
    if (statement.Integer(2) > 0) key[statement.Integer(2)] = table.columns.size();
    table.columns.emplace_back(statement.Text(0));
    table.types.emplace_back(statement.Text(1));
  }
  for (const auto& part : key) table.key.push_back(table.columns[part.second]);
  bool numbered_by_column =
      key.size() == 1 && EqualsIgnoreCase(table.types[key.begin()->second], "INTEGER");
  table.has_number = !without_rowid && !numbered_by_column;
  if (table.has_number) table.key.clear();
  return table;
}

// The tables that are state, by name. `_world` is kept apart; shadow tables belong to a virtual
// one.
Result<std::map<std::string, StoredTable>> StoredTables(db::Connection& connection) {
  ASSIGN_OR_RETURN(db::Statement statement,
                   connection.Prepare(
                       "SELECT l.name, l.wr, l.type, s.sql FROM pragma_table_list l JOIN "
                       "sqlite_schema s ON s.name = l.name AND s.type = 'table' WHERE l.schema = "
                       "'main' AND l.type IN ('table', 'virtual') AND l.name NOT LIKE 'sqlite\\_%' "
                       "ESCAPE '\\' AND l.name <> '_world'"));
  std::map<std::string, StoredTable> tables;
  for (;;) {
    ASSIGN_OR_RETURN(bool row, statement.Step());
    if (!row) return tables;
    std::string name(statement.Text(0));
    ASSIGN_OR_RETURN(StoredTable table, DescribeTable(connection, name, statement.Integer(1) != 0));
    table.is_virtual = statement.Text(2) == "virtual";
    table.is_index =
        table.is_virtual && ToLower(statement.Text(3)).find("content=") != std::string::npos;
    if (table.is_virtual) table.has_number = true;
    tables.emplace(std::move(name), std::move(table));
  }
}

json::value EncodeText(std::string_view text) {
  if (IsValidUtf8(text)) return json::string(text.data(), text.size());
  return json::object{{"text", EncodeBase64(text)}};
}

json::value EncodeCell(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      return nullptr;
    case SQLITE_INTEGER: {
      std::int64_t number = sqlite3_column_int64(statement, column);
      if (number >= -kExactMax && number <= kExactMax) return number;
      return json::object{{"integer", std::to_string(number)}};
    }
    case SQLITE_FLOAT:
      return json::object{
          {"real", fmt::format("{:.17g}", sqlite3_column_double(statement, column))}};
    default:
      break;
  }
  bool is_blob = sqlite3_column_type(statement, column) == SQLITE_BLOB;
  const auto* bytes = static_cast<const char*>(
      is_blob ? sqlite3_column_blob(statement, column)
              : static_cast<const void*>(sqlite3_column_text(statement, column)));
  auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
  std::string_view view = bytes == nullptr ? std::string_view() : std::string_view(bytes, size);
  if (is_blob) return json::object{{"blob", EncodeBase64(view)}};
  return EncodeText(view);
}

// False when the value is none that EncodeCell writes.
bool BindSpecialCell(sqlite3_stmt* statement, int index, const json::object& object) {
  if (object.size() != 1 || !object.begin()->value().is_string()) return false;
  std::string_view kind = object.begin()->key();
  std::string_view text = View(object.begin()->value().get_string());
  if (kind == "integer") {
    std::int64_t number = 0;
    if (!absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &number)) return false;
    return sqlite3_bind_int64(statement, index, number) == SQLITE_OK;
  }
  if (kind == "real") {
    double number = 0;
    if (!absl::SimpleAtod(absl::string_view(text.data(), text.size()), &number)) return false;
    return sqlite3_bind_double(statement, index, number) == SQLITE_OK;
  }
  if (kind != "blob" && kind != "text") return false;
  std::optional<std::string> bytes = DecodeBase64(text);
  if (!bytes) return false;
  if (kind == "text") {
    return sqlite3_bind_text64(statement, index, bytes->data(), bytes->size(), SQLITE_TRANSIENT,
                               SQLITE_UTF8) == SQLITE_OK;
  }
  return sqlite3_bind_blob64(statement, index, bytes->data(), bytes->size(), SQLITE_TRANSIENT) ==
         SQLITE_OK;
}

bool BindCell(sqlite3_stmt* statement, int index, const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return sqlite3_bind_null(statement, index) == SQLITE_OK;
    case json::kind::int64:
      return sqlite3_bind_int64(statement, index, value.get_int64()) == SQLITE_OK;
    case json::kind::string:
      return sqlite3_bind_text64(statement, index, value.get_string().data(),
                                 value.get_string().size(), SQLITE_TRANSIENT,
                                 SQLITE_UTF8) == SQLITE_OK;
    case json::kind::object:
      return BindSpecialCell(statement, index, value.get_object());
    default:
      return false;
  }
}

std::string ListOf(const std::vector<std::string>& columns) {
  std::string list;
  for (const std::string& column : columns) list += (list.empty() ? "" : ", ") + QuoteName(column);
  return list;
}

// Every row, in the table's own order.
Result<std::vector<SavedRow>> ReadRows(db::Connection& connection, const StoredTable& table) {
  std::vector<std::string> columns = table.SavedColumns();
  std::string order = table.key.empty() ? "rowid" : ListOf(table.key);
  ASSIGN_OR_RETURN(db::Statement statement,
                   connection.Prepare("SELECT " + ListOf(columns) + " FROM main." +
                                      QuoteName(table.name) + " ORDER BY " + order));
  std::vector<SavedRow> rows;
  for (;;) {
    ASSIGN_OR_RETURN(bool more, statement.Step());
    if (!more) return rows;
    SavedRow row;
    row.reserve(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i)
      row.push_back(EncodeCell(statement.get(), static_cast<int>(i)));
    rows.push_back(std::move(row));
  }
}

json::array NamesOf(const std::vector<std::string>& names) {
  json::array list;
  for (const std::string& name : names) list.push_back(json::string(name));
  return list;
}

// One table as the state to be loaded has it.
struct GivenTable {
  std::vector<std::string> columns;
  std::vector<std::string> types;
  std::vector<std::string> key;
  const json::array* rows = nullptr;
};

Result<std::vector<std::string>> ReadNames(const json::value& table, std::string_view member) {
  std::vector<std::string> names;
  const json::value* list = Find(table, member);
  if (list == nullptr) return names;
  if (!list->is_array()) return RefuseState(std::string(member) + ": a list is expected");
  for (const json::value& name : list->get_array()) {
    if (!name.is_string())
      return RefuseState(std::string(member) + ": a list of names is expected");
    names.emplace_back(View(name.get_string()));
  }
  std::set<std::string> once(names.begin(), names.end());
  if (once.size() != names.size()) return RefuseState(std::string(member) + " names one twice");
  return names;
}

// Types are shown by SQLite in the words of the CREATE TABLE that made the guest's table.
bool IsTypeName(std::string_view type) {
  return type.size() <= 64 && std::all_of(type.begin(), type.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == ' ';
         });
}

Result<GivenTable> ReadGivenTable(const std::string& name, const json::value& value) {
  GivenTable table;
  ASSIGN_OR_RETURN(table.columns, ReadNames(value, "columns"), name);
  const json::value* rows = Find(value, "rows");
  if (table.columns.empty() || rows == nullptr || !rows->is_array())
    return RefuseState(name + ": columns and rows are expected");
  table.rows = &rows->get_array();
  for (const json::value& row : *table.rows) {
    if (!row.is_array() || row.get_array().size() != table.columns.size())
      return RefuseState(name + ": a row has another number of values than there are columns");
  }
  ASSIGN_OR_RETURN(table.key, ReadNames(value, "key"), name);
  const json::value* types = Find(value, "types");
  for (const json::value& type :
       types != nullptr && types->is_array() ? types->get_array() : json::array()) {
    if (!type.is_string() || !IsTypeName(View(type.get_string())))
      return RefuseState(name + ": types: the names of types are expected");
    table.types.emplace_back(View(type.get_string()));
  }
  return table;
}

class StateLoader {
 public:
  explicit StateLoader(Session& session) : session_(session), connection_(session.connection()) {}

  Status Load(const json::value& state) {
    RETURN_IF_ERROR(CheckHead(state));
    const json::value* tables = Find(state, "tables");
    if (tables == nullptr || !tables->is_object()) return RefuseState("tables are missing");
    std::map<std::string, GivenTable> given;
    for (const auto& member : tables->get_object()) {
      std::string name(member.key());
      ASSIGN_OR_RETURN(given[name], ReadGivenTable(name, member.value()));
    }
    RETURN_IF_ERROR(MatchGuestTables(given));
    ASSIGN_OR_RETURN(auto stored, StoredTables(connection_));
    for (const auto& [name, table] : given) {
      if (!stored.contains(name))
        return RefuseState("this version of the app has no table " + name);
    }
    // Rows go before rows come: what must be unique may have moved from one row to another.
    for (const auto& [name, table] : stored) {
      if (table.is_index) continue;
      auto found = given.find(name);
      RETURN_IF_ERROR(Compare(table, found == given.end() ? nullptr : &found->second), name);
    }
    for (const auto& [name, table] : stored) {
      if (table.is_index) continue;
      RETURN_IF_ERROR(InsertNew(table), name);
    }
    for (const auto& [name, table] : stored) {
      if (!table.is_index) continue;
      RETURN_IF_ERROR(connection_.Execute("INSERT INTO " + QuoteName(name) + "(" + QuoteName(name) +
                                          ") VALUES ('rebuild')"));
    }
    RETURN_IF_ERROR(CheckReferences());
    return SetClock(state);
  }

 private:
  Status CheckHead(const json::value& state) const {
    if (!state.is_object()) return RefuseState("an object is expected");
    const json::value* format = Find(state, "format");
    if (format == nullptr || !format->is_int64() || format->get_int64() != kStateFormat)
      return RefuseState("format " + std::to_string(kStateFormat) + " is expected");
    std::string_view app = FindString(state, "app");
    if (app != session_.app().name) {
      return RefuseState("this is the state of a world of '" + std::string(app) + "', not of '" +
                         session_.app().name + "'");
    }
    return {};
  }

  Status SetClock(const json::value& state) {
    const json::value* clock = Find(state, "clock_ms");
    const json::value* serial = Find(state, "serial");
    const auto* mode =
        std::find(kClockModes.begin(), kClockModes.end(), FindString(state, "clock_mode"));
    if (clock == nullptr || !clock->is_int64() || serial == nullptr || !serial->is_int64() ||
        serial->get_int64() < 0 || mode == kClockModes.end()) {
      return RefuseState("clock_ms, clock_mode and serial are expected");
    }
    ASSIGN_OR_RETURN(WorldState * world, session_.State());
    world->clock_ms = clock->get_int64();
    world->serial = serial->get_int64();
    world->mode = static_cast<ClockMode>(mode - kClockModes.begin());
    session_.TouchState();
    return {};
  }

  // The guest's tables come and go with the state; one of the same columns stays, for its rows.
  Status MatchGuestTables(const std::map<std::string, GivenTable>& given) {
    ASSIGN_OR_RETURN(auto stored, StoredTables(connection_));
    for (const auto& [name, table] : stored) {
      if (!table.is_guest()) continue;
      auto found = given.find(name);
      bool same = found != given.end() && found->second.columns == table.SavedColumns() &&
                  found->second.types == table.types && found->second.key == table.key;
      if (same) continue;
      RETURN_IF_ERROR(connection_.Execute("DROP TABLE main." + QuoteName(name)), name);
    }
    ASSIGN_OR_RETURN(stored, StoredTables(connection_));
    for (const auto& [name, table] : given) {
      if (stored.contains(name) || !std::string_view(name).starts_with(kGuestPrefix)) continue;
      RETURN_IF_ERROR(CreateGuestTable(name, table));
    }
    return {};
  }

  Status CreateGuestTable(const std::string& name, const GivenTable& table) {
    bool whole = table.types.size() == table.columns.size() && table.key.size() == 1 &&
                 table.key[0] == table.columns[0] && table.columns.size() <= kGuestColumnsMax &&
                 EqualsIgnoreCase(table.types[0], "INTEGER");
    if (!whole) return RefuseState(name + ": types and key do not fit its columns");
    std::string sql = "CREATE TABLE main." + QuoteName(name) + " (";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      sql += (i > 0 ? ", " : "") + QuoteName(table.columns[i]) + " " + table.types[i] +
             (i == 0 ? " PRIMARY KEY" : "");
    }
    if (!connection_.Execute(sql + ")"))
      return RefuseState(name + ": a table with these columns cannot be made");
    return {};
  }

  // Deletes the rows that the state does not have and notes those that only the state has.
  Status Compare(const StoredTable& table, const GivenTable* given) {
    std::vector<std::string> columns = table.SavedColumns();
    std::vector<const json::array*>& fresh = fresh_[table.name];
    std::unordered_map<std::string, const json::array*> wanted;  // by the whole row
    if (given != nullptr) {
      RETURN_IF_ERROR(CheckColumns(*given, columns));
      given_columns_[table.name] = given->columns;
      bool comparable = given->columns == columns;
      for (const json::value& row : *given->rows) {
        const json::array* cells = &row.get_array();
        if (!comparable || !wanted.emplace(json::serialize(row), cells).second)
          fresh.push_back(cells);
      }
    }
    ASSIGN_OR_RETURN(std::vector<SavedRow> rows, ReadRows(connection_, table));
    for (const SavedRow& row : rows) {
      if (wanted.erase(json::serialize(row)) == 0) RETURN_IF_ERROR(DeleteRow(table, columns, row));
    }
    for (const auto& entry : wanted) fresh.push_back(entry.second);
    std::sort(fresh.begin(), fresh.end());  // as they are given: they are elements of one list
    return {};
  }

  static Status CheckColumns(const GivenTable& given, const std::vector<std::string>& columns) {
    for (const std::string& column : given.columns) {
      if (std::find(columns.begin(), columns.end(), column) == columns.end())
        return RefuseState("this version of the app has no column " + column);
    }
    return {};
  }

  Status DeleteRow(const StoredTable& table,
                   const std::vector<std::string>& columns,
                   const SavedRow& row) {
    db::Statement& statement = deletes_[table.name];
    std::vector<std::string> key =
        table.key.empty() ? std::vector<std::string>{"rowid"} : table.key;
    if (statement.get() == nullptr) {
      std::string sql = "DELETE FROM main." + QuoteName(table.name) + " WHERE ";
      for (std::size_t i = 0; i < key.size(); ++i)
        sql += (i > 0 ? " AND " : "") + QuoteName(key[i]) + " IS ?" + std::to_string(i + 1);
      ASSIGN_OR_RETURN(statement, connection_.Prepare(sql));
    }
    for (std::size_t i = 0; i < key.size(); ++i) {
      auto at = std::find(columns.begin(), columns.end(), key[i]) - columns.begin();
      BindCell(statement.get(), static_cast<int>(i) + 1, row[static_cast<std::size_t>(at)]);
    }
    RETURN_IF_ERROR(statement.Step());
    statement.Reset();
    return {};
  }

  Status InsertNew(const StoredTable& table) {
    const std::vector<const json::array*>& rows = fresh_[table.name];
    if (rows.empty()) return {};
    const std::vector<std::string>& columns = given_columns_[table.name];
    std::string places;
    for (std::size_t i = 0; i < columns.size(); ++i)
      places += (i > 0 ? ", ?" : "?") + std::to_string(i + 1);
    ASSIGN_OR_RETURN(db::Statement statement,
                     connection_.Prepare("INSERT INTO main." + QuoteName(table.name) + " (" +
                                         ListOf(columns) + ") VALUES (" + places + ")"));
    for (const json::array* row : rows) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!BindCell(statement.get(), static_cast<int>(i) + 1, (*row)[i]))
          return RefuseState(columns[i] + ": the value " +
                             Printable(json::serialize((*row)[i]), 80) + " cannot be stored");
      }
      if (auto stepped = statement.Step(); !stepped) return RowError();
      statement.Reset();
    }
    return {};
  }

  tl::unexpected<Error> RowError() {
    if (auto broken = FindBrokenConstraint(connection_.get()))
      return RefuseState(DescribeConstraint(*broken));
    return RefuseState("a row cannot be stored");
  }

  Status CheckReferences() {
    ASSIGN_OR_RETURN(db::Statement statement, connection_.Prepare("PRAGMA main.foreign_key_check"));
    ASSIGN_OR_RETURN(bool broken, statement.Step());
    if (!broken) return {};
    return RefuseState("a row of " + std::string(statement.Text(0)) + " refers to one of " +
                       std::string(statement.Text(2)) + " that is not there");
  }

  Session& session_;
  db::Connection& connection_;
  std::map<std::string, std::vector<const json::array*>> fresh_;
  std::map<std::string, std::vector<std::string>> given_columns_;
  std::map<std::string, db::Statement> deletes_;
};

// Rows are stored as they are given: no trigger adds to them, and references are checked at the
// end. Both can only be switched outside a transaction.
class WithoutSideEffects {
 public:
  explicit WithoutSideEffects(sqlite3* handle) : handle_(handle) { Switch(0); }
  WithoutSideEffects(const WithoutSideEffects&) = delete;
  WithoutSideEffects& operator=(const WithoutSideEffects&) = delete;
  ~WithoutSideEffects() { Switch(1); }

 private:
  void Switch(int on) {
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, on, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_FKEY, on, nullptr);
  }
  sqlite3* handle_;
};

}  // namespace

const json::value* FindSavedState(const json::value& document) {
  return Find(document, kSavedStateMember);
}

Result<json::value> SaveState(Session& session) {
  ASSIGN_OR_RETURN(WorldState * world, session.State());
  json::object tables;
  ASSIGN_OR_RETURN(auto stored, StoredTables(session.connection()));
  for (const auto& [name, table] : stored) {
    if (table.is_index) continue;
    ASSIGN_OR_RETURN(std::vector<SavedRow> rows, ReadRows(session.connection(), table), name);
    json::object saved{{"columns", NamesOf(table.SavedColumns())}};
    if (table.is_guest()) {
      saved["types"] = NamesOf(table.types);
      saved["key"] = NamesOf(table.key);
    }
    json::array list;
    list.reserve(rows.size());
    for (SavedRow& row : rows) list.push_back(std::move(row));
    saved["rows"] = std::move(list);
    tables[name] = std::move(saved);
  }
  return json::value{{"format", kStateFormat},
                     {"app", session.app().name},
                     {"clock_ms", world->clock_ms},
                     {"clock_mode", kClockModes[static_cast<std::size_t>(world->mode)]},
                     {"serial", world->serial},
                     {"tables", std::move(tables)}};
}

Status LoadState(Session& session, const json::value& state) {
  WithoutSideEffects guard(session.connection().get());
  RETURN_IF_ERROR(session.Begin());
  Status loaded = StateLoader(session).Load(state);
  if (loaded) loaded = session.Commit();
  if (!loaded) session.Rollback();
  return loaded;
}

}  // namespace viv::engine
