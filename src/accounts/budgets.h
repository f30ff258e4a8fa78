#pragma once
// Limits how much of this server each account may use at once. An operator may set a limit; where
// none is set and several accounts exist, an account's fair share is three times what would stay
// free for the others: one account alone gets three quarters, two get three sevenths each, and
// something always stays free for the next. An account that is over its limit keeps what it has and
// gets no more. Limits are stored; usage is counted again at each start of the server. Thread-safe.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "accounts/document_table.h"
#include "accounts/request_limiter.h"
#include "base/json.h"
#include "base/result.h"
#include "base/task.h"
#include "store/store.h"

namespace viv::accounts {

enum class Budget : std::size_t {
  kBoxes,             // in any state
  kRunning,           // of them, running or starting
  kWorlds,            // sandboxes of simulated applications that are held
  kCpus,              // thousandths of a processor that its running boxes may use
  kMemoryBytes,       // that its running and paused boxes may use
  kMemoryUsedBytes,   // that they do use; measured, without a limit of its own
  kDiskBytes,         // that its boxes, snapshots and what they stand on take; measured
  kBlobs,             // archives on their way to and from boxes
  kBlobBytes,         // that they take
  kBuilds,            // of templates, under way
  kRepositoryBytes,   // that its git repository takes; measured
  kRequestsPerSecond  // to every API and MCP server
};
inline constexpr std::size_t kBudgetCount = 12;

// What a budget is called: in limits and usage as JSON, and in messages.
struct BudgetName {
  std::string_view key;   // "memory_bytes"
  std::string_view word;  // "memory"
  bool can_be_set = true;
};
BudgetName NameOf(Budget budget);

template <typename Value>
class PerBudget {
 public:
  Value& operator[](Budget budget) { return values_[static_cast<std::size_t>(budget)]; }
  const Value& operator[](Budget budget) const { return values_[static_cast<std::size_t>(budget)]; }
  bool operator==(const PerBudget&) const = default;

 private:
  std::array<Value, kBudgetCount> values_{};
};
using Amounts = PerBudget<std::int64_t>;
using AccountLimits = PerBudget<std::optional<std::int64_t>>;  // nullopt: the fair share

// "cpus" is a number of processors, everything else a whole number; kInvalidArgument names the key.
// What is not given stays, null goes back to the fair share.
Result<AccountLimits> ApplyLimitChanges(AccountLimits limits, const json::object& changes);
json::object DescribeLimits(const AccountLimits& limits);
json::object DescribeAmounts(const Amounts& amounts);

// The budget that is used up, which is the detail of such an error; nothing for any other error.
std::optional<Budget> ExceededBudget(const Error& error);

class Budgets {
 public:
  struct Options {
    Amounts totals = {};  // of the whole server; 0: the budget has no fair shares
    std::function<bool()> has_several_accounts = [] { return false; };
  };
  // `store` outlives it.
  static Result<std::unique_ptr<Budgets>> Open(store::DocumentStore& store, Options options);

  AccountLimits LimitsOf(std::string_view account_id) const;
  // Takes effect at once and is stored. An account may already use more than a new limit.
  Task<Status> SetLimits(std::string account_id, AccountLimits limits);

  // All of it or nothing; kLimitExceeded when the account may not have so much more.
  Status Take(std::string_view account_id, const Amounts& more);
  void TakeUnchecked(std::string_view account_id, const Amounts& more);  // for what exists already
  void Return(std::string_view account_id, const Amounts& less);
  Amounts UsageOf(std::string_view account_id) const;
  // What the account may use at most at the moment; nullopt: as much as there is.
  AccountLimits EffectiveLimitsOf(std::string_view account_id) const;

  // A budget that is measured instead of counted: who uses how much, and what is free.
  struct Measured {
    std::map<std::string, std::int64_t, std::less<>> used;
    std::optional<std::int64_t> free;
  };
  void SetMeasured(Budget budget, Measured measured);
  void SetUsed(std::string_view account_id, Budget budget, std::int64_t used);  // of one account
  // For a budget that is counted, whose total changes by itself.
  void SetFree(Budget budget, std::int64_t free);
  // kLimitExceeded when the account uses as much as it may.
  Status CheckBelowLimit(std::string_view account_id, Budget budget) const;
  bool HasSeveralAccounts() const { return options_.has_several_accounts(); }
  bool HasLimitOf(Budget budget) const;  // set for any account

  RequestLimiter& requests() { return requests_; }

 private:
  Budgets(Options options, std::unique_ptr<DocumentTable> stored_limits)
      : options_(std::move(options)), stored_limits_(std::move(stored_limits)) {}

  struct Holder {
    Amounts used;
    AccountLimits limits;
  };
  std::optional<std::int64_t> FreeLocked(Budget budget) const;
  // What the account may have at most when it asks for `more`; nullopt: as much as there is.
  std::optional<std::int64_t> EffectiveLimitLocked(const Holder& holder,
                                                   Budget budget,
                                                   std::int64_t more) const;
  Status CheckLocked(const Holder& holder, Budget budget, std::int64_t more) const;
  void ApplyLimits(const std::string& account_id, const AccountLimits& limits);
  const Holder& HolderLocked(std::string_view account_id) const;
  Holder& MutableHolderLocked(std::string_view account_id);

  const Options options_;
  const std::unique_ptr<DocumentTable> stored_limits_;
  RequestLimiter requests_;
  mutable std::mutex mutex_;  // guards all below
  std::map<std::string, Holder, std::less<>> holders_;
  Amounts total_used_;
  AccountLimits free_;
};

// What one object, such as a box, uses of its account's budgets; the destructor returns it. A
// charge without budgets counts nothing. Used by one thread at a time.
class Charge {
 public:
  Charge() = default;
  Charge(Budgets* budgets, std::string account_id)
      : budgets_(budgets), account_id_(std::move(account_id)) {}
  Charge(Charge&& other) noexcept { Swap(other); }
  Charge& operator=(Charge&& other) noexcept {
    Swap(other);
    return *this;
  }
  ~Charge() { SetUnchecked({}); }

  const Amounts& amounts() const { return amounts_; }
  // Sets the amounts. Increases are checked; kLimitExceeded leaves the charge as it was.
  Status Set(const Amounts& amounts);
  void SetUnchecked(const Amounts& amounts);
  // The destructor returns nothing any more: whoever ends the charged object does.
  void Detach() { amounts_ = {}; }

 private:
  void Swap(Charge& other);

  Budgets* budgets_ = nullptr;
  std::string account_id_;
  Amounts amounts_;
};

}  // namespace viv::accounts
