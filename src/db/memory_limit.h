#pragma once
// How much memory SQLite may take on the calling thread. SQLite's allocations are counted per
// thread; while a limit stands, one that would exceed it fails, and SQLite ends the statement with
// SQLITE_NOMEM, as it does where memory is short. Our connections are used by one thread at a time,
// so that the count is that of the statements the thread runs.

#include <cstddef>
#include <cstdint>

namespace viv::db {

// Counts from now on. Must come before SQLite is used for the first time, and is harmless
// afterwards; Connection::Open does it.
void CountMemory();

// Asked before each allocation of more than a page; false refuses it.
using AllocationCheck = bool (*)(std::size_t bytes);

// The limit holds while the object exists. Within another limit the tighter one holds. It is
// created and destroyed on one thread.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::int64_t bytes_max, AllocationCheck check = nullptr);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  std::int64_t outer_limit_;
  AllocationCheck outer_check_;
};

// Lifts every limit of the thread while the object exists, for work that must not fail, such as a
// rollback.
class WithoutMemoryLimit {
 public:
  WithoutMemoryLimit();
  ~WithoutMemoryLimit();
  WithoutMemoryLimit(const WithoutMemoryLimit&) = delete;
  WithoutMemoryLimit& operator=(const WithoutMemoryLimit&) = delete;

 private:
  std::int64_t outer_limit_;
  AllocationCheck outer_check_;
};

// Charges memory that a statement uses outside SQLite, such as what its functions gather. False
// when the limit is reached. Charged memory must be uncharged.
bool ChargeMemory(std::size_t bytes);
void UnchargeMemory(std::size_t bytes);

}  // namespace viv::db
