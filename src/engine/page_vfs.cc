#include "engine/page_vfs.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "db/memory_limit.h"
#include "engine/limits/work.h"

namespace viv::engine {
namespace {

constexpr char kVfsName[] = "viv-pages";

struct PageFile {
  sqlite3_file base;
  const Pages* pages;
  Pages* writable;  // the same pages, or nullptr when they are only read
};

const Pages* PagesOf(sqlite3_file* file) {
  return reinterpret_cast<PageFile*>(file)->pages;
}
Pages* WritablePagesOf(sqlite3_file* file) {
  return reinterpret_cast<PageFile*>(file)->writable;
}

int Close(sqlite3_file* /*file*/) {
  return SQLITE_OK;
}

int Read(sqlite3_file* file, void* out, int amount, sqlite3_int64 offset) {
  const Pages* pages = PagesOf(file);
  auto* to = static_cast<std::byte*>(out);
  auto end = pages == nullptr ? 0
                              : static_cast<sqlite3_int64>(pages->count()) *
                                    static_cast<sqlite3_int64>(kPageBytes);
  if (offset >= end) {
    std::memset(out, 0, static_cast<std::size_t>(amount));
    return SQLITE_IOERR_SHORT_READ;
  }
  while (amount > 0) {
    auto within = static_cast<std::size_t>(offset) % kPageBytes;
    std::size_t size = std::min(kPageBytes - within, static_cast<std::size_t>(amount));
    auto number = static_cast<std::uint32_t>(static_cast<std::size_t>(offset) / kPageBytes + 1);
    std::memcpy(to, pages->Read(number) + within, size);
    to += size;
    offset += static_cast<sqlite3_int64>(size);
    amount -= static_cast<int>(size);
  }
  return SQLITE_OK;
}

int Write(sqlite3_file* file, const void* data, int amount, sqlite3_int64 offset) {
  Pages* pages = WritablePagesOf(file);
  bool whole_page = amount == static_cast<int>(kPageBytes) &&
                    offset % static_cast<sqlite3_int64>(kPageBytes) == 0;
  if (pages == nullptr || !whole_page) return SQLITE_IOERR_WRITE;
  pages->Write(static_cast<std::uint32_t>(offset / static_cast<sqlite3_int64>(kPageBytes) + 1),
               static_cast<const std::byte*>(data));
  return SQLITE_OK;
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  Pages* pages = WritablePagesOf(file);
  if (pages == nullptr) return SQLITE_IOERR_TRUNCATE;
  pages->Truncate(static_cast<std::uint32_t>(size / static_cast<sqlite3_int64>(kPageBytes)));
  return SQLITE_OK;
}

int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  const Pages* pages = PagesOf(file);
  *size = pages == nullptr
              ? 0
              : static_cast<sqlite3_int64>(pages->count()) * static_cast<sqlite3_int64>(kPageBytes);
  return SQLITE_OK;
}

// One call at a time uses a world, so that locks and syncs have nothing to do; durability is the
// world log's.
int Sync(sqlite3_file* /*file*/, int /*flags*/) {
  return SQLITE_OK;
}
int Lock(sqlite3_file* /*file*/, int /*level*/) {
  return SQLITE_OK;
}
int CheckReservedLock(sqlite3_file* /*file*/, int* held) {
  *held = 0;
  return SQLITE_OK;
}
int FileControl(sqlite3_file* /*file*/, int /*op*/, void* /*argument*/) {
  return SQLITE_NOTFOUND;
}
int SectorSize(sqlite3_file* /*file*/) {
  return static_cast<int>(kPageBytes);
}
int DeviceCharacteristics(sqlite3_file* /*file*/) {
  return SQLITE_IOCAP_ATOMIC4K | SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

constexpr sqlite3_io_methods kMethods = {
    .iVersion = 1,
    .xClose = Close,
    .xRead = Read,
    .xWrite = Write,
    .xTruncate = Truncate,
    .xSync = Sync,
    .xFileSize = FileSize,
    .xLock = Lock,
    .xUnlock = Lock,
    .xCheckReservedLock = CheckReservedLock,
    .xFileControl = FileControl,
    .xSectorSize = SectorSize,
    .xDeviceCharacteristics = DeviceCharacteristics,
    .xShmMap = nullptr,
    .xShmLock = nullptr,
    .xShmBarrier = nullptr,
    .xShmUnmap = nullptr,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

int Open(
    sqlite3_vfs* /*vfs*/, const char* /*name*/, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0)
    return SQLITE_CANTOPEN;  // journals and temporary files stay in memory
  auto* page_file = reinterpret_cast<PageFile*>(file);
  page_file->base.pMethods = &kMethods;
  page_file->pages = nullptr;
  page_file->writable = nullptr;
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

int Delete(sqlite3_vfs* /*vfs*/, const char* /*name*/, int /*sync*/) {
  return SQLITE_OK;
}
int Access(sqlite3_vfs* /*vfs*/, const char* /*name*/, int /*flags*/, int* result) {
  *result = 0;
  return SQLITE_OK;
}
int FullPathname(sqlite3_vfs* /*vfs*/, const char* name, int size, char* out) {
  sqlite3_snprintf(size, out, "%s", name);
  return SQLITE_OK;
}

// Time, randomness and sleeping are the default VFS's.
sqlite3_vfs MakeVfs() {
  sqlite3_vfs* base = sqlite3_vfs_find(nullptr);
  CHECK(base != nullptr);
  sqlite3_vfs vfs = *base;
  vfs.iVersion = 1;
  vfs.szOsFile = sizeof(PageFile);
  vfs.pNext = nullptr;
  vfs.zName = kVfsName;
  vfs.xOpen = Open;
  vfs.xDelete = Delete;
  vfs.xAccess = Access;
  vfs.xFullPathname = FullPathname;
  return vfs;
}

void RegisterOnce() {
  static sqlite3_vfs vfs = MakeVfs();
  static const int registered = sqlite3_vfs_register(&vfs, 0);
  CHECK(registered == SQLITE_OK);
}

}  // namespace

Result<db::Connection> OpenPageConnection() {
  db::CountMemory();
  RegisterOnce();
  ASSIGN_OR_RETURN(
      db::Connection connection,
      db::Connection::Open("world", SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, kVfsName));
  RETURN_IF_ERROR(connection.Execute(
      "PRAGMA journal_mode=MEMORY; PRAGMA temp_store=MEMORY; PRAGMA synchronous=OFF; "
      "PRAGMA secure_delete=OFF; PRAGMA foreign_keys=ON; PRAGMA trusted_schema=ON; "
      "PRAGMA cache_size=-2000"));
  InstallWorkLimits(connection.get());
  return connection;
}

namespace {

// The file behind a database of the connection, which forgets what it had cached.
PageFile& ForgetFile(db::Connection& connection, const char* database) {
  sqlite3_file* file = nullptr;
  int found = sqlite3_file_control(connection.get(), database, SQLITE_FCNTL_FILE_POINTER, &file);
  CHECK(found == SQLITE_OK && file != nullptr && file->pMethods == &kMethods);
  int reset = sqlite3_file_control(connection.get(), database, SQLITE_FCNTL_RESET_CACHE, nullptr);
  CHECK(reset == SQLITE_OK);
  return *reinterpret_cast<PageFile*>(file);
}

}  // namespace

void AttachPages(db::Connection& connection, Pages* pages, const char* database) {
  PageFile& file = ForgetFile(connection, database);
  file.pages = pages;
  file.writable = pages;
}

void AttachPagesReadOnly(db::Connection& connection, const Pages* pages, const char* database) {
  PageFile& file = ForgetFile(connection, database);
  file.pages = pages;
  file.writable = nullptr;
}

}  // namespace viv::engine
