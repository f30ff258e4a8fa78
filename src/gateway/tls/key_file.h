#pragma once
// Files that hold a key: read into memory that is overwritten when it goes, written whole or not at
// all, whenever the machine stops. Internal to this module.

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::gateway {

// A text that is overwritten when it goes.
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
  ZeroizedString text;  // 64 KiB of it at most
  mode_t mode = 0;      // its rights
};

Status MakeKeyFolder(const std::string& folder);  // 0700
// Nothing when there is no such file.
Result<std::optional<KeyFile>> ReadKeyFile(const std::string& path);
// It appears complete, and is on disk when this returns.
Status WriteKeyFile(const std::string& path, std::string_view text, mode_t mode);

}  // namespace viv::gateway
