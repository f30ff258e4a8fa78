#include "engine/world_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <vector>

#include "base/errno_error.h"

namespace viv::engine {
namespace {

constexpr char kMagic[] = "VIVWLOG1";
constexpr std::size_t kMagicBytes = 8;
constexpr std::size_t kRecordHeadBytes = 9;  // u32 payload bytes, u32 checksum, u8 kind
constexpr std::size_t kImageIdBytesMax = 256;
constexpr std::uint32_t kPagesMax = 1 << 24;  // 64 GiB
constexpr std::size_t kRunGap = 8;  // equal bytes between two differing runs that do not split them

template <typename T>
void Put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Reads values from a record; `ok` turns false at its end, and stays so.
struct Cursor {
  const char* at;
  const char* end;
  bool ok = true;

  template <typename T>
  T Take() {
    T value{};
    if (end - at < static_cast<std::ptrdiff_t>(sizeof value)) {
      ok = false;
      return value;
    }
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
};

// The runs of bytes in which `now` differs from `before`: count, then offset, length and bytes of
// each.
void PutDifference(std::string& out, const std::byte* before, const std::byte* now) {
  std::size_t count_at = out.size();
  std::uint16_t runs = 0;
  Put(out, runs);
  for (std::size_t i = 0; i < kPageBytes;) {
    if (i % 64 == 0 &&
        std::memcmp(before + i, now + i, 64) == 0) {  // most of a page, most of the time
      i += 64;
      continue;
    }
    if (i % 8 == 0 && std::memcmp(before + i, now + i, 8) == 0) {
      i += 8;
      continue;
    }
    if (before[i] == now[i]) {
      ++i;
      continue;
    }
    std::size_t last = i;  // the last differing byte of this run
    for (std::size_t j = i + 1; j < kPageBytes && j - last <= kRunGap; ++j) {
      if (before[j] != now[j]) last = j;
    }
    Put(out, static_cast<std::uint16_t>(i));
    Put(out, static_cast<std::uint16_t>(last - i + 1));
    out.append(reinterpret_cast<const char*>(now + i), last - i + 1);
    ++runs;
    i = last + 1;
  }
  std::memcpy(out.data() + count_at, &runs, sizeof runs);
}

const std::byte* BytesBefore(const Pages& pages, std::uint32_t number, const PagePtr& before) {
  static constexpr Page kZero{};
  if (before != nullptr) return before->data();
  const Image& image = pages.image();
  bool in_image = number <= image.page_count() && number <= pages.uncommitted().count_before;
  return in_image ? image.page(number) : kZero.data();
}

std::string Finish(std::string payload, WorldLog::Kind kind) {
  std::string record;
  record.reserve(payload.size() + kRecordHeadBytes);
  Put(record, static_cast<std::uint32_t>(payload.size()));
  auto* bytes = reinterpret_cast<const Bytef*>(payload.data());
  Put(record, static_cast<std::uint32_t>(crc32(0, bytes, static_cast<uInt>(payload.size()))));
  Put(record, kind);
  return record += payload;
}

std::string Header(const Image& image) {
  std::string header(kMagic, kMagicBytes);
  Put(header, static_cast<std::uint16_t>(image.id().size()));
  return header += image.id();
}

// The state of `now` as one record over `before`, which stands on the same image.
std::string WholeRecord(const Pages& before, const Pages& now, WorldLog::Kind kind) {
  std::vector<std::uint32_t> numbers;
  for (const auto& [number, page] : now.changed()) numbers.push_back(number);
  for (const auto& [number, page] : before.changed()) {
    if (!now.changed().contains(number)) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  std::string payload;
  Put(payload, now.count());
  Put(payload, static_cast<std::uint32_t>(numbers.size()));
  for (std::uint32_t number : numbers) {
    Put(payload, number);
    PutDifference(payload, before.Read(number), now.Read(number));
  }
  return Finish(std::move(payload), kind);
}

bool ApplyRecord(Pages& pages, Cursor cursor) {
  auto count = cursor.Take<std::uint32_t>();
  auto changes = cursor.Take<std::uint32_t>();
  if (count > kPagesMax) return false;
  std::uint32_t number_max =
      std::max(count, pages.count());  // a truncation's record names the pages it took away
  for (std::uint32_t i = 0; i < changes && cursor.ok; ++i) {
    auto number = cursor.Take<std::uint32_t>();
    auto runs = cursor.Take<std::uint16_t>();
    if (!cursor.ok || number == 0 || number > number_max) return false;
    Page page;
    std::memcpy(page.data(), pages.Read(number), kPageBytes);
    for (std::uint16_t run = 0; run < runs; ++run) {
      auto offset = cursor.Take<std::uint16_t>();
      auto length = cursor.Take<std::uint16_t>();
      if (!cursor.ok || offset + length > static_cast<int>(kPageBytes) ||
          cursor.end - cursor.at < length)
        return false;
      std::memcpy(page.data() + offset, cursor.at, length);
      cursor.at += length;
    }
    pages.Write(number, page.data());
  }
  if (!cursor.ok || cursor.at != cursor.end) return false;
  if (count < pages.count()) pages.Truncate(count);
  return true;
}

Result<std::string> ReadAll(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return Fail(ErrorCode::kInternal, ErrnoMessage(errno));
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    ssize_t got = ::pread(file, bytes.data() + have, bytes.size() - have, static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Fail(ErrorCode::kInternal, ErrnoMessage(errno));
    have += static_cast<std::size_t>(got);
  }
  return bytes;
}

}  // namespace

void WorldLog::CachedFile::Set(UniqueFd file) {
  if (count_.fetch_add(1, std::memory_order_relaxed) < kCachedMax) {
    file_ = std::move(file);
  } else {
    count_.fetch_sub(1, std::memory_order_relaxed);
  }
}

void WorldLog::CachedFile::Close() {
  if (!file_) return;
  file_ = UniqueFd();
  count_.fetch_sub(1, std::memory_order_relaxed);
}

Status WorldLog::WriteTo(int file, const std::string& record, const std::string& path) {
  std::size_t done = 0;
  while (done < record.size()) {
    ssize_t wrote = ::pwrite(file, record.data() + done, record.size() - done,
                             static_cast<off_t>(bytes_ + done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return FailErrno(ErrorCode::kUnavailable, "world log " + path);
    done += static_cast<std::size_t>(wrote);
  }
  bytes_ += record.size();
  return {};
}

Status WorldLog::Append(const Pages& pages, Kind kind) {
  const Pages::Change& change = pages.uncommitted();
  std::string payload;
  Put(payload, pages.count());
  Put(payload, static_cast<std::uint32_t>(change.before.size()));
  for (const auto& [number, before] : change.before) {
    Put(payload, number);
    PutDifference(payload, BytesBefore(pages, number, before), pages.Read(number));
  }
  std::string record = Finish(std::move(payload), kind);
  if (bytes_ == 0) record.insert(0, Header(pages.image()));
  if (cached_file_.get() >= 0) return WriteTo(cached_file_.get(), record, path_);
  UniqueFd file(::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT, 0600));
  if (!file) return FailErrno(ErrorCode::kUnavailable, "world log " + path_);
  RETURN_IF_ERROR(WriteTo(file.get(), record, path_));
  cached_file_.Set(std::move(file));
  return {};
}

Result<std::string> WorldLog::ReadImageId() const {
  UniqueFd file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    if (errno == ENOENT) return std::string();
    return FailErrno(ErrorCode::kInternal, "world log " + path_);
  }
  char head[kMagicBytes + 2 + kImageIdBytesMax];
  ssize_t got = ::pread(file.get(), head, sizeof head, 0);
  if (got < static_cast<ssize_t>(kMagicBytes + 2))
    return std::string();  // cut off before its first record
  std::uint16_t size = 0;
  std::memcpy(&size, head + kMagicBytes, sizeof size);
  if (std::memcmp(head, kMagic, kMagicBytes) != 0 || size > kImageIdBytesMax) {
    return Fail(ErrorCode::kInternal, "world log " + path_ + ": not a world log");
  }
  if (got < static_cast<ssize_t>(kMagicBytes + 2 + size)) return std::string();
  return std::string(head + kMagicBytes + 2, size);
}

Status WorldLog::Replay(Pages& pages, const std::function<void()>& on_baseline) {
  bytes_ = 0;
  UniqueFd file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    if (errno == ENOENT) return {};
    return FailErrno(ErrorCode::kInternal, "world log " + path_);
  }
  ASSIGN_OR_RETURN(std::string bytes, ReadAll(file.get()), "read world log " + path_);
  std::string header = Header(pages.image());
  if (bytes.compare(0, header.size(), header) != 0) {
    // A header cut off by a crash comes before any acknowledged record.
    if (header.compare(0, bytes.size(), bytes) == 0) return {};
    return Fail(ErrorCode::kInternal,
                "world log " + path_ + " does not belong to image " + pages.image().id());
  }
  bytes_ = header.size();
  while (bytes.size() - bytes_ >= kRecordHeadBytes) {
    Cursor cursor{bytes.data() + bytes_, bytes.data() + bytes.size()};
    auto size = cursor.Take<std::uint32_t>();
    auto checksum = cursor.Take<std::uint32_t>();
    auto kind = cursor.Take<Kind>();
    if (cursor.end - cursor.at < static_cast<std::ptrdiff_t>(size)) break;
    auto* payload = reinterpret_cast<const Bytef*>(cursor.at);
    if (crc32(0, payload, size) != checksum) break;
    if (!ApplyRecord(pages, Cursor{cursor.at, cursor.at + size})) {
      return Fail(ErrorCode::kInternal, "world log " + path_ + ": a record is malformed");
    }
    pages.Commit();
    if (kind == Kind::kBaseline) on_baseline();
    bytes_ += kRecordHeadBytes + size;
  }
  return {};
}

Status WorldLog::Remove() {
  cached_file_.Close();
  bytes_ = 0;
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) {
    return FailErrno(ErrorCode::kUnavailable, "world log " + path_);
  }
  return {};
}

Status WorldLog::Rewrite(const Pages& baseline, const Pages& pages) {
  Pages image_only(pages.image_ptr());
  std::string whole = Header(pages.image());
  if (baseline.changed_count() > 0) whole += WholeRecord(image_only, baseline, Kind::kBaseline);
  whole += WholeRecord(baseline, pages, Kind::kCommit);
  std::string next = path_ + ".new";
  std::uint64_t bytes_before = std::exchange(bytes_, 0);
  cached_file_.Close();  // it would be the file that is replaced
  UniqueFd file(::open(next.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT | O_TRUNC, 0600));
  Status written = file ? WriteTo(file.get(), whole, next)
                        : Status(FailErrno(ErrorCode::kUnavailable, "world log " + next));
  if (written && ::rename(next.c_str(), path_.c_str()) != 0) {
    written = FailErrno(ErrorCode::kUnavailable, "world log " + path_);
  }
  if (!written) {
    bytes_ = bytes_before;
    ::unlink(next.c_str());
  }
  return written;
}

}  // namespace viv::engine
