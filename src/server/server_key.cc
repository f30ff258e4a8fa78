#include "server/server_key.h"

#include <fcntl.h>
#include <unistd.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/errno_error.h"
#include "base/log.h"
#include "base/unique_fd.h"

namespace viv::server {
namespace {

Status WriteWhole(const UniqueFd& file, const std::string& path, const std::string& text) {
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      ::fsync(file.get()) != 0) {
    return FailErrno(ErrorCode::kUnavailable, "cannot write " + path);
  }
  return {};
}

// Replaces the file atomically: after a crash it has the old text or the new one.
Status ReplaceSecret(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  ::unlink(fresh.c_str());
  UniqueFd file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return FailErrno(ErrorCode::kUnavailable, "cannot make " + fresh);
  RETURN_IF_ERROR(WriteWhole(file, fresh, text));
  if (::rename(fresh.c_str(), path.c_str()) != 0)
    return FailErrno(ErrorCode::kUnavailable, "cannot replace " + path);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  UniqueFd directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory) ::fsync(directory.get());
  return {};
}

Result<bool> HasValidKey(const accounts::Accounts& accounts) {
  ASSIGN_OR_RETURN(std::vector<store::Key> keys, accounts.ListKeys(accounts::kDefaultAccount));
  for (const store::Key& key : keys)
    if (!key.revoked_at_us) return true;
  return false;
}

}  // namespace

Result<std::string> ReadOrMakeSecret(const std::string& path, const std::string& fresh) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file) {
    RETURN_IF_ERROR(WriteWhole(file, path, fresh));
    return fresh;
  }
  std::ifstream in(path);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.pop_back();
  if (text.empty()) return Fail(ErrorCode::kUnavailable, "cannot read " + path);
  return text;
}

Result<std::unique_ptr<ServerKey>> ServerKey::Open(const Settings& settings,
                                                   accounts::Accounts& accounts) {
  std::unique_ptr<ServerKey> server_key(new ServerKey());
  server_key->key_ = settings.key;
  if (settings.key.empty()) {
    server_key->file_ = settings.data + "/key";
    ASSIGN_OR_RETURN(server_key->key_,
                     ReadOrMakeSecret(server_key->file_, accounts::Accounts::GenerateKey()));
  }
  RETURN_IF_ERROR(accounts.Prepare(server_key->key_), "key");
  auto valid = accounts.Authenticate(server_key->key_);
  if (!valid && server_key->file_.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "the key given by --key, VIV_API_KEY or vivarium.yaml was revoked: choose another");
  }
  if (!valid) {
    ASSIGN_OR_RETURN(bool others, HasValidKey(accounts));
    server_key->key_.clear();
    if (others) return server_key;
    server_key->key_ = accounts::Accounts::GenerateKey();
    RETURN_IF_ERROR(ReplaceSecret(server_key->file_, server_key->key_));
    RETURN_IF_ERROR(accounts.Prepare(server_key->key_), "key");
    log::Warn("key.made_anew", {{"reason", "every key of the server's account was revoked"},
                                {"file", server_key->file_}});
    ASSIGN_OR_RETURN(store::Key made, accounts.Authenticate(server_key->key_));
    server_key->id_ = made.id;
    return server_key;
  }
  server_key->id_ = valid->id;
  return server_key;
}

Status ServerKey::Replace(std::string_view id, const accounts::Accounts::NewKey& fresh) {
  std::lock_guard lock(mutex_);
  if (id != id_) return {};
  if (file_.empty()) {
    return Fail(ErrorCode::kConflict,
                "this key was given to the server by --key, VIV_API_KEY or vivarium.yaml: change "
                "it there and start the server again");
  }
  RETURN_IF_ERROR(ReplaceSecret(file_, fresh.key));
  id_ = fresh.record.id;
  return {};
}

}  // namespace viv::server
