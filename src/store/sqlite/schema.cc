#include "store/sqlite/schema.h"

namespace viv::store {
namespace {

// The rules are decided in memory before a row is written; the constraints here are the second net.
// sandbox.account_id has no foreign key because an idle row has no holder but keeps its text empty.
constexpr std::string_view kRecords = R"sql(
CREATE TABLE organization (
  id            TEXT PRIMARY KEY NOT NULL,
  name          TEXT NOT NULL UNIQUE,
  created_at_us INTEGER NOT NULL
) STRICT;

CREATE TABLE account (
  id              TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organization (id),
  name            TEXT NOT NULL,
  created_at_us   INTEGER NOT NULL
) STRICT;

CREATE TABLE api_key (
  id            TEXT PRIMARY KEY NOT NULL,
  account_id    TEXT NOT NULL REFERENCES account (id),
  name          TEXT NOT NULL,
  hash          TEXT NOT NULL UNIQUE,
  prefix        TEXT NOT NULL,
  created_at_us INTEGER NOT NULL,
  revoked_at_us INTEGER
) STRICT;

CREATE TABLE sandbox (
  id            TEXT PRIMARY KEY NOT NULL,
  kind          TEXT NOT NULL CHECK (kind IN ('world', 'box')),
  server        TEXT NOT NULL,
  email         TEXT NOT NULL,
  state         TEXT NOT NULL CHECK (state IN ('idle', 'occupied', 'error')),
  account_id    TEXT NOT NULL,
  lease_id      TEXT NOT NULL,
  expires_at_us INTEGER,
  benchmark     TEXT NOT NULL,
  image         TEXT NOT NULL,
  tags_json     TEXT NOT NULL,
  settings_json TEXT NOT NULL,
  error         TEXT NOT NULL,
  created_at_us INTEGER NOT NULL,
  updated_at_us INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX sandbox_email ON sandbox (server, email) WHERE email <> '';
CREATE UNIQUE INDEX sandbox_lease ON sandbox (lease_id) WHERE lease_id <> '';
)sql";

constexpr std::string_view kDocuments = R"sql(
CREATE TABLE document (
  kind       TEXT NOT NULL,
  id         TEXT NOT NULL,
  account_id TEXT NOT NULL,
  body       TEXT NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
)sql";

constexpr db::Migration kMigrations[] = {
    {1, "records", kRecords},
    {2, "documents", kDocuments},
};

}  // namespace

std::span<const db::Migration> SqliteSchema() {
  return kMigrations;
}

}  // namespace viv::store
