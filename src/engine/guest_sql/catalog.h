#pragma once
// The catalogue of the guest's databases, schemas, tables and columns: ordinary tables of the
// world, so that seeding, snapshots, reset and diff treat them like everything else. An app that
// offers guest SQL has CatalogSchema() in its schema.sql. Names here are the guest's own; only
// `physical` names a table of ours.

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "engine/guest_sql/names.h"
#include "engine/guest_sql/types.h"

namespace viv::engine::guest_sql {

std::string_view CatalogSchema();

constexpr std::string_view kInformationSchema = "INFORMATION_SCHEMA";
constexpr int kColumnsMax = 1000;

struct Column {
  std::string name;
  std::string data_type;  // as the product spells it: NUMBER(38,0)
  bool nullable = true;
  bool primary_key = false;
  std::optional<std::string> default_value;  // SQL text of the guest
  std::optional<std::string> comment;
  std::optional<std::int64_t> identity_next;  // AUTOINCREMENT columns: the next value
  std::int64_t identity_step = 1;

  Type type() const { return TypeOfName(data_type); }
};

struct Relation {
  ObjectName name;
  bool is_view = false;
  std::string physical;    // a table's
  std::string definition;  // a view's query
  std::optional<std::string> comment;
  std::string flavour;  // "", TRANSIENT or TEMPORARY
  std::string owner;
  std::int64_t created_ms = 0;
};

struct Container {  // a database, or a schema within `database`
  std::string database;
  std::string name;
  std::optional<std::string> comment;
  std::string owner;
  std::int64_t created_ms = 0;
};

class Catalog {
 public:
  explicit Catalog(sqlite3* handle) : handle_(handle) {}

  Result<bool> HasDatabase(const std::string& name) const;
  Result<bool> HasSchema(const std::string& database,
                         const std::string& name) const;               // INFORMATION_SCHEMA too
  Result<std::optional<Relation>> Find(const ObjectName& name) const;  // fully qualified
  Result<std::vector<Column>> Columns(const ObjectName& name) const;
  Result<std::int64_t> RowCount(const Relation& table) const;

  // In the order of their names; an empty part stands for any.
  Result<std::vector<Container>> Databases() const;
  Result<std::vector<Container>> Schemas(const std::string& database) const;
  Result<std::vector<Relation>> Relations(const std::string& database,
                                          const std::string& schema) const;

  Status AddDatabase(const Container& database);
  Status AddSchema(const Container& schema);
  Status AddRelation(const Relation& relation, const std::vector<Column>& columns);
  Status ReplaceColumns(const ObjectName& name, const std::vector<Column>& columns);
  Status SetIdentity(const ObjectName& name, const std::string& column, std::int64_t next);
  Status Rename(const ObjectName& from, const ObjectName& to, const std::string& physical);
  Status SetComment(const ObjectName& name, const std::string& comment);

  Status DropDatabase(const std::string& name);  // with everything in it
  Status DropSchema(const std::string& database, const std::string& name);
  Status DropRelation(const Relation& relation);

  // Runs SQL that we wrote ourselves.
  Status Execute(const std::string& sql) const;
  Result<db::Statement> Prepare(std::string_view sql) const;
  Result<std::int64_t> NowMs() const;  // of the world's now_ms()

  sqlite3* handle() const { return handle_; }

 private:
  template <typename... Values>
  Result<db::Statement> Query(std::string_view sql, const Values&... values) const;
  template <typename... Values>
  Status Change(std::string_view sql, const Values&... values) const;

  sqlite3* handle_;
};

}  // namespace viv::engine::guest_sql
