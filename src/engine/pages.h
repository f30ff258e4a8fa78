#pragma once
// The pages of one world's database: those of a shared, immutable image and, over them, the ones
// the world has changed. A clone of an image holds nothing of its own; a fork shares changed pages
// until either side writes. Every cost follows what changed. Not thread-safe: a world is used by
// one call at a time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

#include "engine/image.h"

namespace viv::engine {

using Page = std::array<std::byte, kPageBytes>;
using PagePtr = std::shared_ptr<const Page>;  // shared by forks and by the baseline

class Pages {
 public:
  explicit Pages(ImagePtr image);

  const Image& image() const { return *image_; }
  const ImagePtr& image_ptr() const { return image_; }
  std::uint32_t count() const { return count_; }
  std::size_t changed_count() const { return changed_.size(); }
  const std::unordered_map<std::uint32_t, PagePtr>& changed() const { return changed_; }

  // Pages are numbered from 1, as SQLite does. Past the end reads zeros.
  const std::byte* Read(std::uint32_t number) const;
  void Write(std::uint32_t number, const std::byte* bytes);
  void Truncate(std::uint32_t count);

  // SQLite's schema cookie: differs from the image's once the world has changed its schema.
  std::uint32_t schema_cookie() const;
  bool has_image_schema() const { return schema_cookie() == image_->schema_cookie(); }

  // What was written since the last Commit: page number → the page before (nullptr: there was
  // none).
  struct Change {
    std::unordered_map<std::uint32_t, PagePtr> before;
    std::uint32_t count_before = 0;
    bool empty() const { return before.empty(); }
  };
  const Change& uncommitted() const { return uncommitted_; }
  void Commit();  // keeps what was written
  void Revert();  // undoes what was written

  // Everything back to the image.
  void Reset();

 private:
  PagePtr Current(std::uint32_t number) const;

  ImagePtr image_;
  std::unordered_map<std::uint32_t, PagePtr> changed_;
  std::uint32_t count_ = 0;
  Change uncommitted_;
};

}  // namespace viv::engine
