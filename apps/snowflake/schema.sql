-- The catalogue of the guest's databases, schemas, tables and columns: CatalogSchema() of src/engine/guest_sql/catalog.cc, word for
-- word. The guest's own tables are made beside these, under the names in guest_table.physical.
CREATE TABLE guest_database (
  name TEXT PRIMARY KEY, comment TEXT, owner TEXT NOT NULL DEFAULT 'ACCOUNTADMIN', created_ms INTEGER NOT NULL);
CREATE TABLE guest_schema (
  database TEXT NOT NULL, name TEXT NOT NULL, comment TEXT, owner TEXT NOT NULL DEFAULT 'ACCOUNTADMIN',
  created_ms INTEGER NOT NULL, PRIMARY KEY (database, name));
CREATE TABLE guest_table (
  database TEXT NOT NULL, schema TEXT NOT NULL, name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('TABLE', 'VIEW')), flavour TEXT NOT NULL DEFAULT '',
  physical TEXT NOT NULL DEFAULT '', definition TEXT NOT NULL DEFAULT '', comment TEXT,
  owner TEXT NOT NULL DEFAULT 'ACCOUNTADMIN', created_ms INTEGER NOT NULL, PRIMARY KEY (database, schema, name));
CREATE TABLE guest_column (
  database TEXT NOT NULL, schema TEXT NOT NULL, table_name TEXT NOT NULL, position INTEGER NOT NULL,
  name TEXT NOT NULL, data_type TEXT NOT NULL, nullable INTEGER NOT NULL DEFAULT 1,
  primary_key INTEGER NOT NULL DEFAULT 0, default_value TEXT, comment TEXT, identity_next INTEGER,
  identity_step INTEGER NOT NULL DEFAULT 1, PRIMARY KEY (database, schema, table_name, position));
CREATE TABLE guest_warehouse (
  name TEXT PRIMARY KEY, size TEXT NOT NULL DEFAULT 'X-Small', state TEXT NOT NULL DEFAULT 'STARTED', comment TEXT,
  owner TEXT NOT NULL DEFAULT 'ACCOUNTADMIN', created_ms INTEGER NOT NULL);

-- What the account's own tools know of a warehouse beyond that.
ALTER TABLE guest_warehouse ADD COLUMN type TEXT NOT NULL DEFAULT 'STANDARD';
ALTER TABLE guest_warehouse ADD COLUMN auto_suspend INTEGER NOT NULL DEFAULT 600 CHECK (auto_suspend >= 0);
ALTER TABLE guest_warehouse ADD COLUMN auto_resume INTEGER NOT NULL DEFAULT 1;
ALTER TABLE guest_warehouse ADD COLUMN min_cluster_count INTEGER NOT NULL DEFAULT 1 CHECK (min_cluster_count BETWEEN 1 AND 10);
ALTER TABLE guest_warehouse ADD COLUMN max_cluster_count INTEGER NOT NULL DEFAULT 1 CHECK (max_cluster_count BETWEEN 1 AND 10);
ALTER TABLE guest_warehouse ADD COLUMN scaling_policy TEXT NOT NULL DEFAULT 'STANDARD' CHECK (scaling_policy IN ('STANDARD', 'ECONOMY'));
ALTER TABLE guest_warehouse ADD COLUMN resumed_ms INTEGER;
ALTER TABLE guest_warehouse ADD COLUMN updated_ms INTEGER;

-- What initialize wrote, where the catalogue has it otherwise, so that a dump gives it back: orders is ORDERS in the catalogue, INT is
-- NUMBER(38,0), and the default pending is 'pending'. A stored type or default that has changed since makes the given one void.
CREATE TABLE given_name (
  database TEXT NOT NULL, schema TEXT NOT NULL DEFAULT '', table_name TEXT NOT NULL DEFAULT '', given TEXT NOT NULL,
  PRIMARY KEY (database, schema, table_name)) WITHOUT ROWID;
CREATE TABLE given_column (
  database TEXT NOT NULL, schema TEXT NOT NULL, table_name TEXT NOT NULL, column_name TEXT NOT NULL, given TEXT NOT NULL,
  stored_type TEXT NOT NULL, given_type TEXT NOT NULL, stored_default TEXT, given_default TEXT,
  PRIMARY KEY (database, schema, table_name, column_name)) WITHOUT ROWID;

CREATE TABLE account (  -- one row: the account and the connection's defaults
  id INTEGER PRIMARY KEY CHECK (id = 1), locator TEXT NOT NULL, name TEXT NOT NULL, organization TEXT NOT NULL, region TEXT NOT NULL,
  cloud TEXT NOT NULL, edition TEXT NOT NULL, version TEXT NOT NULL,
  user TEXT NOT NULL, role TEXT NOT NULL, warehouse TEXT, database TEXT, schema TEXT);

CREATE TABLE user (
  name TEXT PRIMARY KEY, login_name TEXT NOT NULL, display_name TEXT NOT NULL, first_name TEXT, last_name TEXT, email TEXT, comment TEXT,
  type TEXT NOT NULL DEFAULT 'PERSON' CHECK (type IN ('PERSON', 'SERVICE')), disabled INTEGER NOT NULL DEFAULT 0,
  default_warehouse TEXT, default_role TEXT, default_namespace TEXT, owner TEXT NOT NULL DEFAULT 'USERADMIN',
  created_ms INTEGER NOT NULL, last_login_ms INTEGER);

CREATE TABLE role (
  name TEXT PRIMARY KEY, comment TEXT, owner TEXT NOT NULL DEFAULT 'USERADMIN', created_ms INTEGER NOT NULL);

CREATE TABLE role_member (  -- a role that a user or another role has
  role TEXT NOT NULL REFERENCES role (name), member_kind TEXT NOT NULL CHECK (member_kind IN ('USER', 'ROLE')), member TEXT NOT NULL,
  created_ms INTEGER NOT NULL, PRIMARY KEY (role, member_kind, member)) WITHOUT ROWID;
CREATE INDEX role_member_by_member ON role_member (member_kind, member);

CREATE TABLE privilege (  -- granted to a role on an object: database, DATABASE.SCHEMA, DATABASE.SCHEMA.TABLE, warehouse, account
  role TEXT NOT NULL REFERENCES role (name), privilege TEXT NOT NULL, granted_on TEXT NOT NULL, object TEXT NOT NULL,
  grant_option INTEGER NOT NULL DEFAULT 0, granted_by TEXT NOT NULL DEFAULT 'SECURITYADMIN', created_ms INTEGER NOT NULL,
  PRIMARY KEY (role, granted_on, object, privilege)) WITHOUT ROWID;

-- Everything a role has: what was granted and still exists, what it owns, and the roles it was given.
CREATE VIEW role_grant AS
  SELECT p.role, p.privilege, p.granted_on, p.object, p.grant_option, p.granted_by, p.created_ms
  FROM privilege p
  WHERE CASE p.granted_on
    WHEN 'DATABASE' THEN EXISTS (SELECT 1 FROM guest_database d WHERE d.name = p.object)
    WHEN 'SCHEMA' THEN EXISTS (SELECT 1 FROM guest_schema s WHERE s.database || '.' || s.name = p.object)
    WHEN 'WAREHOUSE' THEN EXISTS (SELECT 1 FROM guest_warehouse w WHERE w.name = p.object)
    WHEN 'ACCOUNT' THEN 1
    ELSE EXISTS (SELECT 1 FROM guest_table t WHERE t.database || '.' || t.schema || '.' || t.name = p.object) END
  UNION ALL SELECT owner, 'OWNERSHIP', 'DATABASE', name, 1, owner, created_ms FROM guest_database
  UNION ALL SELECT owner, 'OWNERSHIP', 'SCHEMA', database || '.' || name, 1, owner, created_ms FROM guest_schema
  UNION ALL SELECT owner, 'OWNERSHIP', kind, database || '.' || schema || '.' || name, 1, owner, created_ms FROM guest_table
  UNION ALL SELECT owner, 'OWNERSHIP', 'WAREHOUSE', name, 1, owner, created_ms FROM guest_warehouse
  UNION ALL SELECT owner, 'OWNERSHIP', 'ROLE', name, 1, owner, created_ms FROM role WHERE owner <> ''
  UNION ALL SELECT member, 'USAGE', 'ROLE', role, 0, 'SECURITYADMIN', created_ms FROM role_member WHERE member_kind = 'ROLE';

-- Which statements ran is bookkeeping: reading adds to it, and no diff shows it.
CREATE TABLE _query_history (
  id INTEGER PRIMARY KEY, query_id TEXT NOT NULL UNIQUE, query_text TEXT NOT NULL, query_type TEXT NOT NULL,
  database_name TEXT, schema_name TEXT, user_name TEXT NOT NULL, role_name TEXT, warehouse_name TEXT, warehouse_size TEXT,
  execution_status TEXT NOT NULL DEFAULT 'SUCCESS' CHECK (execution_status IN ('SUCCESS', 'FAILED_WITH_ERROR')),
  error_code TEXT, error_message TEXT, start_ms INTEGER NOT NULL, elapsed_ms INTEGER NOT NULL, rows_produced INTEGER);
CREATE INDEX query_history_by_time ON _query_history (start_ms);
CREATE VIEW query_history AS SELECT * FROM _query_history;

CREATE TABLE insight (id INTEGER PRIMARY KEY, text TEXT NOT NULL, created_ms INTEGER NOT NULL);
