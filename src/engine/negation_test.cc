// In every query language, over every field of every app: a condition and its negation share out
// the rows between them. Values come from the apps' own seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/ids.h"
#include "engine/catalogue.h"
#include "engine/pages.h"

namespace viv::engine {
namespace {

constexpr std::size_t kTriesMax = 60;  // values of one field
constexpr std::size_t kHitsMax = 2;    // of them that find something

using RowKeys = std::vector<std::string>;

// A condition and the ways to say its opposite.
struct Opposites {
  json::value positive;
  std::vector<json::value> negatives;
};

// One target of one app, on one of its seeds.
class NegationWorld {
 public:
  NegationWorld(const LoadedAppPtr& loaded, const Profile& profile, const QueryTarget& query)
      : app_(*loaded->app),
        query_(query),
        pages_(loaded->ImageOf(profile)),
        session_(loaded->sessions->Take(pages_)) {
    query_.target.where.clear();  // what a tool says of every row is no condition of the agent's
  }

  bool ok() const { return session_.has_value(); }
  const QueryTarget& query() const { return query_; }

  std::vector<std::string> Column(const std::string& sql) {
    std::vector<std::string> values;
    auto statement = (*session_)->connection().Prepare(sql);
    EXPECT_TRUE(statement) << sql;
    if (!statement) return values;
    Bind(statement->get(), {});
    while (sqlite3_step(statement->get()) == SQLITE_ROW) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement->get(), 0));
      if (text != nullptr) values.emplace_back(text);
    }
    return values;
  }

  // The rows found, sorted; an error when the language refuses the query.
  Result<RowKeys> Find(const json::value& asked) {
    query::Context context;
    context.now_ms = app_.clock_start_ms;
    if (auto me = app_.identity.find("id"); me != app_.identity.end()) context.me = me->second;
    ASSIGN_OR_RETURN(query::Compiled compiled,
                     query::Compile(query_.language, asked, query_.target, context));
    for (const query::Check& check : compiled.checks) {
      ASSIGN_OR_RETURN(RowKeys found, Run(check.sql, check.parameters));
      if (found.empty()) return Fail(ErrorCode::kInvalidArgument, check.message);
    }
    return Run(compiled.sql, compiled.parameters);
  }

  // A few short texts of every column of every table, and what stands for numbers and times.
  std::vector<std::string> Pool() {
    std::vector<std::string> pool = {"0",   "1",    "3",      ">2",         "5..50",
                                     "10K", "7d",   "-30d",   "2025-01-01", "2025-06-02",
                                     "me",  "true", "no such"};
    for (const std::string& table :
         Column("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' "
                "AND sql NOT LIKE 'CREATE VIRTUAL%'")) {
      for (const std::string& column :
           Column("SELECT name FROM pragma_table_info('" + table + "')")) {
        std::string name = "\"" + column + "\"";
        for (std::string& value :
             Column("SELECT DISTINCT " + name + " FROM \"" + table + "\" WHERE typeof(" + name +
                    ") = 'text' AND length(" + name + ") BETWEEN 1 AND 40 AND " + name +
                    " NOT GLOB '*[\"\\]*' LIMIT 2")) {
          pool.push_back(std::move(value));
        }
      }
    }
    return pool;
  }

 private:
  Result<RowKeys> Run(const std::string& sql, const query::Parameters& parameters) {
    ASSIGN_OR_RETURN(db::Statement statement, (*session_)->connection().Prepare(sql));
    Bind(statement.get(), parameters);
    RowKeys keys;
    for (;;) {
      ASSIGN_OR_RETURN(bool row, statement.Step(), sql);
      if (!row) break;
      keys.emplace_back(statement.Text(0));
    }
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  void Bind(sqlite3_stmt* statement, const query::Parameters& parameters) {
    for (const auto& [name, value] : app_.identity) {
      int index = sqlite3_bind_parameter_index(statement, (":me_" + name).c_str());
      if (index > 0) sqlite3_bind_text(statement, index, value.c_str(), -1, SQLITE_TRANSIENT);
    }
    for (const auto& [name, value] : parameters) {
      int index = sqlite3_bind_parameter_index(statement, name.c_str());
      if (value.is_int64()) sqlite3_bind_int64(statement, index, value.get_int64());
      if (value.is_double()) sqlite3_bind_double(statement, index, value.get_double());
      if (value.is_string()) {
        std::string text(value.get_string());
        sqlite3_bind_text(statement, index, text.c_str(), -1, SQLITE_TRANSIENT);
      }
    }
  }

  const App& app_;
  QueryTarget query_;
  Pages pages_;
  Result<Sessions::Lease> session_;
};

std::string Quoted(const std::string& text) {
  return "\"" + text + "\"";
}

std::vector<Opposites> JqlOpposites(const std::string& name, const std::string& text, bool named) {
  std::string field = Quoted(name);
  std::string value = named ? text : Quoted(text);
  auto either = [&](const std::string& op, const std::string& opposite, const std::string& right) {
    std::string positive = field + " " + op + " " + right;
    Opposites made{json::value(positive), {json::value("NOT (" + positive + ")")}};
    made.negatives.emplace_back("NOT " + positive);
    made.negatives.emplace_back("NOT (" + positive + " OR (" + positive + "))");
    if (!opposite.empty()) made.negatives.emplace_back(field + " " + opposite + " " + right);
    return made;
  };
  return {either("=", "!=", value),
          either("in", "not in", "(" + value + ")"),
          either("in", "not in", "(" + value + ", EMPTY)"),
          either("was", "was not", value),
          either("was in", "was not in", "(" + value + ")"),
          either("~", "!~", value),
          either("<", "", value),
          either(">=", "", value),
          either("is", "is not", "EMPTY")};
}

std::vector<Opposites> TermOpposites(const std::string& name, const std::string& text) {
  std::vector<Opposites> all;
  for (const std::string& value : {text, Quoted(text)}) {
    if (value == text && text.find_first_of(" (){}") != std::string::npos) continue;
    std::string positive = name.empty() ? value : name + ":" + value;
    if (name.empty() && (value[0] == '-' || value.find(':') != std::string::npos)) continue;
    all.push_back({json::value(positive),
                   {json::value("-" + positive), json::value("NOT " + positive),
                    json::value("-(" + positive + ")")}});
  }
  return all;
}

std::vector<Opposites> FilterOpposites(const std::string& property,
                                       std::string_view key,
                                       const std::string& type,
                                       const json::value& value) {
  auto filter = [&](std::string_view condition, const json::value& operand) {
    return json::value{{std::string(key), property}, {type, {{std::string(condition), operand}}}};
  };
  return {{filter("equals", value), {filter("does_not_equal", value)}},
          {filter("contains", value), {filter("does_not_contain", value)}},
          {filter("is_empty", true), {filter("is_not_empty", true)}}};
}

class NegationTest : public testing::Test {
 protected:
  NegationTest() : data_(std::filesystem::temp_directory_path() / ("viv-test-" + RandomHex(12))) {}
  ~NegationTest() override { std::filesystem::remove_all(data_); }

  // How many rows the condition found; -1 when the language refuses it.
  std::int64_t Check(NegationWorld& world, const Opposites& one) {
    auto found = world.Find(one.positive);
    if (!found) return -1;
    for (const json::value& negative : one.negatives) {
      auto rest = world.Find(negative);
      EXPECT_TRUE(rest) << json::serialize(negative) << ": " << rest.error().message;
      if (!rest) continue;
      RowKeys both;
      std::merge(found->begin(), found->end(), rest->begin(), rest->end(),
                 std::back_inserter(both));
      EXPECT_EQ(both.size(), all_.size()) << json::serialize(negative);
      EXPECT_TRUE(both == all_) << json::serialize(negative);
      ++checked_;
      if (!found->empty() && !rest->empty()) ++divided_;
    }
    return static_cast<std::int64_t>(found->size());
  }

  bool CheckAll(NegationWorld& world, const std::vector<Opposites>& list) {
    bool hit = false;
    for (const Opposites& one : list) hit = Check(world, one) > 0 || hit;
    return hit;
  }

  void CheckTextField(NegationWorld& world,
                      const std::string& name,
                      const query::Field& field,
                      const std::vector<std::string>& pool) {
    SCOPED_TRACE(name);
    if (name.find('+') != name.npos) return;  // cannot be written as a key: for sorting only
    bool jql = world.query().language == "jql";
    auto opposites = [&](const std::string& value, bool named) {
      return jql ? JqlOpposites(name, value, named) : TermOpposites(name, value);
    };
    for (const auto& named : field.values) CheckAll(world, opposites(named.first, true));
    if (!field.sql.empty()) {
      for (std::string& value : world.Column("SELECT DISTINCT " + field.sql + " FROM " +
                                             world.query().target.from + " LIMIT 3")) {
        if (!value.empty() && value.size() < 200 && value.find_first_of("\"\\\n") == value.npos)
          CheckAll(world, opposites(value, false));
      }
    }
    std::size_t hits = 0;
    for (std::size_t i = 0; i < pool.size() && i < kTriesMax && hits < kHitsMax; ++i) {
      if (CheckAll(world, opposites(pool[i], false))) ++hits;
    }
  }

  void CheckFilters(NegationWorld& world, const std::vector<std::string>& pool) {
    const query::Target& target = world.query().target;
    std::vector<json::value> values = {json::value(1), json::value(3.5), json::value(true),
                                       json::value(false)};
    for (std::size_t i = 0; i < pool.size() && i < kTriesMax; i += 9) values.emplace_back(pool[i]);
    for (const std::string& property :
         world.Column("SELECT DISTINCT name FROM property ORDER BY name LIMIT 12")) {
      for (const char* type : {"title", "rich_text", "select", "status", "number", "checkbox",
                               "date", "multi_select", "people", "relation"}) {
        for (const json::value& value : values)
          CheckAll(world, FilterOpposites(property, "property", type, value));
      }
    }
    for (const auto& field : target.fields) {
      for (const json::value& value : values)
        CheckAll(world, FilterOpposites(field.first, "timestamp", field.first, value));
    }
  }

  void CheckTarget(NegationWorld& world) {
    checked_ = divided_ = 0;
    std::vector<std::string> pool = world.Pool();
    if (world.query().language == "filter_json") {
      CheckFilters(world, pool);
    } else {
      for (const auto& [name, field] : world.query().target.fields)
        CheckTextField(world, name, field, pool);
      if (world.query().language == "terms" && !world.query().target.text.empty()) {
        for (std::size_t i = 0; i < pool.size(); i += 23)
          CheckAll(world, TermOpposites("", pool[i]));
      }
    }
    EXPECT_GT(checked_, 20u);
    EXPECT_GT(divided_, 5u);  // conditions that hold for some rows only
  }

  std::filesystem::path data_;
  RowKeys all_;
  std::size_t checked_ = 0;
  std::size_t divided_ = 0;
};

TEST_F(NegationTest, AConditionAndItsNegationPartitionTheRowsOfEveryApp) {
  Catalogue catalogue({{VIV_SOURCE_DIR "/apps"}, data_});
  for (const auto& load_error : catalogue.Refresh()) ADD_FAILURE() << load_error.message;
  std::size_t targets = 0;
  for (const LoadedAppPtr& loaded : catalogue.List()) {
    for (const auto& [name, query] : loaded->app->queries) {
      SCOPED_TRACE(loaded->app->name + " " + name);
      for (const Profile& profile : loaded->app->profiles) {
        NegationWorld world(loaded, profile, query);
        ASSERT_TRUE(world.ok());
        auto all = world.Find(nullptr);
        ASSERT_TRUE(all) << all.error().message;
        if (all->empty()) continue;
        all_ = *all;
        CheckTarget(world);
        ++targets;
        break;
      }
    }
  }
  EXPECT_GE(targets, 9u);
}

}  // namespace
}  // namespace viv::engine
