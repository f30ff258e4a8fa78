#pragma once
// For tests: calls of an app's tools that look like an agent's. Arguments are made from the tools'
// schemas and from values that the world has. The same seed makes the same calls.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "engine/saved_state.h"
#include "engine/world.h"

namespace viv::engine {

class RandomCalls {
 public:
  struct Call {
    const Tool* tool = nullptr;
    json::object arguments;
  };

  RandomCalls(const App& app, const Profile& profile, std::uint64_t seed)
      : app_(app), profile_(profile), state_(seed) {}

  // Takes up the values that the world has at the moment.
  void Learn(World& world) {
    known_.clear();
    any_.clear();
    auto saved = world.Save();
    const json::value* state = saved ? FindSavedState(*saved) : nullptr;
    if (state == nullptr) return;
    for (const auto& table : state->at("tables").as_object()) {
      std::string name(table.key());
      const json::array& columns = table.value().at("columns").as_array();
      const json::array& rows = table.value().at("rows").as_array();
      std::size_t stride = std::max<std::size_t>(1, rows.size() / 12);
      for (std::size_t at = 0; at < rows.size(); at += stride) {
        for (std::size_t i = 0; i < columns.size(); ++i)
          Remember(name, std::string(columns[i].as_string()), rows[at].as_array()[i]);
      }
    }
  }

  std::uint64_t Number(std::uint64_t end) {  // below `end`
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t value = state_;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return (value ^ (value >> 31)) % end;
  }

  Call Next() {
    return ForTool(*app_.tool(profile_, profile_.tools[Number(profile_.tools.size())]));
  }

  Call ForTool(const Tool& tool) {
    Call call{&tool, {}};
    json::value made = Object(tool.input_schema, 0);
    if (made.is_object()) call.arguments = std::move(made.get_object());
    return call;
  }

 private:
  using Values = std::vector<json::value>;

  static std::string Plain(std::string_view name) {
    std::string plain;
    for (char c : ToLower(name)) {
      if (c != '_' && c != '-' && c != '.') plain += c;
    }
    return plain;
  }

  void Remember(const std::string& table, const std::string& column, const json::value& value) {
    bool fit = value.is_int64() ||
               (value.is_string() && !value.get_string().empty() && value.get_string().size() < 80);
    if (!fit) return;
    known_[Plain(column)].push_back(value);
    known_[Plain(table + column)].push_back(value);
    bool names_it = column == "name" || column == "login" || column == "key" || column == "id";
    if (names_it) known_[Plain(table)].push_back(value);
    if (value.is_string()) any_.push_back(value);
  }

  const json::value& Pick(const Values& values) { return values[Number(values.size())]; }

  // A value that stands under that name somewhere in the world, of the kind that is asked for.
  json::value Known(std::string_view name, bool text) {
    std::string plain = Plain(name);
    if (plain.ends_with('s') && !known_.contains(plain)) plain.pop_back();
    for (std::string_view ending : {"", "id", "name"}) {
      auto found = known_.find(plain + std::string(ending));
      if (found == known_.end()) continue;
      for (int tries = 0; tries < 4; ++tries) {
        const json::value& value = Pick(found->second);
        if (value.is_string() == text) return value;
        if (text) return json::value(json::serialize(value));
      }
    }
    return nullptr;
  }

  json::value Text(std::string_view name) {
    std::string plain = Plain(name);
    for (std::string_view part : {"time", "date", "start", "end", "since", "until", "due"}) {
      if (plain.find(part) != plain.npos && Number(4) > 0) {
        return json::value("2025-06-" + std::to_string(10 + Number(15)) + "T1" +
                           std::to_string(Number(9)) + ":00:00Z");
      }
    }
    if (plain == "query" || plain == "sql" || plain == "statement") {
      if (json::value sql = Sql(); !sql.is_null()) return sql;
    }
    if (plain.find("email") != plain.npos && Number(2) == 0)
      return json::value("someone" + std::to_string(Number(9)) + "@example.com");
    if (json::value known = Known(name, true); !known.is_null() && Number(5) > 0) return known;
    if (!any_.empty() && Number(3) == 0) return Pick(any_);
    return json::value("text " + std::to_string(Number(1000)) + " ü \"q\"");
  }

  // For apps that take SQL: something with the tables that are there.
  json::value Sql() {
    auto tables = known_.find("guesttablename");
    if (tables == known_.end()) return nullptr;
    std::string database(Pick(known_.at("guesttabledatabase")).as_string());
    std::string schema = "\"" + database + "\".PUBLIC.";
    std::string made = schema + "MADE_" + std::to_string(Number(4));
    switch (Number(7)) {
      case 0:
        return json::value("CREATE TABLE IF NOT EXISTS " + made +
                           " (A INT, \"b c\" VARCHAR, D FLOAT)");
      case 1:
        return json::value("INSERT INTO " + made + " VALUES (" + std::to_string(Number(99)) +
                           ", 'x''y', 0.1), (NULL, NULL, 3)");
      case 2:
        return json::value("UPDATE " + made + " SET A = A + 1 WHERE D > 1");
      case 3:
        return json::value("DELETE FROM " + made + " WHERE A > 50");
      case 4:
        return json::value("DROP TABLE IF EXISTS " + made);
      case 5:
        return json::value("CREATE OR REPLACE VIEW " + schema + "SHOWN AS SELECT 1 AS ONE");
      default:
        return json::value("SELECT * FROM " + made);
    }
  }

  json::value Whole(std::string_view name, const json::object& schema) {
    if (json::value known = Known(name, false); !known.is_null() && Number(4) > 0) return known;
    std::int64_t least = 0;
    if (const json::value* minimum = schema.if_contains("minimum");
        minimum != nullptr && minimum->is_int64())
      least = minimum->get_int64();
    return least + static_cast<std::int64_t>(Number(20));
  }

  json::value Object(const json::object& schema, int depth) {
    json::object made;
    const json::value* properties = schema.if_contains("properties");
    if (properties == nullptr || !properties->is_object()) return made;
    const json::value* required = schema.if_contains("required");
    for (const auto& property : properties->get_object()) {
      bool needed = false;
      if (required != nullptr && required->is_array()) {
        for (const json::value& name : required->get_array())
          needed = needed || (name.is_string() && name.get_string() == property.key());
      }
      if (!needed && Number(depth == 0 ? 2 : 4) != 0) continue;
      made[property.key()] = Make(property.key(), property.value(), depth + 1);
    }
    return made;
  }

  json::value Make(std::string_view name, const json::value& schema_value, int depth) {
    const json::object* schema = schema_value.if_object();
    if (schema == nullptr || depth > 6) return Text(name);
    if (const json::value* one = schema->if_contains("const")) return *one;
    if (const json::value* some = schema->if_contains("enum");
        some != nullptr && some->is_array() && !some->get_array().empty())
      return some->get_array()[Number(some->get_array().size())];
    for (const char* keyword : {"anyOf", "oneOf"}) {
      if (const json::value* some = schema->if_contains(keyword);
          some != nullptr && some->is_array() && !some->get_array().empty())
        return Make(name, some->get_array()[Number(some->get_array().size())], depth + 1);
    }
    std::string type = "string";
    if (const json::value* given = schema->if_contains("type")) {
      if (given->is_string()) type = std::string(given->get_string());
      if (given->is_array() && !given->get_array().empty() && given->get_array()[0].is_string())
        type = std::string(given->get_array()[0].get_string());
    } else if (schema->contains("properties")) {
      type = "object";
    }
    if (type == "boolean") return Number(2) == 0;
    if (type == "integer" || type == "number") return Whole(name, *schema);
    if (type == "object") return Object(*schema, depth);
    if (type == "null") return nullptr;
    if (type == "array") {
      json::array list;
      const json::value* items = schema->if_contains("items");
      for (std::uint64_t i = Number(3); i > 0; --i)
        list.push_back(items == nullptr ? Text(name) : Make(name, *items, depth + 1));
      return list;
    }
    return Text(name);
  }

  const App& app_;
  const Profile& profile_;
  std::uint64_t state_;
  std::map<std::string, Values> known_;  // by plain name: of a column, a table, or both
  Values any_;
};

}  // namespace viv::engine
