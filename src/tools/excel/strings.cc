#include "tools/excel/strings.h"

namespace viv::tools::excel {

Strings::Strings() {
  entries_.emplace_back();
  by_text_.emplace(std::string_view(entries_.front().plain), 0);
}

std::uint32_t Strings::Intern(std::string_view text) {
  if (const auto found = by_text_.find(text); found != by_text_.end()) return found->second;
  const auto index = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({std::string(text), {}});
  by_text_.emplace(std::string_view(entries_.back().plain), index);
  return index;
}

std::uint32_t Strings::AddRich(std::string plain, std::string inner_xml) {
  entries_.push_back({std::move(plain), std::move(inner_xml)});
  return static_cast<std::uint32_t>(entries_.size() - 1);
}

}  // namespace viv::tools::excel
