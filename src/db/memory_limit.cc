#include "db/memory_limit.h"

#include <sqlite3.h>

#include <algorithm>
#include <limits>

namespace viv::db {
namespace {

constexpr int kCheckedBytesMin = 4096;

struct ThreadMemory {
  std::int64_t used = 0;  // negative where another thread's memory was freed
  std::int64_t limit = std::numeric_limits<std::int64_t>::max();
  AllocationCheck check = nullptr;
};

constinit thread_local ThreadMemory thread_memory;

sqlite3_mem_methods& Allocator() {
  static sqlite3_mem_methods methods;
  return methods;
}

bool MayTake(std::int64_t bytes) {
  ThreadMemory& memory = thread_memory;
  if (memory.used + bytes > memory.limit) return false;
  return memory.check == nullptr || bytes <= kCheckedBytesMin ||
         memory.check(static_cast<std::size_t>(bytes));
}

void* CountedMalloc(int bytes) {
  if (!MayTake(bytes)) return nullptr;
  void* taken = Allocator().xMalloc(bytes);
  if (taken != nullptr) thread_memory.used += Allocator().xSize(taken);
  return taken;
}

void CountedFree(void* given) {
  thread_memory.used -= Allocator().xSize(given);
  Allocator().xFree(given);
}

void* CountedRealloc(void* given, int bytes) {
  const std::int64_t before = Allocator().xSize(given);
  if (bytes > before && !MayTake(bytes - before)) return nullptr;
  void* taken = Allocator().xRealloc(given, bytes);
  if (taken != nullptr) thread_memory.used += Allocator().xSize(taken) - before;
  return taken;
}

bool InstallCounter() {
  // To keep SQLite's own count every allocation of every thread would take one lock.
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &Allocator()) != SQLITE_OK) return false;
  if (Allocator().xMalloc == nullptr) return false;
  sqlite3_mem_methods counted = Allocator();
  counted.xMalloc = CountedMalloc;
  counted.xFree = CountedFree;
  counted.xRealloc = CountedRealloc;
  return sqlite3_config(SQLITE_CONFIG_MALLOC, &counted) == SQLITE_OK;
}

}  // namespace

void CountMemory() {
  static const bool installed = InstallCounter();
  (void)installed;
}

MemoryLimit::MemoryLimit(std::int64_t bytes_max, AllocationCheck check)
    : outer_limit_(thread_memory.limit), outer_check_(thread_memory.check) {
  if (bytes_max <
      std::numeric_limits<std::int64_t>::max() - std::max<std::int64_t>(0, thread_memory.used)) {
    thread_memory.limit = std::min(outer_limit_, thread_memory.used + bytes_max);
  }
  if (check != nullptr) thread_memory.check = check;
}

MemoryLimit::~MemoryLimit() {
  thread_memory.limit = outer_limit_;
  thread_memory.check = outer_check_;
}

WithoutMemoryLimit::WithoutMemoryLimit()
    : outer_limit_(thread_memory.limit), outer_check_(thread_memory.check) {
  thread_memory.limit = std::numeric_limits<std::int64_t>::max();
  thread_memory.check = nullptr;
}

WithoutMemoryLimit::~WithoutMemoryLimit() {
  thread_memory.limit = outer_limit_;
  thread_memory.check = outer_check_;
}

bool ChargeMemory(std::size_t bytes) {
  const auto wanted = static_cast<std::int64_t>(bytes);
  if (!MayTake(wanted)) return false;
  thread_memory.used += wanted;
  return true;
}

void UnchargeMemory(std::size_t bytes) {
  thread_memory.used -= static_cast<std::int64_t>(bytes);
}

}  // namespace viv::db
