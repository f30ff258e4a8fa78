#pragma once
// The store's schema in SQLite, as the migrations that lead to it.

#include <span>

#include "db/migrations.h"

namespace viv::store {

std::span<const db::Migration> SqliteSchema();

}  // namespace viv::store
