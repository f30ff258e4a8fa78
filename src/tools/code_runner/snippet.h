#pragma once
// Code in a file of its own, in a folder that only its call uses and that goes with it.

#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::tools::code_runner {

class Snippet {
 public:
  static Result<Snippet> Write(std::string_view code, std::string_view extension);
  Snippet(Snippet&& other) noexcept
      : folder_(std::exchange(other.folder_, {})), path_(other.path_) {}
  Snippet& operator=(Snippet&&) = delete;
  ~Snippet();

  const std::string& path() const { return path_; }

 private:
  Snippet(std::string folder, std::string path)
      : folder_(std::move(folder)), path_(std::move(path)) {}

  std::string folder_, path_;
};

}  // namespace viv::tools::code_runner
