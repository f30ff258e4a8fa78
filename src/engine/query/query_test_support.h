#pragma once
// For this module's tests: an in-memory database and queries compiled and run against it, so that a
// test speaks of the rows found and not of SQL.

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/query/query.h"

namespace viv::engine::query {

constexpr std::int64_t kTestNowMs = 1'741'867'200'000;  // Thursday 2025-03-13 12:00 UTC

class TestDatabase {
 public:
  explicit TestDatabase(const char* sql) {
    EXPECT_EQ(sqlite3_open(":memory:", &db_), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db_);
  }
  TestDatabase(const TestDatabase&) = delete;
  TestDatabase& operator=(const TestDatabase&) = delete;
  ~TestDatabase() { sqlite3_close(db_); }

  // The first column of each row, joined by blanks; a failure is its message.
  std::string Rows(const std::string& sql, const Parameters& parameters) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      return std::string("SQL error: ") + sqlite3_errmsg(db_) + " in " + sql.substr(0, 2000);
    }
    for (const auto& [name, value] : parameters) Bind(statement, name, value);
    std::string rows;
    int step = SQLITE_ROW;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
      if (!rows.empty()) rows += ' ';
      const unsigned char* text = sqlite3_column_text(statement, 0);
      if (text != nullptr) rows += reinterpret_cast<const char*>(text);
    }
    if (step != SQLITE_DONE) rows = std::string("SQL error: ") + sqlite3_errmsg(db_);
    sqlite3_finalize(statement);
    return rows;
  }

 private:
  void Bind(sqlite3_stmt* statement, const std::string& name, const json::value& value) {
    int index = sqlite3_bind_parameter_index(statement, name.c_str());
    EXPECT_NE(index, 0) << name << " is bound but not used";
    if (value.is_string()) {
      std::string_view text = View(value.get_string());
      sqlite3_bind_text(statement, index, text.data(), static_cast<int>(text.size()),
                        SQLITE_TRANSIENT);
    } else if (value.is_int64()) {
      sqlite3_bind_int64(statement, index, value.get_int64());
    } else if (value.is_double()) {
      sqlite3_bind_double(statement, index, value.get_double());
    }
  }

  sqlite3* db_ = nullptr;
};

inline Target MustParseTarget(std::string_view declaration) {
  auto value = ParseJson(declaration);
  EXPECT_TRUE(value) << value.error().message;
  if (!value) return {};
  auto target = ParseTarget(*value);
  EXPECT_TRUE(target) << target.error().message;
  return target ? *std::move(target) : Target{};
}

// Rows of one target, asked in one language.
class TestWorld {
 public:
  TestWorld(const char* schema, std::string_view declaration, std::string language)
      : database_(schema), target_(MustParseTarget(declaration)), language_(std::move(language)) {
    context_.now_ms = kTestNowMs;
    context_.me = "ann";
  }

  // The keys found in their order, or "error: …".
  std::string Find(const json::value& query, const json::value& sorts = nullptr) {
    auto compiled = Compile(language_, query, target_, context_, sorts);
    if (!compiled) {
      EXPECT_EQ(compiled.error().code, ErrorCode::kInvalidArgument);
      return "error: " + compiled.error().message;
    }
    for (const Check& check : compiled->checks) {
      if (database_.Rows(check.sql, check.parameters).empty()) return "error: " + check.message;
    }
    return database_.Rows(compiled->sql, compiled->parameters);
  }

  Context& context() { return context_; }
  Target& target() { return target_; }

 private:
  TestDatabase database_;
  Target target_;
  std::string language_;
  Context context_;
};

}  // namespace viv::engine::query
