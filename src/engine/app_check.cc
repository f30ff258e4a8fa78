#include "engine/app_check.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

#include "base/text.h"
#include "engine/frame.h"
#include "engine/session.h"

namespace viv::engine {
namespace {

class Check {
 public:
  Check(Session& session, const App& app) : session_(session), app_(app) {}

  Status CheckTool(Tool& tool) {
    names_ = {"args"};
    any_name_ = false;
    writes_ = false;
    slow_ = false;
    const json::value* properties = tool.input_schema.if_contains("properties");
    if (properties != nullptr && properties->is_object()) {
      for (const auto& property : properties->get_object()) names_.insert(property.key());
    }
    RETURN_IF_ERROR(CheckSteps(tool.steps), "tool " + tool.name);
    RETURN_IF_ERROR(CheckSql(tool.result), "tool " + tool.name + ": result");
    tool.writes = writes_;
    tool.slow = slow_;
    return {};
  }

  Status CheckChild(const ModelChild& child) {
    if (!seen_.insert(child.target.get()).second) return {};
    const Collection& collection = *child.target;
    any_name_ = true;  // fields, columns of the rows above: known only while loading
    for (const auto& [key, sql] : collection.selects)
      RETURN_IF_ERROR(CheckSql(sql), "data " + child.name + ": dump");
    for (const Sql* sql : {&collection.insert, &collection.rows}) {
      if (!sql->empty()) RETURN_IF_ERROR(CheckSql(*sql), "data " + child.name);
    }
    for (const ModelField& field : collection.fields) {
      RETURN_IF_ERROR(CheckName(field.name, app_.folder + ": data " + child.name));
      if (field.implied.empty() || app_.identity.contains(field.implied)) continue;
      return Fail(ErrorCode::kInvalidArgument, app_.folder + ": data " + child.name + ": " +
                                                   field.name + ": the identity has no '" +
                                                   field.implied + "'");
    }
    RETURN_IF_ERROR(CheckSteps(collection.before), "data " + child.name);
    RETURN_IF_ERROR(CheckSteps(collection.load), "data " + child.name);
    RETURN_IF_ERROR(CheckSteps(collection.after), "data " + child.name);
    for (const ModelChild& below : collection.children) RETURN_IF_ERROR(CheckChild(below));
    return {};
  }

  Status CheckQuery(const std::string& name, const query::Target& target) {
    auto try_sql = [&](const std::string& part, const std::string& expression) -> Status {
      if (expression.empty()) return {};
      std::string sql = "SELECT (" + target.key + "), (" + expression + ") FROM " + target.from;
      RETURN_IF_ERROR(session_.connection().Prepare(sql),
                      app_.folder + "/app.yaml: query " + name + ": " + part);
      return {};
    };
    RETURN_IF_ERROR(try_sql("from, key", "1"));
    RETURN_IF_ERROR(try_sql("where", target.where));
    RETURN_IF_ERROR(try_sql("text", target.text));
    for (const auto* fields : {&target.fields, &target.properties}) {
      for (const auto& [field_name, field] : *fields) {
        for (const std::string* sql :
             {&field.sql, &field.match, &field.contains, &field.empty, &field.order}) {
          RETURN_IF_ERROR(try_sql("field " + field_name, *sql));
        }
        for (const auto& [value, condition] : field.values) {
          RETURN_IF_ERROR(try_sql("field " + field_name + ": value " + value, condition));
        }
      }
    }
    return {};
  }

 private:
  Status CheckSteps(const Steps& steps) {
    for (const Step& step : steps) {
      RETURN_IF_ERROR(CheckSql(step.sql));
      if (!step.as.empty()) {
        RETURN_IF_ERROR(CheckName(step.as, app_.folder + "/" + step.sql.location));
        names_.insert(step.as);
      }
      if (step.kind == Step::Kind::kRun) names_.insert("changes");
      if (step.kind == Step::Kind::kGuestSql) {
        slow_ = true;
        writes_ = writes_ || !step.read_only;
      }
      RETURN_IF_ERROR(CheckSteps(step.body));
      RETURN_IF_ERROR(CheckSteps(step.otherwise));
    }
    return {};
  }

  Status CheckSql(const Sql& sql) {
    auto prepared = session_.connection().Prepare(sql.text);
    if (!prepared) return PassUp(prepared.error(), app_.folder + "/" + sql.location);
    sqlite3_stmt* statement = prepared->get();
    for (int i = 1; i <= sqlite3_bind_parameter_count(statement); ++i) {
      const char* name = sqlite3_bind_parameter_name(statement, i);
      if (name == nullptr)
        return Fail(ErrorCode::kInvalidArgument,
                    app_.folder + "/" + sql.location + ": use named parameters, not ?");
      if (!IsKnown(name + 1)) {
        return Fail(ErrorCode::kInvalidArgument,
                    app_.folder + "/" + sql.location + ": " + name +
                        " is neither an argument of the tool nor a column of an earlier step");
      }
    }
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      std::string name = sqlite3_column_name(statement, i);
      RETURN_IF_ERROR(CheckName(name, app_.folder + "/" + sql.location));
      names_.insert(std::move(name));
    }
    if (sqlite3_stmt_readonly(statement) == 0) writes_ = true;
    return {};
  }

  // A step that set :me_id would otherwise look as if it changed who calls, and change nothing.
  static Status CheckName(std::string_view name, const std::string& location) {
    if (!IsReservedName(name)) return {};
    return Fail(ErrorCode::kInvalidArgument, location + ": '" + std::string(name) +
                                                 "' is a name that the engine gives a meaning; " +
                                                 "call the column something else");
  }

  bool IsKnown(const std::string& name) const {
    if (any_name_ || names_.contains(name)) return true;
    return name.starts_with("me_") && app_.identity.contains(name.substr(3));
  }

  Session& session_;
  const App& app_;
  std::set<std::string> names_;
  bool any_name_ = false;
  bool writes_ = false;
  bool slow_ = false;
  std::set<const Collection*> seen_;
};

// "schema.sql:12", where the module of a virtual table is named; the first file when it is not
// found.
std::string SchemaLocation(const App& app, const std::string& module) {
  std::vector<std::string> files = {"schema.sql"};
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(app.folder + "/schema", none))
    files.push_back("schema/" + entry.path().filename().string());
  for (const std::string& file : files) {
    std::ifstream in(app.folder + "/" + file);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      if (ToLower(line).find("using " + module) != std::string::npos)
        return file + ":" + std::to_string(number);
    }
  }
  return files.front();
}

// Of virtual tables only those that keep to their own business: FTS3 and FTS4 take their tokenizers
// from addresses that SQL can set.
Status CheckVirtualTables(Session& session, const App& app) {
  ASSIGN_OR_RETURN(
      db::Statement tables,
      session.connection().Prepare(
          "SELECT name, lower(regexp_extract(sql, '(?is)\\busing\\s+([\"\\w]+)', 1)) FROM "
          "sqlite_schema WHERE sql REGEXP '(?is)^\\s*create\\s+virtual\\s'"));
  for (;;) {
    ASSIGN_OR_RETURN(bool row, tables.Step());
    if (!row) return {};
    std::string module(tables.Text(1));
    if (module == "fts5" || module == "rtree") continue;
    return Fail(ErrorCode::kInvalidArgument,
                app.folder + "/" + SchemaLocation(app, module) + ": the table '" +
                    std::string(tables.Text(0)) + "' uses " + module +
                    "; of virtual tables an app may have fts5 and rtree");
  }
}

}  // namespace

Status CheckApp(App& app) {
  ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::OpenFile(app, ":memory:"));
  RETURN_IF_ERROR(CheckVirtualTables(*session, app));
  Check check(*session, app);
  for (const auto& [name, query] : app.queries)
    RETURN_IF_ERROR(check.CheckQuery(name, query.target));
  for (const ModelChild& child : app.model.collections) RETURN_IF_ERROR(check.CheckChild(child));
  for (auto& [profile, tools] : app.tool_sets) {
    for (auto& [name, tool] : tools) RETURN_IF_ERROR(check.CheckTool(tool));
  }
  return {};
}

}  // namespace viv::engine
