#pragma once
// Reads SQLite's b-trees straight from the pages of two states of a world, in order to find the
// rows that differ without looking at those that do not. A subtree whose pages are the same in both
// states holds the same rows in both; only what is left is read. Pages come from SQLite itself, but
// nothing here relies on it: what is not a well-formed tree is an error, and the caller then
// compares the whole table.

#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "base/result.h"
#include "engine/pages.h"

namespace viv::engine {

using PageSet = std::unordered_set<std::uint32_t>;

// The pages that do not have the same bytes in both states, which must stand on the same image.
std::vector<std::uint32_t> ChangedPages(const Pages& before, const Pages& after);

// For each page of some b-trees, its root and the page that points to it. The parent of an overflow
// page is the page that holds its row.
class PageMap {
 public:
  static Result<PageMap> Read(const Pages& pages, std::span<const std::uint32_t> roots);

  // 0: the page is in none of the trees, and the root has no parent.
  std::uint32_t root(std::uint32_t page) const { return page < root_.size() ? root_[page] : 0; }
  std::uint32_t parent(std::uint32_t page) const {
    return page < parent_.size() ? parent_[page] : 0;
  }

 private:
  std::vector<std::uint32_t> root_;    // by page number
  std::vector<std::uint32_t> parent_;  // by page number
};

// What changed pages mean for the trees of `before`: which trees have one, and every page that has
// one at or below it.
struct TouchedPages {
  PageSet roots;
  PageSet pages;
};
TouchedPages FindTouched(const PageMap& map, std::span<const std::uint32_t> changed);

struct KeyBlob {
  std::string bytes;
};
using KeyValue = std::variant<std::int64_t, double, std::string, KeyBlob>;
using RowKey = std::vector<KeyValue>;

// Where a table's rows are.
struct TableTree {
  std::uint32_t root = 0;
  // 0: an ordinary table, whose rows have row ids. Otherwise a table WITHOUT ROWID, whose primary
  // key has that many columns.
  std::size_t key_columns = 0;
};

// The rows that are not the same, byte for byte, in both states: a row with another key, or with
// the same key and other values (then it is in both lists). In the order of the tree.
struct ChangedRows {
  std::vector<RowKey> before;  // the row id alone, or the values of the primary key
  std::vector<RowKey> after;
};
struct TreeState {
  const Pages& pages;
  TableTree tree;
};
Result<ChangedRows> FindChangedRows(const TreeState& before,
                                    const TreeState& after,
                                    const PageMap& map,  // of `before`
                                    const TouchedPages& touched);

}  // namespace viv::engine
