#include "engine/pages.h"

#include <cstring>

#include "base/check.h"

namespace viv::engine {
namespace {

constexpr Page kZeroPage{};

}  // namespace

Pages::Pages(ImagePtr image) : image_(std::move(image)), count_(image_->page_count()) {
  uncommitted_.count_before = count_;
}

const std::byte* Pages::Read(std::uint32_t number) const {
  auto found = changed_.find(number);
  if (found != changed_.end()) return found->second->data();
  if (number <= image_->page_count() && number <= count_) return image_->page(number);
  return kZeroPage.data();
}

PagePtr Pages::Current(std::uint32_t number) const {
  auto found = changed_.find(number);
  return found == changed_.end() ? nullptr : found->second;
}

void Pages::Write(std::uint32_t number, const std::byte* bytes) {
  CHECK(number > 0);
  uncommitted_.before.try_emplace(number, Current(number));
  auto page = std::make_shared<Page>();
  std::memcpy(page->data(), bytes, kPageBytes);
  changed_[number] = std::move(page);
  if (number > count_) count_ = number;
}

void Pages::Truncate(std::uint32_t count) {
  for (std::uint32_t number = count + 1; number <= count_; ++number) {
    uncommitted_.before.try_emplace(number, Current(number));
    changed_.erase(number);
  }
  count_ = count;
}

std::uint32_t Pages::schema_cookie() const {
  return SchemaCookie(Read(1));
}

void Pages::Commit() {
  uncommitted_.before.clear();
  uncommitted_.count_before = count_;
}

void Pages::Revert() {
  for (auto& [number, before] : uncommitted_.before) {
    if (before == nullptr) {
      changed_.erase(number);
    } else {
      changed_[number] = std::move(before);
    }
  }
  count_ = uncommitted_.count_before;
  uncommitted_.before.clear();
}

void Pages::Reset() {
  changed_.clear();
  count_ = image_->page_count();
  Commit();
}

}  // namespace viv::engine
