#include "store/sqlite/record_rows.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace viv::store {
namespace {

constexpr std::string_view kWriteOrganization =
    "INSERT INTO organization (id, name, created_at_us) VALUES (?, ?, ?)"
    " ON CONFLICT (id) DO UPDATE SET name = excluded.name";
constexpr std::string_view kWriteAccount =
    "INSERT INTO account (id, organization_id, name, created_at_us) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (id) DO UPDATE SET organization_id = excluded.organization_id,"
    " name = excluded.name";
constexpr std::string_view kWriteKey =
    "INSERT INTO api_key (id, account_id, name, hash, prefix, created_at_us, revoked_at_us)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (id) DO UPDATE SET name = excluded.name, revoked_at_us = excluded.revoked_at_us";
// What stays for good (kind, server, email, created_at_us) is not among the updates.
constexpr std::string_view kWriteSandbox = R"sql(
  INSERT INTO sandbox (id, kind, server, email, state, account_id, lease_id, expires_at_us,
                       benchmark, image, tags_json, settings_json, error, created_at_us,
                       updated_at_us)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET
    state = excluded.state, account_id = excluded.account_id, lease_id = excluded.lease_id,
    expires_at_us = excluded.expires_at_us, benchmark = excluded.benchmark,
    image = excluded.image, tags_json = excluded.tags_json,
    settings_json = excluded.settings_json, error = excluded.error,
    updated_at_us = excluded.updated_at_us)sql";

constexpr std::string_view kWriteDocument =
    "INSERT INTO document (kind, id, account_id, body) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (kind, id) DO UPDATE SET account_id = excluded.account_id, body = excluded.body";
constexpr std::string_view kRemoveDocument = "DELETE FROM document WHERE kind = ? AND id = ?";

constexpr std::string_view kReadOrganizations = "SELECT id, name, created_at_us FROM organization";
constexpr std::string_view kReadAccounts =
    "SELECT id, organization_id, name, created_at_us FROM account";
constexpr std::string_view kReadKeys =
    "SELECT id, account_id, name, hash, prefix, created_at_us, revoked_at_us FROM api_key";
constexpr std::string_view kReadSandboxes = R"sql(
  SELECT id, kind, server, email, state, account_id, lease_id, expires_at_us, benchmark, image,
         tags_json, settings_json, error, created_at_us, updated_at_us
  FROM sandbox)sql";
constexpr std::string_view kReadDocuments =
    "SELECT kind, id, account_id, body FROM document WHERE kind = ? ORDER BY id";

std::string_view NameOf(SandboxKind kind) {
  return kind == SandboxKind::kBox ? "box" : "world";
}

std::string_view NameOf(SandboxState state) {
  switch (state) {
    case SandboxState::kIdle:
      return "idle";
    case SandboxState::kOccupied:
      return "occupied";
    case SandboxState::kError:
      return "error";
  }
  return "error";
}

// Other names cannot be there: the table checks them.
SandboxKind KindOf(std::string_view name) {
  return name == "box" ? SandboxKind::kBox : SandboxKind::kWorld;
}

SandboxState StateOf(std::string_view name) {
  if (name == "idle") return SandboxState::kIdle;
  return name == "occupied" ? SandboxState::kOccupied : SandboxState::kError;
}

// Binds values one after the other, then runs the statement.
class Binder {
 public:
  explicit Binder(db::Statement& statement) : statement_(statement) { statement_.Reset(); }

  Binder& operator<<(std::string_view text) {
    statement_.Bind(++index_, text);
    return *this;
  }
  Binder& operator<<(std::int64_t value) {
    statement_.Bind(++index_, value);
    return *this;
  }
  Binder& operator<<(const std::optional<std::int64_t>& value) {
    if (value) return *this << *value;
    statement_.BindNull(++index_);
    return *this;
  }

  Status Run() {
    auto row = statement_.Step();
    statement_.Reset();
    if (!row) return PassUp(std::move(row).error());
    return {};
  }

 private:
  db::Statement& statement_;
  int index_ = 0;
};

// Reads a row's columns one after the other.
class Columns {
 public:
  explicit Columns(const db::Statement& statement) : statement_(statement) {}

  Columns& operator>>(std::string& text) {
    text = statement_.Text(column_++);
    return *this;
  }
  Columns& operator>>(std::int64_t& value) {
    value = statement_.Integer(column_++);
    return *this;
  }
  Columns& operator>>(std::optional<std::int64_t>& value) {
    if (!statement_.IsNull(column_)) value = statement_.Integer(column_);
    ++column_;
    return *this;
  }
  Columns& operator>>(SandboxKind& kind) {
    kind = KindOf(statement_.Text(column_++));
    return *this;
  }
  Columns& operator>>(SandboxState& state) {
    state = StateOf(statement_.Text(column_++));
    return *this;
  }

 private:
  const db::Statement& statement_;
  int column_ = 0;
};

void Read(Columns& row, Organization& it) {
  row >> it.id >> it.name >> it.created_at_us;
}

void Read(Columns& row, Account& it) {
  row >> it.id >> it.organization_id >> it.name >> it.created_at_us;
}

void Read(Columns& row, Key& it) {
  row >> it.id >> it.account_id >> it.name >> it.hash >> it.prefix >> it.created_at_us >>
      it.revoked_at_us;
}

void Read(Columns& row, Sandbox& it) {
  row >> it.id >> it.kind >> it.server >> it.email >> it.state >> it.account_id >> it.lease_id >>
      it.expires_at_us >> it.benchmark >> it.image >> it.tags_json >> it.settings_json >>
      it.error >> it.created_at_us >> it.updated_at_us;
}

void Read(Columns& row, Document& it) {
  row >> it.kind >> it.id >> it.account_id >> it.body;
}

template <typename Record>
Status VisitRows(db::Statement& select, const std::function<void(Record)>& visit) {
  while (true) {
    ASSIGN_OR_RETURN(const bool is_row, select.Step());
    if (!is_row) return {};
    Record record;
    Columns row(select);
    Read(row, record);
    visit(std::move(record));
  }
}

template <typename Record>
Status ReadAll(db::Connection& connection,
               std::string_view sql,
               const std::function<void(Record)>& visit) {
  ASSIGN_OR_RETURN(db::Statement select, connection.Prepare(sql));
  return VisitRows(select, visit);
}

}  // namespace

Result<RecordRows> RecordRows::Prepare(db::Connection connection) {
  RecordRows rows(std::move(connection));
  db::Connection& at = rows.connection_;
  ASSIGN_OR_RETURN(rows.write_organization_, at.Prepare(kWriteOrganization));
  ASSIGN_OR_RETURN(rows.write_account_, at.Prepare(kWriteAccount));
  ASSIGN_OR_RETURN(rows.write_key_, at.Prepare(kWriteKey));
  ASSIGN_OR_RETURN(rows.write_sandbox_, at.Prepare(kWriteSandbox));
  ASSIGN_OR_RETURN(rows.write_document_, at.Prepare(kWriteDocument));
  ASSIGN_OR_RETURN(rows.remove_document_, at.Prepare(kRemoveDocument));
  return rows;
}

Status RecordRows::Write(const Organization& it) {
  return (Binder(write_organization_) << it.id << it.name << it.created_at_us).Run();
}

Status RecordRows::Write(const Account& it) {
  Binder row(write_account_);
  row << it.id << it.organization_id << it.name << it.created_at_us;
  return row.Run();
}

Status RecordRows::Write(const Key& it) {
  Binder row(write_key_);
  row << it.id << it.account_id << it.name << it.hash << it.prefix << it.created_at_us
      << it.revoked_at_us;
  return row.Run();
}

Status RecordRows::Write(const Sandbox& it) {
  Binder row(write_sandbox_);
  row << it.id << NameOf(it.kind) << it.server << it.email << NameOf(it.state) << it.account_id
      << it.lease_id << it.expires_at_us << it.benchmark << it.image << it.tags_json
      << it.settings_json << it.error << it.created_at_us << it.updated_at_us;
  return row.Run();
}

Status RecordRows::Write(const Document& it) {
  return (Binder(write_document_) << it.kind << it.id << it.account_id << it.body).Run();
}

Status RecordRows::RemoveDocument(const std::string& kind, const std::string& id) {
  return (Binder(remove_document_) << kind << id).Run();
}

Status RecordRows::ReadOrganizations(const std::function<void(Organization)>& visit) {
  return ReadAll(connection_, kReadOrganizations, visit);
}

Status RecordRows::ReadAccounts(const std::function<void(Account)>& visit) {
  return ReadAll(connection_, kReadAccounts, visit);
}

Status RecordRows::ReadKeys(const std::function<void(Key)>& visit) {
  return ReadAll(connection_, kReadKeys, visit);
}

Status RecordRows::ReadSandboxes(const std::function<void(Sandbox)>& visit) {
  return ReadAll(connection_, kReadSandboxes, visit);
}

Status RecordRows::ReadDocuments(db::Connection& connection,
                                 std::string_view kind,
                                 const std::function<void(Document)>& visit) {
  ASSIGN_OR_RETURN(db::Statement select, connection.Prepare(kReadDocuments));
  select.Bind(1, kind);
  return VisitRows(select, visit);
}

}  // namespace viv::store
