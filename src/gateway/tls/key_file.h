#pragma once
// Files that contain a key. They are read into memory that is zeroized afterwards, and written
// atomically, also if the machine crashes. Internal to this module.

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::gateway {

// A string that is overwritten with zeros when it is destroyed.
class ZeroizedString {
 public:
  ZeroizedString() = default;
  explicit ZeroizedString(std::string text) : text_(std::move(text)) {}
  ~ZeroizedString();
  ZeroizedString(const ZeroizedString&) = delete;
  ZeroizedString& operator=(const ZeroizedString&) = delete;
  ZeroizedString(ZeroizedString&& other) noexcept : text_(std::move(other.text_)) {}
  ZeroizedString& operator=(ZeroizedString&& other) noexcept {
    text_.swap(other.text_);
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct KeyFile {
  ZeroizedString text;  // at most 64 KiB
  mode_t mode = 0;      // permission bits
};

Status MakeKeyFolder(const std::string& folder);  // with mode 0700
// Nothing if there is no such file.
Result<std::optional<KeyFile>> ReadKeyFile(const std::string& path);
// The file is replaced atomically and is on disk when this returns.
Status WriteKeyFile(const std::string& path, std::string_view text, mode_t mode);

}  // namespace viv::gateway
