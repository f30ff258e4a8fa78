#include "engine/diff.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/functions/functions.h"
#include "engine/page_vfs.h"

namespace viv::engine {
namespace {

constexpr std::size_t kDiffRowsMax = 100'000;

struct Table {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::string> key;  // primary key, or rowid
};

std::string Quote(const std::string& name) {
  std::string quoted = "\"";
  for (char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

Result<std::vector<std::string>> Column(db::Connection& connection,
                                        const std::string& sql,
                                        std::string_view argument = {}) {
  ASSIGN_OR_RETURN(db::Statement statement, connection.Prepare(sql));
  if (sqlite3_bind_parameter_count(statement.get()) > 0) statement.Bind(1, argument);
  std::vector<std::string> values;
  for (;;) {
    ASSIGN_OR_RETURN(bool row, statement.Step());
    if (!row) return values;
    values.emplace_back(statement.Text(0));
  }
}

Result<Table> Describe(db::Connection& connection, const std::string& name, const char* database) {
  Table table;
  table.name = name;
  std::string from = " FROM pragma_table_info(?1, '" + std::string(database) + "')";
  ASSIGN_OR_RETURN(table.columns, Column(connection, "SELECT name" + from, name));
  ASSIGN_OR_RETURN(table.key,
                   Column(connection, "SELECT name" + from + " WHERE pk > 0 ORDER BY pk", name));
  if (table.key.empty()) table.key = {"rowid"};
  return table;
}

std::string JsonObject(const std::vector<std::string>& columns, const std::string& alias) {
  std::string sql = "json_object(";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::string text = "'";
    for (char c : columns[i]) text += c == '\'' ? std::string("''") : std::string(1, c);
    sql += (i > 0 ? ", " : "") + text + "', " + alias + "." + Quote(columns[i]);
  }
  return sql + ")";
}

std::string Joined(const std::vector<std::string>& columns, const std::string& alias) {
  std::string sql;
  for (const std::string& column : columns)
    sql += (sql.empty() ? "" : ", ") + alias + "." + Quote(column);
  return sql;
}

std::string SameKey(const Table& table) {
  std::string sql;
  for (const std::string& column : table.key) {
    sql += (sql.empty() ? "" : " AND ") + ("a." + Quote(column)) + " IS b." + Quote(column);
  }
  return sql;
}

// Rows of `present` that have no counterpart in `other`.
Result<json::array> OnlyIn(db::Connection& connection,
                           const Table& table,
                           const char* present,
                           const char* other) {
  std::string sql = "SELECT " + JsonObject(table.columns, "a") + " FROM " + present + "." +
                    Quote(table.name) + " a WHERE NOT EXISTS (SELECT 1 FROM " + other + "." +
                    Quote(table.name) + " b WHERE " + SameKey(table) + ")";
  ASSIGN_OR_RETURN(std::vector<std::string> rows, Column(connection, sql));
  json::array list;
  for (const std::string& row : rows) {
    if (list.size() == kDiffRowsMax)
      return Fail(ErrorCode::kLimitExceeded, "more than 100000 rows differ");
    ASSIGN_OR_RETURN(json::value value, ParseJson(row, 512));
    list.push_back(std::move(value));
  }
  return list;
}

Result<json::array> Updated(db::Connection& connection, const Table& table) {
  std::string sql = "SELECT json_object('key', " + JsonObject(table.key, "a") + ", 'before', " +
                    JsonObject(table.columns, "b") + ", 'after', " +
                    JsonObject(table.columns, "a") + ") FROM main." + Quote(table.name) +
                    " a JOIN base." + Quote(table.name) + " b ON " + SameKey(table) + " WHERE (" +
                    Joined(table.columns, "a") + ") IS NOT (" + Joined(table.columns, "b") + ")";
  ASSIGN_OR_RETURN(std::vector<std::string> rows, Column(connection, sql));
  json::array list;
  for (const std::string& row : rows) {
    if (list.size() == kDiffRowsMax)
      return Fail(ErrorCode::kLimitExceeded, "more than 100000 rows differ");
    ASSIGN_OR_RETURN(json::value value, ParseJson(row, 512));
    list.push_back(std::move(value));
  }
  return list;
}

// Which table each page of an image belongs to, those of its indexes included; pages of no table
// are not listed.
using Owners = std::map<std::uint32_t, std::string>;

Result<Owners> ReadOwners(const ImagePtr& image) {
  Pages pages(image);
  ASSIGN_OR_RETURN(db::Connection connection, OpenPageConnection());
  AttachPages(connection, &pages);
  ASSIGN_OR_RETURN(
      db::Statement statement,
      connection.Prepare(
          "SELECT d.pageno, s.tbl_name FROM dbstat d JOIN sqlite_schema s ON s.name = d.name"));
  Owners owners;
  for (;;) {
    ASSIGN_OR_RETURN(bool row, statement.Step());
    if (!row) return owners;
    owners.emplace(static_cast<std::uint32_t>(statement.Integer(0)), statement.Text(1));
  }
}

// The tables that can differ: those that own a page which differs. A page that is new since
// `before` says nothing, since the page above it in its tree has changed, too. Nothing when they
// cannot be told, because `before` has pages its image does not know.
Result<std::optional<std::set<std::string>>> TablesThatCanDiffer(const Pages& before,
                                                                 const Pages& after) {
  if (before.image().id() != after.image().id()) return std::optional<std::set<std::string>>();
  std::set<std::uint32_t> differing;
  for (const auto* one : {&before, &after}) {
    for (const auto& [number, page] : one->changed()) {
      auto found = before.changed().find(number);
      auto other = after.changed().find(number);
      bool same = found != before.changed().end() && other != after.changed().end() &&
                  found->second == other->second;
      if (!same && number <= before.count()) differing.insert(number);
    }
  }
  std::set<std::string> tables;
  if (differing.empty()) return std::optional(tables);
  ASSIGN_OR_RETURN(Owners owners, ReadOwners(before.image_ptr()));
  for (std::uint32_t number : differing) {
    if (number > before.image().page_count()) return std::optional<std::set<std::string>>();
    if (auto owner = owners.find(number); owner != owners.end()) tables.insert(owner->second);
  }
  return std::optional(tables);
}

// Ordinary tables of the author's: no virtual tables, no shadow tables behind them, nothing of
// ours.
Result<std::set<std::string>> TableNames(db::Connection& connection, const char* database) {
  ASSIGN_OR_RETURN(
      std::vector<std::string> names,
      Column(connection,
             "SELECT name FROM pragma_table_list WHERE schema = ?1 AND type = 'table' AND "
             "name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_%' ESCAPE '\\'",
             database));
  return std::set<std::string>(names.begin(), names.end());
}

}  // namespace

Result<db::Connection> OpenBoth(Pages& before, Pages& after) {
  ASSIGN_OR_RETURN(db::Connection connection, OpenPageConnection());
  RETURN_IF_ERROR(connection.Execute("ATTACH 'base' AS base"));
  AttachPages(connection, &after, "main");
  AttachPages(connection, &before, "base");
  RETURN_IF_ERROR(RegisterFunctions(connection.get()));
  return connection;
}

Result<json::value> DiffPages(const Pages& before, const Pages& after) {
  Pages base = before;  // SQLite takes files it may write; copies share every page
  Pages now = after;
  ASSIGN_OR_RETURN(db::Connection connection, OpenBoth(base, now));
  ASSIGN_OR_RETURN(std::set<std::string> names_now, TableNames(connection, "main"));
  ASSIGN_OR_RETURN(std::set<std::string> names_before, TableNames(connection, "base"));
  ASSIGN_OR_RETURN(auto can_differ, TablesThatCanDiffer(before, after));
  json::object tables;
  std::int64_t totals[3] = {0, 0, 0};
  std::set<std::string> all = names_now;
  all.insert(names_before.begin(), names_before.end());
  for (const std::string& name : all) {
    bool is_now = names_now.contains(name);
    bool was = names_before.contains(name);
    if (is_now && was && can_differ && !can_differ->contains(name)) continue;
    ASSIGN_OR_RETURN(Table table, Describe(connection, name, is_now ? "main" : "base"));
    json::array lists[3];
    if (is_now && was) {
      ASSIGN_OR_RETURN(lists[0], OnlyIn(connection, table, "main", "base"));
      ASSIGN_OR_RETURN(lists[1], Updated(connection, table));
      ASSIGN_OR_RETURN(lists[2], OnlyIn(connection, table, "base", "main"));
    } else {
      std::string sql = "SELECT " + JsonObject(table.columns, "a") + " FROM " +
                        (is_now ? "main." : "base.") + Quote(name) + " a";
      ASSIGN_OR_RETURN(std::vector<std::string> rows, Column(connection, sql));
      for (const std::string& row : rows) {
        ASSIGN_OR_RETURN(json::value value, ParseJson(row, 512));
        lists[is_now ? 0 : 2].push_back(std::move(value));
      }
    }
    if (lists[0].empty() && lists[1].empty() && lists[2].empty()) continue;
    for (int i = 0; i < 3; ++i) totals[i] += static_cast<std::int64_t>(lists[i].size());
    tables[name] = {{"inserted", std::move(lists[0])},
                    {"updated", std::move(lists[1])},
                    {"deleted", std::move(lists[2])}};
  }
  return json::value{
      {"tables", std::move(tables)},
      {"summary", {{"inserted", totals[0]}, {"updated", totals[1]}, {"deleted", totals[2]}}}};
}

}  // namespace viv::engine
