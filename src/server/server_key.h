#pragma once
// The server's own key: the one that it was given, or the one that it created in DATA/key, which
// only its owner can read. Thread-safe.

#include <memory>
#include <mutex>
#include <string>

#include "accounts/accounts.h"
#include "base/result.h"
#include "server/settings.h"

namespace viv::server {

class ServerKey {
 public:
  // Makes the key valid. A given key that was revoked is refused; DATA/key is created again when
  // its account has no valid key at all, because nobody could log in otherwise. `accounts` outlives
  // it.
  static Result<std::unique_ptr<ServerKey>> Open(const Settings& settings,
                                                 accounts::Accounts& accounts);

  const std::string& key() const { return key_; }    // empty: the one in DATA/key was revoked
  const std::string& file() const { return file_; }  // empty: the key was given

  // Called when key `id` is about to be replaced: if it is the one in the file, the file gets
  // `fresh`. kConflict when it was given to the server, whose next start would need it.
  Status Replace(std::string_view id, const accounts::Accounts::NewKey& fresh);

 private:
  ServerKey() = default;

  std::string key_;
  std::string file_;
  std::mutex mutex_;  // guards what is below
  std::string id_;
};

// The content of a file that only we may read, made with `fresh` when there is none.
Result<std::string> ReadOrMakeSecret(const std::string& path, const std::string& fresh);

}  // namespace viv::server
