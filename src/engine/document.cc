#include "engine/document.h"

#include <set>

#include "engine/constraint.h"
#include "engine/runner.h"

namespace viv::engine {
namespace {

constexpr int kDepthMax = 32;

class Reader {
 public:
  explicit Reader(Session& session) : session_(session) {}

  Status Children(const ModelChild& child,
                  const json::object& object,
                  const Frame& parent,
                  int depth) {
    const json::value* value = FindMember(object, child.name, child.aliases);
    if (value == nullptr || value->is_null()) return {};
    if (depth > kDepthMax)
      return Fail(ErrorCode::kInvalidArgument, child.name + ": nested too deeply");
    if (child.single) return Row(child, value->as_object(), parent, 1, depth);
    std::int64_t position = 0;
    for (const json::value& item : value->as_array()) {
      RETURN_IF_ERROR(Row(child, item.as_object(), parent, ++position, depth),
                      child.name + "[" + std::to_string(position - 1) + "]");
    }
    return {};
  }

  std::int64_t records() const { return records_; }

 private:
  Status Row(const ModelChild& child,
             const json::object& object,
             const Frame& parent,
             std::int64_t position,
             int depth) {
    const Collection& collection = *child.target;
    Frame frame = parent;  // :parent_<column> of the row above
    frame.Set("position", position);
    for (const auto& [column, parent_column] : child.link) {
      const json::value* value = parent.Get("parent_" + parent_column);
      frame.Set("link_" + column, value == nullptr ? json::value() : *value);
    }
    for (const ModelField& field : collection.fields) {
      const json::value* given =
          field.read_only ? nullptr : FindMember(object, field.name, field.aliases);
      bool absent = given == nullptr || (given->is_null() && field.fallback);
      frame.Set(field.name, !absent ? *given : field.fallback.value_or(json::value()));
    }
    Frame below;
    RETURN_IF_ERROR(RunSteps(session_, collection.before, frame));
    if (collection.table.empty()) {
      RETURN_IF_ERROR(RunSteps(session_, collection.load, frame));
      CopyAllAsParent(frame, below);
    } else {
      RETURN_IF_ERROR(Insert(collection, frame, below));
    }
    ++records_;
    RETURN_IF_ERROR(RunSteps(session_, collection.after, frame));
    for (const ModelChild& grandchild : collection.children) {
      RETURN_IF_ERROR(Children(grandchild, object, below, depth + 1));
    }
    return {};
  }

  Status Insert(const Collection& collection, Frame& frame, Frame& below) {
    ASSIGN_OR_RETURN(sqlite3_stmt * statement, session_.Prepared(collection.insert));
    RETURN_IF_ERROR(BindVariables(statement, frame, session_.app()));
    int result = sqlite3_step(statement);
    if (result != SQLITE_ROW && result != SQLITE_DONE) {
      auto error = InsertError(collection, frame);
      sqlite3_reset(statement);
      return error;
    }
    if (result == SQLITE_ROW) {
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        std::string name = sqlite3_column_name(statement, i);
        json::value value = ColumnValue(statement, i);
        below.Set("parent_" + name, value);
        frame.Set("row_" + name, std::move(value));
      }
    }
    sqlite3_reset(statement);
    return {};
  }

  // A broken constraint in the words of the document: its fields, and what it says there.
  tl::unexpected<Error> InsertError(const Collection& collection, const Frame& frame) {
    std::optional<BrokenConstraint> broken = FindBrokenConstraint(session_.connection().get());
    if (broken) {
      for (ConstrainedValue& one : broken->values) {
        for (const ModelField& field : collection.fields) {
          if (field.column != one.name) continue;
          one.name = field.name;
          if (const json::value* value = frame.Get(field.name)) one.value = *value;
          break;
        }
      }
      // What the document does not say, such as whose child it is, nobody has to change.
      std::erase_if(broken->values, [](const ConstrainedValue& one) { return !one.value; });
      if (!broken->values.empty())
        return Fail(ErrorCode::kInvalidArgument, DescribeConstraint(*broken));
    }
    return StatementError(session_, collection.insert.location);
  }

  // What the steps set is what a row's columns are otherwise.
  static void CopyAllAsParent(const Frame& frame, Frame& below) {
    frame.ForEach([&](const std::string& name, const json::value& value) {
      if (!name.starts_with("parent_")) below.Set("parent_" + name, value);
    });
  }

  Session& session_;
  std::int64_t records_ = 0;
};

bool IsEmpty(const json::value& value) {
  return value.is_null() || (value.is_array() && value.get_array().empty()) ||
         (value.is_object() && value.get_object().empty());
}

class Writer {
 public:
  Writer(Session& session, DumpForm form)
      : session_(session), form_(form), sparse_(session.app().model.sparse) {}

  Result<json::value> Children(const ModelChild& child, const Frame& parent, int depth) {
    if (depth > kDepthMax) return json::value();
    const Collection& collection = *child.target;
    const Sql& sql =
        collection.table.empty() ? collection.rows : collection.selects.at(child.LinkKey());
    if (sql.empty()) return json::value();
    // A statement of its own, not the session's: recursion reads the same one at several depths.
    ASSIGN_OR_RETURN(db::Statement statement, session_.connection().Prepare(sql.text),
                     sql.location);
    RETURN_IF_ERROR(BindVariables(statement.get(), parent, session_.app()));
    json::array list;
    for (;;) {
      ASSIGN_OR_RETURN(bool row, statement.Step(), sql.location);
      if (!row) break;
      ASSIGN_OR_RETURN(json::object object, Row(collection, statement.get(), depth));
      list.push_back(std::move(object));
    }
    if (!child.single) return json::value(std::move(list));
    return list.empty() ? json::value() : std::move(list.front());
  }

  void AddMember(json::object& object, const std::string& name, json::value value) const {
    if (!sparse_ || !IsEmpty(value)) object[name] = std::move(value);
  }
  bool Skips(bool extra) const { return extra && form_ == DumpForm::kVendor; }

 private:
  Result<json::object> Row(const Collection& collection, sqlite3_stmt* statement, int depth) {
    json::object object;
    Frame below;
    int field_columns = 0;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      std::string_view name = sqlite3_column_name(statement, i);
      if (name.starts_with('=')) {
        if (field_columns++ == 0) first_field_ = i;
      } else {
        below.Set("parent_" + std::string(name), ColumnValue(statement, i));
      }
    }
    for (std::size_t i = 0; i < collection.fields.size(); ++i) {
      const ModelField& field = collection.fields[i];
      if (Skips(field.extra) && field.implied.empty()) continue;
      int column =
          field_columns > 0 ? first_field_ + static_cast<int>(i) : ColumnOf(statement, field.name);
      if (column < 0) continue;
      ASSIGN_OR_RETURN(json::value value, FieldValue(field, ColumnValue(statement, column)),
                       field.name);
      if (Skips(field.extra) && IsImplied(field, value)) continue;
      AddMember(object, field.name, std::move(value));
    }
    for (const ModelChild& child : collection.children) {
      if (Skips(child.extra)) continue;
      ASSIGN_OR_RETURN(json::value value, Children(child, below, depth + 1));
      AddMember(object, child.name, std::move(value));
    }
    return object;
  }

  bool IsImplied(const ModelField& field, const json::value& value) const {
    if (!value.is_string()) return true;
    auto found = session_.app().identity.find(field.implied);
    return found != session_.app().identity.end() && found->second == View(value.get_string());
  }

  static int ColumnOf(sqlite3_stmt* statement, const std::string& name) {
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      if (name == sqlite3_column_name(statement, i)) return i;
    }
    return -1;
  }

  // Back from a column to the field's JSON type.
  static Result<json::value> FieldValue(const ModelField& field, json::value value) {
    if (value.is_null()) return value;
    if (field.type == "boolean" && value.is_int64()) return json::value(value.get_int64() != 0);
    bool structured = field.type == "object" || field.type == "list";
    if (structured && value.is_string()) return ParseJson(View(value.get_string()));
    if (field.type == "any" && value.is_string()) {
      // Only what was structured on the way in was stored as JSON text.
      std::string_view text = View(value.get_string());
      if (text.starts_with('{') || text.starts_with('[')) {
        if (auto parsed = ParseJson(text)) return std::move(*parsed);
      }
    }
    return value;
  }

  Session& session_;
  DumpForm form_;
  bool sparse_;
  int first_field_ = 0;
};

}  // namespace

Result<LoadReport> LoadDocument(Session& session, const json::value& document) {
  LoadReport report;
  Reader reader(session);
  const json::object& object = document.as_object();
  for (const ModelChild& child : session.app().model.collections) {
    std::int64_t before = reader.records();
    RETURN_IF_ERROR(reader.Children(child, object, Frame(), 0));
    const json::value* list = FindMember(object, child.name, child.aliases);
    if (list != nullptr && list->is_array()) {
      report.by_collection[child.name] = static_cast<std::int64_t>(list->get_array().size());
    }
    report.records += reader.records() - before;
  }
  return report;
}

namespace {

std::int64_t CountRows(const ModelChild& child, const json::object& object, int depth) {
  const json::value* value = FindMember(object, child.name, child.aliases);
  if (value == nullptr || depth > kDepthMax) return 0;
  std::int64_t rows = 0;
  auto count = [&](const json::value& row) {
    if (!row.is_object()) return;
    ++rows;
    for (const ModelChild& below : child.target->children)
      rows += CountRows(below, row.get_object(), depth + 1);
  };
  if (child.single) count(*value);
  if (value->is_array()) {
    for (const json::value& row : value->get_array()) count(row);
  }
  return rows;
}

bool NamesAgain(const ModelChild& child, const json::object& base, const json::object& document) {
  const json::value* ours = FindMember(base, child.name, child.aliases);
  const json::value* theirs = FindMember(document, child.name, child.aliases);
  if (ours == nullptr || theirs == nullptr || child.target->fields.empty()) return false;
  if (child.single || !ours->is_array() || !theirs->is_array()) return false;
  const ModelField& first = child.target->fields.front();
  std::set<std::string> known;
  for (const json::value& row : ours->get_array()) {
    const json::value* name = FindMember(row.as_object(), first.name, first.aliases);
    if (name != nullptr) known.insert(json::serialize(*name));
  }
  for (const json::value& row : theirs->get_array()) {
    const json::value* name = FindMember(row.as_object(), first.name, first.aliases);
    if (name != nullptr && known.contains(json::serialize(*name))) return true;
  }
  return false;
}

}  // namespace

json::value ReplaceBaseLists(const Model& model,
                             const json::value& base,
                             const json::value& document) {
  if (!base.is_object() || !document.is_object()) return nullptr;
  const json::object& ours = base.get_object();
  bool again = false;
  json::object whole = document.get_object();
  for (const ModelChild& child : model.collections) {
    again = again || NamesAgain(child, ours, document.get_object());
    const json::value* theirs = FindMember(document.get_object(), child.name, child.aliases);
    const json::value* base_list = FindMember(ours, child.name, child.aliases);
    if ((theirs == nullptr || theirs->is_null()) && base_list != nullptr)
      whole[child.name] = *base_list;
  }
  return again ? json::value(std::move(whole)) : json::value();
}

LoadReport CountRecords(const Model& model, const json::value& document) {
  LoadReport report;
  if (!document.is_object()) return report;
  for (const ModelChild& child : model.collections) {
    const json::value* list = FindMember(document.get_object(), child.name, child.aliases);
    if (list == nullptr || list->is_null()) continue;
    if (list->is_array()) {
      report.by_collection[child.name] = static_cast<std::int64_t>(list->get_array().size());
    }
    report.records += CountRows(child, document.get_object(), 0);
  }
  return report;
}

Result<bool> HasSameRowCounts(Session& session, const LoadReport& counted) {
  for (const ModelChild& child : session.app().model.collections) {
    const Collection& collection = *child.target;
    if (child.extra || child.single || collection.table.empty()) continue;
    auto asked = counted.by_collection.find(child.name);
    std::string sql = "SELECT count(*) FROM " + collection.table + " t WHERE " +
                      (collection.where.empty() ? "1" : "(" + collection.where + ")");
    for (const auto& link : child.link) sql += " AND t." + link.first + " IS NULL";
    ASSIGN_OR_RETURN(db::Statement statement, session.connection().Prepare(sql), child.name);
    RETURN_IF_ERROR(BindVariables(statement.get(), Frame(), session.app()));
    ASSIGN_OR_RETURN(bool row, statement.Step(), child.name);
    std::int64_t wanted = asked == counted.by_collection.end() ? 0 : asked->second;
    if (!row || statement.Integer(0) != wanted) return false;
  }
  return true;
}

Result<json::value> DumpDocument(Session& session, DumpForm form) {
  Writer writer(session, form);
  json::object document;
  for (const ModelChild& child : session.app().model.collections) {
    if (writer.Skips(child.extra)) continue;
    ASSIGN_OR_RETURN(json::value list, writer.Children(child, Frame(), 0), child.name);
    writer.AddMember(document, child.name, std::move(list));
  }
  return json::value(std::move(document));
}

}  // namespace viv::engine
