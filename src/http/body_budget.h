#pragma once
// How much memory the bodies of all requests under way may take, and how much of it one owner:
// whoever sends many large ones at once waits for himself before others wait for him. Thread-safe.

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace viv::http {

class BodyBudget {
 public:
  // A part of the budget, which goes back with it.
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

  // What one owner may have at a time.
  std::size_t owner_bytes_max() const { return bytes_max_ / 2; }

  // Raises the charge to `bytes`, at once or not at all. A charge has one owner.
  bool Raise(Charge& charge, const std::string& owner, std::size_t bytes);

  // One who waits for others to give back; only so many do.
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
