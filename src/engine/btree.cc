#include "engine/btree.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

namespace viv::engine {
namespace {

// The file format is described at sqlite.org/fileformat2.html. No page of ours has reserved bytes
// at its end, so that all of it is usable.
constexpr std::size_t kFileHeaderBytes = 100;  // at the start of page 1
constexpr std::size_t kPointerBytes = 4;       // a page number
constexpr int kTreeDepthMax = 20;              // SQLite's own limit
constexpr std::size_t kPayloadMin = (kPageBytes - 12) * 32 / 255 - 23;
constexpr std::size_t kTablePayloadMax = kPageBytes - 35;
constexpr std::size_t kIndexPayloadMax = (kPageBytes - 12) * 64 / 255 - 23;
constexpr std::uint64_t kRowBytesMax = std::uint64_t{1} << 31;

tl::unexpected<Error> NotATree(std::uint32_t page) {
  return Fail(ErrorCode::kInternal, "page " + std::to_string(page) + " is not part of a b-tree");
}

std::uint32_t Integer16(const std::byte* at) {
  return std::to_integer<std::uint32_t>(at[0]) << 8 | std::to_integer<std::uint32_t>(at[1]);
}

std::uint32_t Integer32(const std::byte* at) {
  return Integer16(at) << 16 | Integer16(at + 2);
}

// Bytes that are read from the front; reading past the end makes it bad for good.
class ByteReader {
 public:
  ByteReader(const std::byte* begin, const std::byte* end) : at_(begin), end_(end) {}

  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (int i = 0; i < 9; ++i) {
      if (at_ == end_) return Bad();
      auto byte = std::to_integer<std::uint64_t>(*at_++);
      if (i == 8) return value << 8 | byte;
      value = value << 7 | (byte & 0x7f);
      if (byte < 0x80) return value;
    }
    return value;
  }
  std::uint32_t Pointer() {
    const std::byte* bytes = Take(kPointerBytes);
    return bytes == nullptr ? 0 : Integer32(bytes);
  }
  const std::byte* Take(std::size_t size) {
    if (size > static_cast<std::size_t>(end_ - at_)) {
      Bad();
      return nullptr;
    }
    at_ += size;
    return at_ - size;
  }
  bool ok() const { return ok_; }

 private:
  std::uint64_t Bad() {
    ok_ = false;
    at_ = end_;
    return 0;
  }
  const std::byte* at_;
  const std::byte* end_;
  bool ok_ = true;
};

struct TreePage {
  std::uint32_t number = 0;
  const std::byte* bytes = nullptr;
  bool leaf = false;
  bool index = false;  // of an index, or of a table WITHOUT ROWID
  std::size_t cells = 0;
  std::size_t pointers_at = 0;    // where the cell pointers begin
  std::uint32_t right_child = 0;  // of an interior page
};

Result<TreePage> ReadTreePage(const Pages& pages, std::uint32_t number) {
  if (number == 0 || number > pages.count()) return NotATree(number);
  TreePage page;
  page.number = number;
  page.bytes = pages.Read(number);
  std::size_t header_at = number == 1 ? kFileHeaderBytes : 0;
  const std::byte* header = page.bytes + header_at;
  switch (std::to_integer<int>(header[0])) {
    case 0x02:
      page.index = true;
      break;
    case 0x05:
      break;
    case 0x0a:
      page.index = true;
      page.leaf = true;
      break;
    case 0x0d:
      page.leaf = true;
      break;
    default:
      return NotATree(number);
  }
  page.cells = Integer16(header + 3);
  page.pointers_at = header_at + (page.leaf ? 8 : 12);
  if (!page.leaf) page.right_child = Integer32(header + 8);
  if (page.pointers_at + 2 * page.cells > kPageBytes) return NotATree(number);
  return page;
}

struct TreeCell {
  std::uint32_t left_child = 0;
  std::int64_t row_id = 0;
  std::uint64_t payload_bytes = 0;  // of the whole record
  std::string_view local;           // the part of it that is on the page
  std::uint32_t overflow = 0;       // the page on which it goes on; 0: it does not
};

Result<TreeCell> ReadTreeCell(const TreePage& page, std::size_t index) {
  std::size_t at = Integer16(page.bytes + page.pointers_at + 2 * index);
  if (at >= kPageBytes) return NotATree(page.number);
  ByteReader reader(page.bytes + at, page.bytes + kPageBytes);
  TreeCell cell;
  if (!page.leaf) cell.left_child = reader.Pointer();
  bool has_payload = page.leaf || page.index;
  if (has_payload) cell.payload_bytes = reader.Varint();
  if (!page.index) cell.row_id = static_cast<std::int64_t>(reader.Varint());
  if (!reader.ok() || cell.payload_bytes > kRowBytesMax) return NotATree(page.number);
  if (!has_payload) return cell;
  std::size_t max = page.index ? kIndexPayloadMax : kTablePayloadMax;
  std::size_t local = cell.payload_bytes;
  if (local > max) {
    local = kPayloadMin + (cell.payload_bytes - kPayloadMin) % (kPageBytes - kPointerBytes);
    if (local > max) local = kPayloadMin;
  }
  const std::byte* bytes = reader.Take(local);
  if (local < cell.payload_bytes) cell.overflow = reader.Pointer();
  if (!reader.ok()) return NotATree(page.number);
  cell.local = std::string_view(reinterpret_cast<const char*>(bytes), local);
  return cell;
}

// Calls visit(page number, bytes) for each overflow page of a cell, in order.
template <typename Visit>
Status VisitOverflow(const Pages& pages, const TreeCell& cell, Visit visit) {
  std::uint64_t left = cell.payload_bytes - cell.local.size();
  std::uint32_t number = cell.overflow;
  if (left > std::uint64_t{pages.count()} * kPageBytes) return NotATree(number);
  while (left > 0) {
    if (number == 0 || number > pages.count()) return NotATree(number);
    const std::byte* page = pages.Read(number);
    auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left, kPageBytes - kPointerBytes));
    RETURN_IF_ERROR(
        visit(number, std::string_view(reinterpret_cast<const char*>(page + kPointerBytes), size)));
    left -= size;
    number = Integer32(page);
  }
  return {};
}

Result<std::string> WholePayload(const Pages& pages, const TreeCell& cell) {
  std::string payload(cell.local);
  auto append = [&](std::uint32_t /*number*/, std::string_view part) -> Status {
    payload += part;
    return {};
  };
  RETURN_IF_ERROR(VisitOverflow(pages, cell, append));
  return payload;
}

// Goes through a tree in the order of its keys. enter(page, parent) says whether to go into a page;
// on_cell(page, cell) gets the cells of the pages that were gone into.
template <typename Enter, typename OnCell>
class TreeWalk {
 public:
  TreeWalk(const Pages& pages, Enter enter, OnCell on_cell)
      : pages_(pages), enter_(enter), on_cell_(on_cell), left_(pages.count()) {}

  Status Go(std::uint32_t number, std::uint32_t parent, int depth) {
    if (depth > kTreeDepthMax || left_-- == 0) return NotATree(number);
    ASSIGN_OR_RETURN(bool go_in, enter_(number, parent));
    if (!go_in) return {};
    ASSIGN_OR_RETURN(TreePage page, ReadTreePage(pages_, number));
    for (std::size_t i = 0; i < page.cells; ++i) {
      ASSIGN_OR_RETURN(TreeCell cell, ReadTreeCell(page, i));
      if (!page.leaf) RETURN_IF_ERROR(Go(cell.left_child, number, depth + 1));
      RETURN_IF_ERROR(on_cell_(page, cell));
    }
    if (page.leaf) return {};
    return Go(page.right_child, number, depth + 1);
  }

 private:
  const Pages& pages_;
  Enter enter_;
  OnCell on_cell_;
  std::uint64_t left_;  // pages that may still be visited: a tree has each of them once
};

// The values of the first columns of a record.
Result<RowKey> DecodeKey(std::string_view record, std::size_t columns) {
  auto bad = [] { return Fail(ErrorCode::kInternal, "a record cannot be read"); };
  const auto* begin = reinterpret_cast<const std::byte*>(record.data());
  const std::byte* end = begin + record.size();
  std::uint64_t header_bytes = ByteReader(begin, end).Varint();
  if (header_bytes > record.size()) return bad();
  ByteReader header(begin, begin + header_bytes);
  header.Varint();
  ByteReader body(begin + header_bytes, end);
  RowKey key;
  for (std::size_t i = 0; i < columns; ++i) {
    std::uint64_t type = header.Varint();
    if (!header.ok() || type == 0 || type == 10 || type == 11) return bad();  // a key is never NULL
    if (type == 8 || type == 9) {
      key.emplace_back(static_cast<std::int64_t>(type - 8));
      continue;
    }
    if (type >= 12) {
      auto size = static_cast<std::size_t>((type - 12) / 2);
      const std::byte* bytes = body.Take(size);
      if (bytes == nullptr) return bad();
      std::string text(reinterpret_cast<const char*>(bytes), size);
      if (type % 2 == 1) {
        key.emplace_back(std::move(text));
      } else {
        key.emplace_back(KeyBlob{std::move(text)});
      }
      continue;
    }
    constexpr std::size_t kSizes[] = {0, 1, 2, 3, 4, 6, 8, 8};
    std::size_t size = kSizes[type];
    const std::byte* bytes = body.Take(size);
    if (bytes == nullptr) return bad();
    // Big-endian; the first byte has the sign.
    std::uint64_t value = (bytes[0] & std::byte{0x80}) != std::byte{0} ? ~std::uint64_t{0} : 0;
    for (std::size_t j = 0; j < size; ++j)
      value = value << 8 | std::to_integer<std::uint64_t>(bytes[j]);
    if (type == 7) {
      key.emplace_back(std::bit_cast<double>(value));
    } else {
      key.emplace_back(static_cast<std::int64_t>(value));
    }
  }
  return key;
}

// The rows of one state that are on pages or below pages which the other state does not have alike.
struct UnsharedRows {
  std::vector<TreeCell> cells;       // of an ordinary table, by row id
  std::vector<std::string> records;  // of a table WITHOUT ROWID, by key
};

template <typename Enter>
Result<UnsharedRows> ReadUnsharedRows(const TreeState& state, Enter enter) {
  UnsharedRows rows;
  bool keyed = state.tree.key_columns > 0;
  auto on_cell = [&](const TreePage& page, const TreeCell& cell) -> Status {
    if (page.index != keyed) return NotATree(page.number);
    if (keyed) {
      ASSIGN_OR_RETURN(std::string record, WholePayload(state.pages, cell));
      rows.records.push_back(std::move(record));
    } else if (page.leaf) {
      if (!rows.cells.empty() && rows.cells.back().row_id >= cell.row_id)
        return NotATree(page.number);
      rows.cells.push_back(cell);
    }
    return {};
  };
  TreeWalk walk(state.pages, enter, on_cell);
  RETURN_IF_ERROR(walk.Go(state.tree.root, 0, 0));
  return rows;
}

Result<bool> SamePayload(const Pages& before,
                         const TreeCell& one,
                         const Pages& after,
                         const TreeCell& other) {
  if (one.payload_bytes != other.payload_bytes || one.local != other.local) return false;
  if (one.overflow == 0) return true;
  ASSIGN_OR_RETURN(std::string first, WholePayload(before, one));
  ASSIGN_OR_RETURN(std::string second, WholePayload(after, other));
  return first == second;
}

Result<ChangedRows> CompareByRowId(const Pages& before_pages,
                                   const UnsharedRows& before,
                                   const Pages& after_pages,
                                   const UnsharedRows& after) {
  ChangedRows changed;
  auto one = before.cells.begin();
  auto other = after.cells.begin();
  while (one != before.cells.end() || other != after.cells.end()) {
    bool take_one =
        other == after.cells.end() || (one != before.cells.end() && one->row_id <= other->row_id);
    bool take_other =
        one == before.cells.end() || (other != after.cells.end() && other->row_id <= one->row_id);
    bool same = false;
    if (take_one && take_other) {
      ASSIGN_OR_RETURN(same, SamePayload(before_pages, *one, after_pages, *other));
    }
    if (take_one && !same) changed.before.push_back({KeyValue(one->row_id)});
    if (take_other && !same) changed.after.push_back({KeyValue(other->row_id)});
    if (take_one) ++one;
    if (take_other) ++other;
  }
  return changed;
}

Result<std::vector<RowKey>> KeysOnlyIn(const std::vector<std::string>& records,
                                       const std::vector<std::string>& others,
                                       std::size_t key_columns) {
  std::unordered_set<std::string_view> there(others.begin(), others.end());
  std::vector<RowKey> keys;
  for (const std::string& record : records) {
    if (there.contains(record)) continue;
    ASSIGN_OR_RETURN(RowKey key, DecodeKey(record, key_columns));
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace

std::vector<std::uint32_t> ChangedPages(const Pages& before, const Pages& after) {
  std::vector<std::uint32_t> changed;
  auto differs = [&](std::uint32_t number) {
    return std::memcmp(before.Read(number), after.Read(number), kPageBytes) != 0;
  };
  for (const auto& [number, page] : after.changed()) {
    auto found = before.changed().find(number);
    bool shared = found != before.changed().end() && found->second == page;
    if (!shared && differs(number)) changed.push_back(number);
  }
  for (const auto& [number, page] : before.changed()) {
    if (!after.changed().contains(number) && differs(number)) changed.push_back(number);
  }
  // A state that has become shorter has lost pages of the image without a trace in its changed
  // ones.
  std::uint32_t shorter = std::min(before.count(), after.count());
  std::uint32_t longer = std::max(before.count(), after.count());
  for (std::uint32_t number = shorter + 1; number <= std::min(longer, before.image().page_count());
       ++number) {
    bool seen = before.changed().contains(number) || after.changed().contains(number);
    if (!seen) changed.push_back(number);
  }
  return changed;
}

Result<PageMap> PageMap::Read(const Pages& pages, std::span<const std::uint32_t> roots) {
  PageMap map;
  map.root_.resize(std::size_t{pages.count()} + 1);
  map.parent_.resize(std::size_t{pages.count()} + 1);
  for (std::uint32_t root : roots) {
    auto note = [&](std::uint32_t page, std::uint32_t parent) -> Status {
      if (page == 0 || page > pages.count() || map.root_[page] != 0) return NotATree(page);
      map.root_[page] = root;
      map.parent_[page] = parent;
      return {};
    };
    auto enter = [&](std::uint32_t page, std::uint32_t parent) -> Result<bool> {
      RETURN_IF_ERROR(note(page, parent));
      return true;
    };
    auto on_cell = [&](const TreePage& page, const TreeCell& cell) -> Status {
      if (cell.overflow == 0) return {};
      auto note_one = [&](std::uint32_t number, std::string_view /*part*/) {
        return note(number, page.number);
      };
      return VisitOverflow(pages, cell, note_one);
    };
    TreeWalk walk(pages, enter, on_cell);
    RETURN_IF_ERROR(walk.Go(root, 0, 0));
  }
  return map;
}

TouchedPages FindTouched(const PageMap& map, std::span<const std::uint32_t> changed) {
  TouchedPages touched;
  for (std::uint32_t page : changed) {
    if (map.root(page) == 0) continue;
    touched.roots.insert(map.root(page));
    while (page != 0 && touched.pages.insert(page).second) page = map.parent(page);
  }
  return touched;
}

Result<ChangedRows> FindChangedRows(const TreeState& before,
                                    const TreeState& after,
                                    const PageMap& map,
                                    const TouchedPages& touched) {
  // A page of the tree before, below which nothing has changed, has the same rows at and below it
  // now. Those that the tree now has are the same in both; one that it no longer has is not met by
  // the first walk, so that the second reads its rows.
  PageSet same;
  auto enter_after = [&](std::uint32_t page, std::uint32_t /*parent*/) -> Result<bool> {
    bool is_same = map.root(page) == before.tree.root && !touched.pages.contains(page);
    if (is_same) same.insert(page);
    return !is_same;
  };
  auto enter_before = [&](std::uint32_t page, std::uint32_t /*parent*/) -> Result<bool> {
    return !same.contains(page);
  };
  ASSIGN_OR_RETURN(UnsharedRows rows_after, ReadUnsharedRows(after, enter_after));
  ASSIGN_OR_RETURN(UnsharedRows rows_before, ReadUnsharedRows(before, enter_before));
  if (before.tree.key_columns == 0)
    return CompareByRowId(before.pages, rows_before, after.pages, rows_after);
  ChangedRows changed;
  ASSIGN_OR_RETURN(changed.before,
                   KeysOnlyIn(rows_before.records, rows_after.records, before.tree.key_columns));
  ASSIGN_OR_RETURN(changed.after,
                   KeysOnlyIn(rows_after.records, rows_before.records, after.tree.key_columns));
  return changed;
}

}  // namespace viv::engine
