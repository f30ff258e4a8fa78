#pragma once
// Encrypts secrets at rest with AES-256-GCM, under a key that is derived from the server's own
// secret, so that neither the store nor a copy of it reveals them. What was sealed for one purpose
// cannot be opened for another.

#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::accounts {

class Sealer {
 public:
  explicit Sealer(std::string_view server_secret);
  ~Sealer();
  Sealer(const Sealer&) = delete;
  Sealer& operator=(const Sealer&) = delete;

  // `purpose` binds it to its use: "langsmith.header:BOX".
  std::string Seal(std::string_view purpose, std::string_view plain) const;  // printable
  // kInvalidArgument when it was changed, or sealed for another purpose or by another server.
  Result<std::string> Open(std::string_view purpose, std::string_view sealed) const;
  // A signature of `message`, 64 hexadecimal digits; also for tokens.
  std::string Sign(std::string_view purpose, std::string_view message) const;

 private:
  std::string key_, signing_key_;
};

}  // namespace viv::accounts
