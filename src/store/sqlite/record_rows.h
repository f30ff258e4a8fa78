#pragma once
// Records as rows: the prepared statements that write one, and the reading of all at start. One
// thread at a time, as for the connection beneath.

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "db/sqlite.h"
#include "store/records.h"

namespace viv::store {

class RecordRows {
 public:
  // `connection` has the schema.
  static Result<RecordRows> Prepare(db::Connection connection);

  // Each inserts the row or replaces the one with its id.
  Status Write(const Organization& organization);
  Status Write(const Account& account);
  Status Write(const Key& key);
  Status Write(const Sandbox& sandbox);
  Status Write(const Document& document);
  Status RemoveDocument(const std::string& kind, const std::string& id);

  Status ReadOrganizations(const std::function<void(Organization)>& visit);
  Status ReadAccounts(const std::function<void(Account)>& visit);
  Status ReadKeys(const std::function<void(Key)>& visit);
  Status ReadSandboxes(const std::function<void(Sandbox)>& visit);
  static Status ReadDocuments(db::Connection& connection,
                              std::string_view kind,
                              const std::function<void(Document)>& visit);

  db::Connection& connection() { return connection_; }

 private:
  explicit RecordRows(db::Connection connection) : connection_(std::move(connection)) {}

  db::Connection connection_;
  db::Statement write_organization_;
  db::Statement write_account_;
  db::Statement write_key_;
  db::Statement write_sandbox_;
  db::Statement write_document_;
  db::Statement remove_document_;
};

}  // namespace viv::store
