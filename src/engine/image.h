#pragma once
// An image is the immutable database that worlds are cloned from: an app's schema with one
// profile's seed in it. It is a file mapped read-only, so that any number of worlds share its
// memory, and it never changes once its id is given out.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace viv::engine {

constexpr std::size_t kPageBytes = 4096;

// The schema cookie in a database's first page: it changes whenever the schema does.
std::uint32_t SchemaCookie(const std::byte* first_page);

class Image {
 public:
  // Maps the database file; its pages must have kPageBytes.
  static Result<std::shared_ptr<const Image>> Map(const std::string& path, std::string id);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  const std::string& id() const { return id_; }
  std::uint32_t page_count() const { return page_count_; }
  const std::byte* page(std::uint32_t number) const { return bytes_ + (number - 1) * kPageBytes; }
  std::uint32_t schema_cookie() const { return SchemaCookie(bytes_); }

 private:
  Image(std::string id, const std::byte* bytes, std::uint32_t page_count)
      : id_(std::move(id)), bytes_(bytes), page_count_(page_count) {}

  std::string id_;
  const std::byte* bytes_;
  std::uint32_t page_count_;
};

using ImagePtr = std::shared_ptr<const Image>;  // shared by all worlds that use it

}  // namespace viv::engine
