#include "tools/formula/line_cache.h"

#include <tuple>

#include "tools/formula/convert.h"

namespace viv::formula {
namespace {

constexpr std::size_t kCachedValuesMax = 4'000'000;
const Value kEmptyCell = Blank{};

}  // namespace

CachedLine::CachedLine(const Grid& grid, const Area& area)
    : values_(static_cast<std::size_t>(std::max(area.rows(), area.columns())), &kEmptyCell) {
  bool is_row = area.rows() == 1;
  grid.ForEach(area, [&](const GridCell& cell) {
    int place =
        is_row ? cell.address.column - area.first_column : cell.address.row - area.first_row;
    values_[static_cast<std::size_t>(place)] = &cell.value;
    return true;
  });
}

void CachedLine::MakeIndex() {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    int place = static_cast<int>(i);
    if (const auto* text = std::get_if<std::string>(values_[i]))
      texts_.emplace(LowerText(*text), place);
    if (const auto* number = std::get_if<double>(values_[i])) numbers_.emplace(*number, place);
  }
}

std::optional<int> CachedLine::FirstPlace(const Value& wanted) {
  if (++searches_ == 2) MakeIndex();
  if (searches_ < 2) return std::nullopt;
  if (const auto* text = std::get_if<std::string>(&wanted)) {
    auto found = texts_.find(LowerText(*text));
    return found == texts_.end() ? -1 : found->second;
  }
  const auto* number = std::get_if<double>(&wanted);
  auto found = number ? numbers_.find(*number) : numbers_.end();
  // A number that is not there to the last bit may be there to 15 digits.
  return found == numbers_.end() ? std::nullopt : std::optional<int>(found->second);
}

bool LineCache::Before::operator()(const Area& a, const Area& b) const {
  auto key = [](const Area& x) {
    return std::make_tuple(x.sheet, x.first_row, x.first_column, x.last_row, x.last_column);
  };
  return key(a) < key(b);
}

CachedLine& LineCache::Get(const Area& area) {
  auto found = lines_.find(area);
  if (found != lines_.end()) return found->second;
  std::size_t size = static_cast<std::size_t>(std::max(area.rows(), area.columns()));
  if (size_ + size > kCachedValuesMax) {
    lines_.clear();
    size_ = 0;
  }
  size_ += size;
  return lines_.emplace(area, CachedLine(grid_, area)).first->second;
}

}  // namespace viv::formula
