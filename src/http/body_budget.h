#pragma once
// Limits the memory that the bodies of all pending requests take together, and the part of it that
// one owner takes: an owner who sends many large bodies at once waits before others have to wait.
// Thread-safe.

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace viv::http {

class BodyBudget {
 public:
  // A part of the budget. The destructor returns it.
  class Charge {
   public:
    Charge() = default;
    ~Charge() { Release(); }
    Charge(const Charge&) = delete;
    Charge& operator=(const Charge&) = delete;

    std::size_t bytes() const { return bytes_; }
    void Release();

   private:
    friend class BodyBudget;
    BodyBudget* budget_ = nullptr;
    std::string owner_;
    std::size_t bytes_ = 0;
  };

  explicit BodyBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // The most bytes that one owner may take at a time.
  std::size_t owner_bytes_max() const { return bytes_max_ / 2; }

  // Raises the charge to `bytes`, or returns false and changes nothing. A charge has one owner.
  bool Raise(Charge& charge, const std::string& owner, std::size_t bytes);

  // A request that waits until others release memory. The number of waiters is limited.
  class Waiter {
   public:
    explicit Waiter(BodyBudget& budget);
    ~Waiter();
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    bool may_wait() const { return may_wait_; }

   private:
    BodyBudget& budget_;
    bool may_wait_;
  };

  std::size_t used() const;

 private:
  void Uncharge(const std::string& owner, std::size_t bytes);

  const std::size_t bytes_max_;
  mutable std::mutex mutex_;  // guards those below
  std::size_t used_ = 0;
  std::size_t waiters_ = 0;
  std::map<std::string, std::size_t, std::less<>> used_by_;
};

}  // namespace viv::http
