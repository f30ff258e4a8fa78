#pragma once
// A database in memory with all functions, for tests that say SQL and read one value back.

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/functions/functions.h"

namespace viv::engine::functions {

class Sql {
 public:
  Sql() {
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(":memory:", &handle), SQLITE_OK);
    handle_.reset(handle);
    Status registered = RegisterFunctions(handle);
    EXPECT_TRUE(registered) << registered.error().message;
  }

  // The first column of the first row as text; "NULL"; or "error: <message>". The texts are bound
  // to the parameters ?1, ?2, …
  std::string operator()(const std::string& sql, const std::vector<std::string>& texts = {}) const {
    sqlite3_stmt* prepared = nullptr;
    sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &prepared, nullptr);
    std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(prepared,
                                                                         sqlite3_finalize);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      sqlite3_bind_text(prepared, static_cast<int>(i + 1), texts[i].data(),
                        static_cast<int>(texts[i].size()), SQLITE_TRANSIENT);
    }
    int code = prepared == nullptr ? SQLITE_ERROR : sqlite3_step(prepared);
    if (code == SQLITE_DONE) return "(no row)";
    if (code != SQLITE_ROW) return std::string("error: ") + sqlite3_errmsg(handle_.get());
    if (sqlite3_column_type(prepared, 0) == SQLITE_NULL) return "NULL";
    const void* data = sqlite3_column_blob(prepared, 0);
    auto size = static_cast<std::size_t>(sqlite3_column_bytes(prepared, 0));
    return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), size);
  }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace viv::engine::functions
