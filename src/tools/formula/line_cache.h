#pragma once
// Rows and columns that formulas look into again and again. A cell that has its value keeps it
// while a workbook is computed, so a line is gathered once, and from the second search on it has an
// index: a column of lookups costs what it has cells, not their square. One thread.

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/formula/grid.h"

namespace viv::formula {

class CachedLine {
 public:
  CachedLine(const Grid& grid, const Area& area);

  const std::vector<const Value*>& values() const { return values_; }  // none is nullptr
  // The first place of a text or a number; -1: nowhere. Nothing when only a search can tell.
  std::optional<int> FirstPlace(const Value& wanted);

 private:
  void MakeIndex();

  std::vector<const Value*> values_;
  int searches_ = 0;
  std::unordered_map<std::string, int> texts_;  // in small letters
  std::unordered_map<double, int> numbers_;
};

class LineCache {
 public:
  explicit LineCache(const Grid& grid) : grid_(grid) {}

  // `area` is one row or one column, all of whose cells have their values. It stays until the next
  // call.
  CachedLine& Get(const Area& area);

 private:
  struct Before {
    bool operator()(const Area& a, const Area& b) const;
  };

  const Grid& grid_;
  std::map<Area, CachedLine, Before> lines_;
  std::size_t size_ = 0;
};

}  // namespace viv::formula
