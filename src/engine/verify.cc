#include "engine/verify.h"

#include <optional>
#include <string>

#include "engine/diff.h"
#include "engine/read_only_guard.h"
#include "engine/session.h"

namespace viv::engine {
namespace {

constexpr std::size_t kExpectationsMax = 1000;
constexpr std::size_t kVerifyRowsMax = 10'000;

using Reason = std::optional<std::string>;  // nothing: the expectation holds

bool Same(const json::value& a, const json::value& b) {
  if (a.is_bool() || b.is_bool()) {
    auto number = [](const json::value& v) {
      return v.is_bool() ? (v.get_bool() ? 1.0 : 0.0) : v.is_number() ? v.to_number<double>() : -1;
    };
    return number(a) == number(b) && number(a) >= 0;
  }
  if (a.is_number() && b.is_number()) return a.to_number<double>() == b.to_number<double>();
  return a == b;
}

// A value for a reason: as much of it as somebody would read.
std::string Excerpt(const json::value& value) {
  constexpr std::size_t kShownBytesMax = 10'000;
  std::string text = WriteJson(value);
  if (text.size() <= kShownBytesMax) return text;
  std::size_t end = kShownBytesMax;
  while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

class Verifier {
 public:
  Verifier(Comparisons& comparisons,
           const Pages& before,
           const Pages& after,
           const DumpFunction& dump)
      : comparisons_(comparisons), before_(before), after_(after), dump_(dump) {}

  Result<Reason> Check(const json::object& expectation) {
    if (expectation.contains("sql")) return CheckSql(expectation);
    if (expectation.contains("json")) return CheckJson(expectation);
    if (expectation.contains("diff")) return CheckDiff(expectation.at("diff"));
    if (expectation.contains("unchanged")) return CheckUnchanged(expectation.at("unchanged"));
    return Fail(ErrorCode::kInvalidArgument,
                "an expectation needs one of sql, json, diff or unchanged");
  }

 private:
  // The rows of one expectation's SQL, within its limits.
  Result<json::array> Rows(std::string_view sql, const json::value* parameters) {
    if (!comparison_) {
      ASSIGN_OR_RETURN(Comparisons::Lease taken,
                       comparisons_.Take(Comparison::Purpose::kExpectations, before_, after_));
      comparison_.emplace(std::move(taken));
    }
    db::Connection& connection = (*comparison_)->connection();
    ReadOnlyGuard guard(connection.get());
    Result<json::array> rows = ReadRows(connection, sql, parameters);
    if (const Work* work = CurrentWork(); work != nullptr && work->ended())
      return Fail(ErrorCode::kInvalidArgument, "sql: it takes too long");
    return rows;
  }

  static Result<json::array> ReadRows(db::Connection& connection,
                                      std::string_view sql,
                                      const json::value* parameters) {
    auto statement = connection.Prepare(sql);
    if (!statement) return Fail(ErrorCode::kInvalidArgument, "sql: " + statement.error().message);
    Frame frame;
    if (parameters != nullptr && parameters->is_object()) {
      for (const auto& one : parameters->get_object()) frame.Set(one.key(), one.value());
    }
    RETURN_IF_ERROR(BindVariables(statement->get(), frame, App()), "sql");
    json::array rows;
    std::size_t bytes = 0;
    for (;;) {
      auto more = statement->Step();
      if (!more) return Fail(ErrorCode::kInvalidArgument, "sql: " + more.error().message);
      if (!*more) return rows;
      if (rows.size() == kVerifyRowsMax)
        return Fail(ErrorCode::kInvalidArgument, "sql: more than 10000 rows");
      json::array row;
      for (int i = 0; i < sqlite3_column_count(statement->get()); ++i) {
        row.push_back(ColumnValue(statement->get(), i));
        bytes += 16 + static_cast<std::size_t>(sqlite3_column_bytes(statement->get(), i));
        if (bytes > kResultBytesMax)
          return Fail(ErrorCode::kInvalidArgument, "sql: more than 32 MiB");
      }
      rows.push_back(std::move(row));
    }
  }

  Result<Reason> CheckSql(const json::object& expectation) {
    if (!expectation.at("sql").is_string())
      return Fail(ErrorCode::kInvalidArgument, "sql: text is expected");
    ASSIGN_OR_RETURN(json::array rows, Rows(View(expectation.at("sql").get_string()),
                                            expectation.if_contains("params")));
    if (const json::value* expected = expectation.if_contains("rows")) {
      if (json::value(rows) == *expected) return Reason();
      return Reason("expected rows " + Excerpt(*expected) + ", got " + Excerpt(rows));
    }
    json::value first;
    if (!rows.empty() && !rows[0].get_array().empty()) first = rows[0].get_array()[0];
    return Compare(expectation, first, !rows.empty());
  }

  Result<Reason> CheckJson(const json::object& expectation) {
    if (!expectation.at("json").is_string())
      return Fail(ErrorCode::kInvalidArgument, "json: a path such as $.channels[0] is expected");
    ASSIGN_OR_RETURN(const json::value* document, DocumentText());
    json::object parameters{{"document", *document}, {"path", expectation.at("json")}};
    json::value bound(std::move(parameters));
    ASSIGN_OR_RETURN(
        json::array rows,
        Rows("SELECT json_extract(:document, :path), json_type(:document, :path)", &bound));
    const json::array& row = rows[0].get_array();
    json::value value = row[0];
    bool structured = row[1] == "array" || row[1] == "object";
    if (structured) {
      ASSIGN_OR_RETURN(value, ParseJson(View(value.as_string()), 512));
    }
    if (row[1] == "true" || row[1] == "false") value = row[1] == "true";
    return Compare(expectation, value, !row[1].is_null());
  }

  static Result<Reason> Compare(const json::object& expectation,
                                const json::value& value,
                                bool exists) {
    if (const json::value* expected = expectation.if_contains("exists")) {
      if (!expected->is_bool())
        return Fail(ErrorCode::kInvalidArgument, "exists: true or false is expected");
      if (expected->get_bool() == exists) return Reason();
      return Reason(exists ? "it exists" : "it does not exist");
    }
    if (const json::value* expected = expectation.if_contains("contains")) {
      bool in_text =
          value.is_string() && expected->is_string() &&
          View(value.get_string()).find(View(expected->get_string())) != std::string_view::npos;
      bool in_list = false;
      if (const json::array* list = value.if_array()) {
        for (const json::value& item : *list) in_list = in_list || Same(item, *expected);
      }
      if (in_text || in_list) return Reason();
      return Reason(Excerpt(value) + " does not contain " + Excerpt(*expected));
    }
    const json::value* expected = expectation.if_contains("equals");
    if (expected == nullptr)
      return Fail(ErrorCode::kInvalidArgument,
                  "an expectation needs equals, rows, exists or contains");
    if (Same(value, *expected)) return Reason();
    return Reason("expected " + Excerpt(*expected) + ", got " + Excerpt(value));
  }

  // Dumped by the first expectation that asks for it.
  Result<const json::value*> DocumentText() {
    if (!document_text_) {
      ASSIGN_OR_RETURN(json::value document, dump_());
      document_text_ = json::value(WriteJson(document));
    }
    return &*document_text_;
  }

  // Compared by the first expectation that asks for it.
  Result<const json::value*> ChangedTables() {
    if (!diff_) {
      ASSIGN_OR_RETURN(diff_, DiffPages(comparisons_, before_, after_));
    }
    return &diff_->at("tables");
  }

  static std::int64_t Count(const json::value& tables,
                            std::string_view table,
                            std::string_view kind) {
    const json::value* changes = Find(tables, table);
    return changes == nullptr ? 0 : static_cast<std::int64_t>(changes->at(kind).as_array().size());
  }

  Result<Reason> CheckDiff(const json::value& diff) {
    std::string_view table = FindString(diff, "table");
    if (table.empty()) return Fail(ErrorCode::kInvalidArgument, "diff: a table is expected");
    ASSIGN_OR_RETURN(const json::value* tables, ChangedTables());
    for (std::string_view kind : {"inserted", "updated", "deleted"}) {
      const json::value* expected = Find(diff, kind);
      if (expected == nullptr) continue;
      if (!expected->is_int64())
        return Fail(ErrorCode::kInvalidArgument, "diff: counts are whole numbers");
      std::int64_t count = Count(*tables, table, kind);
      if (count == expected->get_int64()) continue;
      return Reason(std::string(table) + ": expected " + std::to_string(expected->get_int64()) +
                    " " + std::string(kind) + ", got " + std::to_string(count));
    }
    return Reason();
  }

  Result<Reason> CheckUnchanged(const json::value& tables) {
    if (!tables.is_array())
      return Fail(ErrorCode::kInvalidArgument, "unchanged: a list of tables is expected");
    ASSIGN_OR_RETURN(const json::value* changed, ChangedTables());
    for (const json::value& table : tables.get_array()) {
      if (!table.is_string())
        return Fail(ErrorCode::kInvalidArgument, "unchanged: a list of tables is expected");
      if (Find(*changed, View(table.get_string())) != nullptr) {
        return Reason(std::string(table.get_string()) + " has changed");
      }
    }
    return Reason();
  }

  Comparisons& comparisons_;
  const Pages& before_;
  const Pages& after_;
  const DumpFunction& dump_;
  std::optional<Comparisons::Lease> comparison_;
  std::optional<json::value> diff_;
  std::optional<json::value> document_text_;
};

}  // namespace

Result<json::value> VerifyPages(Comparisons& comparisons,
                                const Pages& before,
                                const Pages& after,
                                const DumpFunction& dump,
                                const json::array& expectations) {
  if (expectations.size() > kExpectationsMax)
    return Fail(ErrorCode::kInvalidArgument, "at most 1000 expectations at once");
  Work work(kReadOnlyLimits);
  WorkScope scope(work);
  Verifier verifier(comparisons, before, after, dump);
  json::array results;
  bool passed = true;
  for (std::size_t i = 0; i < expectations.size(); ++i) {
    std::string location = "expectations[" + std::to_string(i) + "]";
    const json::object* expectation = expectations[i].if_object();
    if (expectation == nullptr)
      return Fail(ErrorCode::kInvalidArgument, location + ": an object is expected");
    auto reason = verifier.Check(*expectation);
    if (!reason) return PassUp(reason.error(), location);
    const json::value* name = expectation->if_contains("name");
    results.push_back({{"name", name == nullptr ? json::value(location) : *name},
                       {"passed", !reason->has_value()},
                       {"reason", reason->has_value() ? json::value(**reason) : json::value()}});
    passed = passed && !reason->has_value();
  }
  return json::value{{"passed", passed}, {"results", std::move(results)}};
}

}  // namespace viv::engine
