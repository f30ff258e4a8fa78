#pragma once
// One guest statement on its way: what reads it, what it may use and what it leaves behind. The
// handlers of the kinds of statement (query, write, DDL, USE, SHOW) each take one and return the
// outcome.

#include <string>
#include <string_view>
#include <vector>

#include "engine/guest_sql/catalog.h"
#include "engine/guest_sql/cursor.h"
#include "engine/guest_sql/execute.h"
#include "engine/guest_sql/guest_sql.h"
#include "engine/guest_sql/translator.h"

namespace viv::engine::guest_sql {

class Statement {
 public:
  Statement(sqlite3* handle, const Session& session, Cursor& cursor, const Limits& limits)
      : session_(session),
        catalog_(handle),
        context_(catalog_),
        cursor_(cursor),
        budget_(limits),
        translator_(context_, session_, cursor_) {}

  Result<Outcome> Run(Access access);
  bool exhausted() const { return budget_.exhausted(); }

 private:
  struct CreateOptions {
    bool replace = false;
    bool if_not_exists = false;
    std::string flavour;
  };
  struct NewTable {
    Relation relation;
    std::vector<Column> columns;
    CreateOptions options;
    bool typed = true;  // false: the columns are names only, their types come from the query
  };

  // statement.cc
  Result<Outcome> RunQuery();
  Result<Outcome> RunExplain();
  Result<Outcome> RunWrite(std::string_view verb);
  Result<Outcome> Message(std::string_view type, std::string message);
  Result<Outcome> Listing(std::string_view type, RowSet rows);

  // use.cc
  Result<Outcome> RunUse();
  Status UseDatabase(const std::string& name);
  Status UseSchema(const ObjectName& name);

  // create.cc
  Result<Outcome> RunCreate();
  Result<Outcome> CreateDatabase(const CreateOptions& options);
  Result<Outcome> CreateSchema(const CreateOptions& options);
  Result<Outcome> CreateView(const CreateOptions& options);
  Result<std::optional<std::string>> ReadOptions();  // the COMMENT, if there is one
  Result<bool> ReadIfNotExists();
  Result<ObjectName> ReadNewName(std::string_view verb);

  // create_table.cc
  Result<Outcome> CreateTable(const CreateOptions& options);
  Result<Outcome> CreateTableLike(NewTable table, bool with_rows);
  Result<Outcome> CreateTableAs(NewTable table);
  Result<Outcome> AddTable(NewTable table, const Query* rows);
  Status CheckColumns(const std::vector<Column>& columns) const;

  // column.cc
  Status ReadColumnDefinitions(NewTable& table);
  Result<Column> ReadColumnDefinition(bool* typed);
  Result<bool> ReadTableConstraint(std::vector<Column>& columns);
  Status ReadColumnConstraints(Column& column);
  Status ReadIdentity(Column& column);
  Status SkipReferences();
  Status SkipBrackets();

  // alter.cc
  Result<Outcome> RunAlter();
  Result<Outcome> AlterTable(const Relation& table);
  Status AddColumns(const Relation& table, std::vector<Column>& columns);
  Status DropColumns(const Relation& table, std::vector<Column>& columns);
  Status RenameColumn(const Relation& table, std::vector<Column>& columns);
  Status ModifyColumns(std::vector<Column>& columns);
  Status ModifyColumn(Column& column);
  Result<Outcome> RenameTable(const Relation& table);
  Result<Outcome> RunComment();

  // drop.cc
  Result<Outcome> RunDrop();
  Result<Outcome> RunTruncate();
  Result<Outcome> DropContainer(std::string_view what, bool if_exists);
  Result<Outcome> DropRelation(std::string_view what, bool if_exists);

  // show.cc
  struct ShowFilter {
    std::string like;
    std::string starts_with;
    std::string database;
    std::string schema;
    std::string table;
    std::int64_t limit = -1;
  };
  Result<Outcome> RunShow();
  Result<Outcome> RunDescribe();
  Result<ShowFilter> ReadShowFilter();
  Status ReadShowScope(ShowFilter& filter);
  Result<RowSet> ShowDatabases();
  Result<RowSet> ShowSchemas(const ShowFilter& filter);
  Result<RowSet> ShowTables(const ShowFilter& filter, std::string_view what);
  Result<RowSet> ShowColumns(const ShowFilter& filter);
  Result<RowSet> ShowWarehouses();

  Session session_;
  Catalog catalog_;
  Context context_;
  Cursor& cursor_;
  Budget budget_;
  Translator translator_;
};

}  // namespace viv::engine::guest_sql
