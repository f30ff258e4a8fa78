#include "engine/diff.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/read_only_guard.h"

namespace viv::engine {
namespace {

constexpr std::size_t kDiffRowsMax = 100'000;

enum class Change { kInserted, kUpdated, kDeleted };
constexpr std::array kChanges = {Change::kInserted, Change::kUpdated, Change::kDeleted};
struct ChangeLists {  // of one table
  std::array<json::array, kChanges.size()> rows;
  std::size_t bytes = 0;  // of all rows that were read for them
};

json::array& ListOf(ChangeLists& lists, Change change) {
  return lists.rows[static_cast<std::size_t>(change)];
}

std::string Joined(const std::vector<std::string>& columns,
                   const std::string& alias,
                   const std::string& suffix = "") {
  std::string sql;
  for (const std::string& column : columns)
    sql += (sql.empty() ? "" : ", ") + alias + "." + QuoteName(column) + suffix;
  return sql;
}

std::string SameKey(const ComparedTable& table) {
  std::string sql;
  for (const std::string& column : table.key) {
    sql += (sql.empty() ? "" : " AND ") + ("a." + QuoteName(column)) + " IS b." + QuoteName(column);
  }
  return sql;
}

// The rows of a table that changed in one way: all of them, or the one that `Located` names by
// ?1, ?2, …
enum class Scope { kTable, kOneRow };

std::string ChangeSql(const ComparedTable& table, Change change, Scope scope) {
  std::string name = QuoteName(table.name);
  std::string sql;
  if (change == Change::kUpdated) {
    // Values are compared as they are, also where the column's own order ignores case.
    sql = "SELECT " + Joined(table.key, "a") + ", " + Joined(table.columns, "b") + ", " +
          Joined(table.columns, "a") + " FROM main." + name + " a CROSS JOIN base." + name +
          " b WHERE " + SameKey(table) + " AND (" + Joined(table.columns, "a", " COLLATE BINARY") +
          ") IS NOT (" + Joined(table.columns, "b") + ")";
  } else {
    bool inserted = change == Change::kInserted;
    sql = "SELECT " + Joined(table.columns, "a") + " FROM " + (inserted ? "main." : "base.") +
          name + " a WHERE NOT EXISTS (SELECT 1 FROM " + (inserted ? "base." : "main.") + name +
          " b WHERE " + SameKey(table) + ")";
  }
  if (scope == Scope::kOneRow) {
    for (std::size_t i = 0; i < table.locator.size(); ++i)
      sql += " AND a." + QuoteName(table.locator[i]) + " = ?" + std::to_string(i + 1);
  } else if (!table.locator.empty()) {
    sql += " ORDER BY " + Joined(table.locator, "a");
  }
  return sql;
}

json::value CellValue(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement, column);
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_NULL:
      return nullptr;
    case SQLITE_BLOB: {  // JSON has no bytes
      constexpr char kDigits[] = "0123456789ABCDEF";
      const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement, column));
      json::string hex;
      for (int i = 0; i < sqlite3_column_bytes(statement, column); ++i) {
        hex.push_back(kDigits[bytes[i] >> 4]);
        hex.push_back(kDigits[bytes[i] & 15]);
      }
      return hex;
    }
    default: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return json::string(text == nullptr ? "" : text,
                          static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
    }
  }
}

json::object RowObject(sqlite3_stmt* statement,
                       int first,
                       const std::vector<std::string>& columns) {
  json::object row;
  row.reserve(columns.size());
  for (const std::string& column : columns) row[column] = CellValue(statement, first++);
  return row;
}

std::size_t RowBytes(sqlite3_stmt* statement) {
  std::size_t bytes = 0;
  for (int i = 0; i < sqlite3_column_count(statement); ++i)
    bytes += 16 + static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
  return bytes;
}

// Adds the rows of a statement of ChangeSql to the list.
Status ReadChanges(db::Statement& statement,
                   const ComparedTable& table,
                   Change change,
                   json::array& list,
                   std::size_t& bytes) {
  for (;;) {
    ASSIGN_OR_RETURN(bool more, statement.Step());
    if (!more) return {};
    if (list.size() == kDiffRowsMax)
      return Fail(ErrorCode::kLimitExceeded, "more than 100000 rows differ");
    bytes += RowBytes(statement.get());
    if (bytes > kResultBytesMax)
      return Fail(ErrorCode::kLimitExceeded, "the rows of one table that differ exceed 32 MiB");
    if (change != Change::kUpdated) {
      list.push_back(RowObject(statement.get(), 0, table.columns));
      continue;
    }
    int keys = static_cast<int>(table.key.size());
    int columns = static_cast<int>(table.columns.size());
    list.push_back({{"key", RowObject(statement.get(), 0, table.key)},
                    {"before", RowObject(statement.get(), keys, table.columns)},
                    {"after", RowObject(statement.get(), keys + columns, table.columns)}});
  }
}

Status CompareEveryRow(Comparison& comparison, const ComparedTable& table, ChangeLists& lists) {
  for (Change change : kChanges) {
    ASSIGN_OR_RETURN(db::Statement statement,
                     comparison.connection().Prepare(ChangeSql(table, change, Scope::kTable)));
    RETURN_IF_ERROR(ReadChanges(statement, table, change, ListOf(lists, change), lists.bytes));
  }
  return {};
}

void BindKey(db::Statement& statement, const RowKey& key) {
  int index = 0;
  for (const KeyValue& value : key) {
    ++index;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      statement.Bind(index, *integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
      statement.Bind(index, *real);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      statement.Bind(index, std::string_view(*text));
    } else {
      const std::string& bytes = std::get<KeyBlob>(value).bytes;
      sqlite3_bind_blob64(statement.get(), index, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
    }
  }
}

// CompareEveryRow, asked for one row after the other.
Status CompareRows(Comparison& comparison,
                   const ComparedTable& table,
                   const ChangedRows& rows,
                   ChangeLists& lists) {
  for (Change change : kChanges) {
    const std::vector<RowKey>& keys = change == Change::kDeleted ? rows.before : rows.after;
    if (keys.empty()) continue;
    std::string name = table.name + (change == Change::kInserted  ? " inserted"
                                     : change == Change::kUpdated ? " updated"
                                                                  : " deleted");
    auto text = [&] { return ChangeSql(table, change, Scope::kOneRow); };
    ASSIGN_OR_RETURN(db::Statement * statement, comparison.Prepared(name, text));
    for (const RowKey& key : keys) {
      statement->Reset();
      BindKey(*statement, key);
      RETURN_IF_ERROR(ReadChanges(*statement, table, change, ListOf(lists, change), lists.bytes));
    }
    statement->Reset();
  }
  return {};
}

// All rows of a table that only one of the states has.
Status ListRows(Comparison& comparison,
                const ComparedTable& table,
                const char* database,
                Change change,
                json::array& list,
                std::size_t& bytes) {
  std::string sql = "SELECT " + Joined(table.columns, "a") + " FROM " + database + "." +
                    QuoteName(table.name) + " a";
  if (!table.locator.empty()) sql += " ORDER BY " + Joined(table.locator, "a");
  ASSIGN_OR_RETURN(db::Statement statement, comparison.connection().Prepare(sql));
  return ReadChanges(statement, table, change, list, bytes);
}

// A table that was made anew with other columns: rows with the same key are the same row.
Status CompareReshaped(Comparison& comparison,
                       const ComparedTable& before,
                       const ComparedTable& after,
                       ChangeLists& lists) {
  json::array old_rows;
  json::array new_rows;
  RETURN_IF_ERROR(ListRows(comparison, before, "base", Change::kDeleted, old_rows, lists.bytes));
  RETURN_IF_ERROR(ListRows(comparison, after, "main", Change::kInserted, new_rows, lists.bytes));
  auto key_of = [&](const json::value& row) {
    json::object key;
    for (const std::string& column : after.key) {
      if (const json::value* value = row.get_object().if_contains(column)) key[column] = *value;
    }
    return key;
  };
  std::map<std::string, json::value> old_by_key;
  if (before.key == after.key) {
    for (const json::value& row : old_rows) old_by_key.emplace(WriteJson(key_of(row)), row);
  }
  std::set<std::string> kept;
  for (json::value& row : new_rows) {
    json::object key = key_of(row);
    std::string text = WriteJson(key);
    auto found = key.empty() ? old_by_key.end() : old_by_key.find(text);
    if (found == old_by_key.end()) {
      ListOf(lists, Change::kInserted).push_back(std::move(row));
    } else {
      kept.insert(text);
      if (found->second == row) continue;
      ListOf(lists, Change::kUpdated)
          .push_back(
              {{"key", std::move(key)}, {"before", found->second}, {"after", std::move(row)}});
    }
  }
  for (json::value& row : old_rows) {
    if (!kept.contains(WriteJson(key_of(row))))
      ListOf(lists, Change::kDeleted).push_back(std::move(row));
  }
  return {};
}

class DiffResult {
 public:
  void Add(const std::string& table, ChangeLists lists) {
    bool empty = std::all_of(lists.rows.begin(), lists.rows.end(),
                             [](const json::array& list) { return list.empty(); });
    if (empty) return;
    for (Change change : kChanges) {
      auto at = static_cast<std::size_t>(change);
      totals_[at] += static_cast<std::int64_t>(lists.rows[at].size());
    }
    tables_[table] = {{"inserted", std::move(ListOf(lists, Change::kInserted))},
                      {"updated", std::move(ListOf(lists, Change::kUpdated))},
                      {"deleted", std::move(ListOf(lists, Change::kDeleted))}};
  }
  json::value Take() && {
    return json::value{
        {"tables", std::move(tables_)},
        {"summary", {{"inserted", totals_[0]}, {"updated", totals_[1]}, {"deleted", totals_[2]}}}};
  }

 private:
  json::object tables_;
  std::array<std::int64_t, kChanges.size()> totals_{};
};

// The pages of `before` by table, if they can be told.
struct KnownPages {
  const PageMap* map = nullptr;
  TouchedPages touched;
};

class Differ {
 public:
  Differ(Comparison& comparison, const Pages& before, const Pages& after, const KnownPages* known)
      : comparison_(comparison), before_(before), after_(after), known_(known) {}

  Result<json::value> Compare(const ComparedTables& tables_before,
                              const ComparedTables& tables_after) {
    // One transaction, so that SQLite looks at both states' headers once.
    auto begin = [] { return std::string("BEGIN"); };
    ASSIGN_OR_RETURN(db::Statement * transaction, comparison_.Prepared("begin", begin));
    RETURN_IF_ERROR(transaction->Step());
    transaction->Reset();
    std::set<std::string> names;
    for (const auto& [name, table] : tables_before) names.insert(name);
    for (const auto& [name, table] : tables_after) names.insert(name);
    DiffResult result;
    for (const std::string& name : names) {
      auto was = tables_before.find(name);
      auto is = tables_after.find(name);
      ChangeLists lists;
      RETURN_IF_ERROR(Table(was == tables_before.end() ? nullptr : &was->second,
                            is == tables_after.end() ? nullptr : &is->second, lists),
                      name);
      result.Add(name, std::move(lists));
    }
    return std::move(result).Take();
  }

 private:
  Status Table(const ComparedTable* was, const ComparedTable* is, ChangeLists& lists) {
    if (was == nullptr)
      return ListRows(comparison_, *is, "main", Change::kInserted, ListOf(lists, Change::kInserted),
                      lists.bytes);
    if (is == nullptr)
      return ListRows(comparison_, *was, "base", Change::kDeleted, ListOf(lists, Change::kDeleted),
                      lists.bytes);
    if (was->columns != is->columns || was->key != is->key)
      return CompareReshaped(comparison_, *was, *is, lists);
    // With another text the same bytes may stand for other values, such as defaults.
    bool by_pages = known_ != nullptr && was->sql == is->sql && !was->locator.empty();
    if (!by_pages) return CompareEveryRow(comparison_, *is, lists);
    bool untouched =
        was->tree.root == is->tree.root && !known_->touched.roots.contains(was->tree.root);
    if (untouched) return {};
    auto rows =
        FindChangedRows({before_, was->tree}, {after_, is->tree}, *known_->map, known_->touched);
    if (!rows) return CompareEveryRow(comparison_, *is, lists);
    return CompareRows(comparison_, *is, *rows, lists);
  }

  Comparison& comparison_;
  const Pages& before_;
  const Pages& after_;
  const KnownPages* known_;
};

std::vector<std::uint32_t> RootsOf(const ComparedTables& tables) {
  std::vector<std::uint32_t> roots;
  for (const auto& [name, table] : tables) roots.push_back(table.tree.root);
  return roots;
}

}  // namespace

Result<json::value> DiffPages(Comparisons& comparisons, const Pages& before, const Pages& after) {
  if (before.image().id() != after.image().id()) return DiffEveryRow(comparisons, before, after);
  std::vector<std::uint32_t> changed = ChangedPages(before, after);
  if (changed.empty()) return DiffResult().Take();
  std::shared_ptr<const ImageTables> image;
  if (before.has_image_schema()) {
    ASSIGN_OR_RETURN(image, comparisons.TablesOf(before.image_ptr()));
  }
  std::optional<ComparedTables> tables_before;
  std::optional<ComparedTables> tables_after;
  std::optional<PageMap> map;
  KnownPages known;
  if (image != nullptr && before.changed_count() == 0) known.map = &image->map;
  if (image != nullptr && known.map == nullptr) {
    // A tree's root stays where it is for as long as the schema stays.
    if (auto read = PageMap::Read(before, RootsOf(image->tables))) {
      map = std::move(*read);
      known.map = &*map;
    }
  }
  if (known.map != nullptr) {
    known.touched = FindTouched(*known.map, changed);
    if (known.touched.roots.empty() && after.has_image_schema()) return DiffResult().Take();
  }
  ASSIGN_OR_RETURN(Comparisons::Lease comparison,
                   comparisons.Take(Comparison::Purpose::kDiff, before, after));
  if (image == nullptr) {
    ASSIGN_OR_RETURN(tables_before, ReadComparedTables(comparison->connection(), "base"));
    if (auto read = PageMap::Read(before, RootsOf(*tables_before))) {
      map = std::move(*read);
      known.map = &*map;
      known.touched = FindTouched(*known.map, changed);
    }
  }
  if (image == nullptr || !after.has_image_schema()) {
    ASSIGN_OR_RETURN(tables_after, ReadComparedTables(comparison->connection(), "main"));
  }
  Differ differ(*comparison, before, after, known.map == nullptr ? nullptr : &known);
  return differ.Compare(tables_before ? *tables_before : image->tables,
                        tables_after ? *tables_after : image->tables);
}

Result<json::value> DiffEveryRow(Comparisons& comparisons,
                                 const Pages& before,
                                 const Pages& after) {
  ASSIGN_OR_RETURN(Comparisons::Lease comparison,
                   comparisons.Take(Comparison::Purpose::kDiff, before, after));
  ASSIGN_OR_RETURN(ComparedTables tables_before,
                   ReadComparedTables(comparison->connection(), "base"));
  ASSIGN_OR_RETURN(ComparedTables tables_after,
                   ReadComparedTables(comparison->connection(), "main"));
  Differ differ(*comparison, before, after, nullptr);
  return differ.Compare(tables_before, tables_after);
}

}  // namespace viv::engine
