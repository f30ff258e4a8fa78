#pragma once
// The definition of a simulated application, as its folder declares it: schema, tools as lists of
// SQL steps, the mapping between tables and the initialize/dump document, profiles. Plain immutable
// data; loading is app_loader.h, running is runner.h.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "engine/query/query.h"

namespace viv::engine {

// One SQL statement of an app. `slot` numbers the statements of an app, so that a session keeps
// each prepared at its place.
struct Sql {
  std::string text;
  std::string location;  // "tools/messages.yaml:12", for errors
  std::size_t slot = 0;
  bool empty() const { return text.empty(); }
};

struct Step;
using Steps = std::vector<Step>;

struct Step {
  enum class Kind {
    kRequire,  // fails with `error` unless the statement gives a row; its columns become variables
    kRefuse,   // fails with `error` if the statement gives a row
    kFail,  // fails with the text in the first row's first column, if there is one that is not NULL
    kLet,   // the first row's columns become variables (NULL without a row)
    kRun,   // runs to its end; the last RETURNING row's columns become variables, :changes too
    kEach,  // `body` for each row, with the row's columns as variables
    kWhen,  // `body` if the expression is true, else `otherwise`
    kQuery,  // compiles a text of a query language; the keys found, in order, become the JSON array
             // variable `as`
    kGuestSql,  // runs the guest's own SQL; the outcome becomes the JSON object variable `as`
    kProgress,  // tells a client that asked for it how far the call is: columns progress, total,
                // message
    kLog,       // sends the client a log message: columns level, data
  };
  Kind kind = Kind::kRun;
  Sql sql;            // kQuery: gives text (and sorts); kGuestSql: gives text, database, schema
  std::string error;  // "{name}" stands for a variable
  Steps body;
  Steps otherwise;
  std::string as;
  std::string target;     // kQuery: name of one of the app's queries
  bool read_only = true;  // kGuestSql
};

struct Tool {
  std::string name;
  std::string description;
  json::object input_schema;
  std::optional<json::object> output_schema;
  json::object annotations;
  Steps steps;
  Sql result;
  enum class Form {
    kJson,     // one JSON value
    kText,     // plain text
    kContent,  // a JSON array of MCP content items: text, images, audio, resources
  };
  Form form = Form::kJson;
  bool writes = true;  // false: nothing in it can change the world
  bool slow = false;   // runs the guest's own SQL, for who knows how long
  bool loose = false;  // the schema is shown but not enforced, nor are its defaults, as the real
                       // server has it
};

// One field of a collection: its JSON side, its column, and how to get from one to the other.
struct ModelField {
  std::string name;
  std::string column;           // empty: no column of its own (used by expressions only)
  std::string type = "string";  // string integer number boolean object list any, or email
  std::string item_type;        // of a list: as above, or empty for any
  bool required = false;
  bool nullable = true;
  bool extra = false;  // ours beyond the vendor's model: accepted, dumped only on request
  // What leaving out an extra field means: an identity's name. A value that differs is dumped in
  // the vendor's form as well, since the document would mean something else without it.
  std::string implied;
  bool read_only = false;  // ignored on input, present in dumps
  std::optional<json::value> fallback;
  std::vector<std::string> aliases;  // older names, accepted on input
  std::vector<std::string> choices;
  std::optional<std::int64_t> length_max;
  std::optional<double> minimum;
  std::optional<double> maximum;
  std::string load;  // SQL expression for the column over the fields' values; default :name
  std::string dump;  // SQL expression over the table's columns; default the column
};

struct Collection;

struct ModelChild {
  std::string name;  // of the JSON member
  std::vector<std::string> aliases;
  bool single = false;  // an object, not a list
  bool required = false;
  bool extra = false;
  std::map<std::string, std::string> link;  // this collection's column → the parent's column
  std::shared_ptr<Collection> target;       // borrowed from where `like` names it

  std::string LinkKey() const;  // tells the ways of reaching a collection apart
};

// One list of the document and the table behind it.
struct Collection {
  std::string table;
  std::vector<ModelField> fields;
  std::map<std::string, std::string> set;  // column → SQL expression, computed on input
  std::string where;                       // which rows are dumped
  std::string order = "rowid";
  Steps load;                          // instead of an INSERT, when there is no table
  Steps before;                        // before each row is in
  Steps after;                         // after it
  std::set<std::string> link_columns;  // of every way of reaching it
  Sql insert;                          // generated
  std::map<std::string, Sql> selects;  // generated; by the links of the child that asks
  Sql rows;                            // instead of a SELECT, when there is no table
  std::vector<ModelChild> children;
};

struct Model {
  bool sparse = false;  // dumps leave out empty members
  std::vector<ModelChild> collections;
  bool empty() const { return collections.empty(); }
};

struct QueryTarget {
  std::string language;
  query::Target target;
};

enum class ClockMode { kTick, kFrozen, kReal };

struct Profile {
  std::string name;                // "default", "MCP_Atlas", …
  std::vector<std::string> tools;  // in listing order
  std::string seed;                // file, relative to the folder; empty: nothing but the base data
  ClockMode clock = ClockMode::kTick;  // how a world's clock goes until somebody sets it
  std::vector<std::string> listing;    // each tool as tools/list shows it, serialized
};

struct App {
  std::string name;
  std::string title;
  std::string description;
  std::string instructions;
  std::vector<std::string> aliases;
  std::string folder;
  std::string digest;  // of every file in the folder
  std::string schema_sql;
  std::string base_seed;  // file with what every image has
  std::string error_prefix;
  std::int64_t clock_start_ms = 0;
  std::int64_t tick_ms = 1000;  // how far a changing call moves the world's clock
  std::string time_zone = "UTC";
  std::map<std::string, std::string> identity;  // :me_<name> in every statement
  json::value auth_data;
  json::value metadata;
  std::map<std::string, std::map<std::string, Tool>> tool_sets;  // by profile, then name
  std::vector<Profile> profiles;
  std::map<std::string, QueryTarget> queries;
  Model model;
  std::size_t statement_count = 0;

  // The profile of that name, or the default one: a benchmark that says nothing about an app leaves
  // it as it is.
  const Profile& profile(std::string_view profile_name) const;
  const Tool* tool(const Profile& profile, std::string_view tool_name) const;
};

}  // namespace viv::engine
