#include "accounts/budgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/log.h"
#include "base/text.h"

namespace viv::accounts {
namespace {

constexpr std::int64_t kShareFactor = 3;
constexpr std::int64_t kMilli = 1000;
constexpr std::int64_t kLimitMax = 1LL << 53;  // what JSON's numbers can say
constexpr std::string_view kOfThisAccount = " limit of this account";

constexpr std::array<BudgetName, kBudgetCount> kNames = {{
    {"boxes", "box"},
    {"running", "running box"},
    {"worlds", "world"},
    {"cpus", "cpu"},
    {"memory_bytes", "memory"},
    {"memory_used_bytes", "used memory", false},
    {"disk_bytes", "storage"},
    {"blobs", "blob"},
    {"blob_bytes", "blob storage"},
    {"builds", "build"},
    {"repository_bytes", "repository storage"},
    {"requests_per_second", "request"},
}};

template <typename Visit>
void ForEachBudget(Visit visit) {
  for (std::size_t i = 0; i < kBudgetCount; ++i) visit(static_cast<Budget>(i));
}

bool IsInBytes(Budget budget) {
  return NameOf(budget).key.ends_with("_bytes");
}

std::string ShowBytes(std::int64_t bytes) {
  constexpr std::string_view kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto shown = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; shown >= 1024 && unit + 1 < std::size(kUnits); ++unit) shown /= 1024;
  return fmt::format("{:.4g} {}", shown, kUnits[unit]);
}

std::string ShowAmount(Budget budget, std::int64_t amount) {
  if (budget == Budget::kCpus)
    return fmt::format("{:g}", static_cast<double>(amount) / static_cast<double>(kMilli));
  return IsInBytes(budget) ? ShowBytes(amount) : std::to_string(amount);
}

json::value AmountAsJson(Budget budget, std::int64_t amount) {
  if (budget != Budget::kCpus) return amount;
  if (amount % kMilli == 0) return amount / kMilli;
  return static_cast<double>(amount) / static_cast<double>(kMilli);
}

tl::unexpected<Error> BadLimit(Budget budget, std::string_view expected) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: {} is expected, or null", NameOf(budget).key, expected));
}

Result<std::int64_t> ReadLimit(Budget budget, const json::value& given) {
  if (budget == Budget::kCpus) {
    if (!given.is_number()) return BadLimit(budget, "a number of processors");
    const double cpus = given.to_number<double>();
    if (!(cpus >= 0) || cpus > 1e6) return BadLimit(budget, "a number from 0 to 1000000");
    return static_cast<std::int64_t>(std::llround(cpus * static_cast<double>(kMilli)));
  }
  boost::system::error_code not_whole;
  const auto number = given.is_number() ? given.to_number<std::int64_t>(not_whole) : -1;
  if (not_whole || number < 0 || number > kLimitMax)
    return BadLimit(budget, "a whole number from 0 to 2^53");
  return number;
}

// Limits that only a newer server knows are skipped; the others apply.
AccountLimits ReadStoredLimits(const DocumentTable::Entry& entry) {
  AccountLimits limits;
  const json::object* body = entry.body.if_object();
  if (body == nullptr) return limits;
  for (const auto& [key, value] : *body) {
    auto changed = ApplyLimitChanges(limits, json::object{{key, value}});
    if (changed) {
      limits = *changed;
    } else {
      log::Error("account.limit_unreadable",
                 {{"account", entry.id}, {"error", changed.error().message}});
    }
  }
  return limits;
}

}  // namespace

BudgetName NameOf(Budget budget) {
  return kNames[static_cast<std::size_t>(budget)];
}

Result<AccountLimits> ApplyLimitChanges(AccountLimits limits, const json::object& changes) {
  for (const auto& [key, given] : changes) {
    std::optional<Budget> named;
    ForEachBudget([&, name = View(key)](Budget budget) {
      if (NameOf(budget).key == name && NameOf(budget).can_be_set) named = budget;
    });
    if (!named)
      return Fail(ErrorCode::kInvalidArgument,
                  "there is no limit named '" + Printable(View(key), 64) + "'");
    if (given.is_null()) {
      limits[*named].reset();
      continue;
    }
    ASSIGN_OR_RETURN(limits[*named], ReadLimit(*named, given));
  }
  return limits;
}

json::object DescribeLimits(const AccountLimits& limits) {
  json::object described;
  ForEachBudget([&](Budget budget) {
    if (NameOf(budget).can_be_set)
      described[NameOf(budget).key] =
          limits[budget] ? AmountAsJson(budget, *limits[budget]) : json::value();
  });
  return described;
}

json::object DescribeAmounts(const Amounts& amounts) {
  json::object described;
  ForEachBudget([&](Budget budget) {
    if (budget != Budget::kRequestsPerSecond)
      described[NameOf(budget).key] = AmountAsJson(budget, amounts[budget]);
  });
  return described;
}

std::optional<Budget> ExceededBudget(const Error& error) {
  if (error.code != ErrorCode::kLimitExceeded) return std::nullopt;
  return error.detail.As<Budget>();
}

Result<std::unique_ptr<Budgets>> Budgets::Open(store::DocumentStore& store, Options options) {
  ASSIGN_OR_RETURN(std::unique_ptr<DocumentTable> stored_limits,
                   DocumentTable::Load(store, "account.limits"));
  const std::vector<DocumentTable::EntryPtr> entries = stored_limits->All();
  std::unique_ptr<Budgets> budgets(new Budgets(std::move(options), std::move(stored_limits)));
  for (const DocumentTable::EntryPtr& entry : entries) {
    budgets->ApplyLimits(entry->id, ReadStoredLimits(*entry));
  }
  return budgets;
}

void Budgets::ApplyLimits(const std::string& account_id, const AccountLimits& limits) {
  requests_.SetLimit(account_id, limits[Budget::kRequestsPerSecond]);
  std::lock_guard lock(mutex_);
  MutableHolderLocked(account_id).limits = limits;
}

AccountLimits Budgets::LimitsOf(std::string_view account_id) const {
  std::lock_guard lock(mutex_);
  return HolderLocked(account_id).limits;
}

Task<Status> Budgets::SetLimits(std::string account_id, AccountLimits limits) {
  if (limits == AccountLimits()) {
    CO_RETURN_IF_ERROR(co_await stored_limits_->Remove(account_id), "remove the limits");
  } else {
    DocumentTable::Entry entry;
    entry.id = entry.account_id = account_id;
    entry.body = DescribeLimits(limits);
    CO_RETURN_IF_ERROR(co_await stored_limits_->Put(std::move(entry)), "store the limits");
  }
  ApplyLimits(account_id, limits);
  co_return Status();
}

const Budgets::Holder& Budgets::HolderLocked(std::string_view account_id) const {
  static const Holder kNobody;
  auto found = holders_.find(account_id);
  return found == holders_.end() ? kNobody : found->second;
}

Budgets::Holder& Budgets::MutableHolderLocked(std::string_view account_id) {
  auto found = holders_.find(account_id);
  return found != holders_.end() ? found->second : holders_[std::string(account_id)];
}

std::optional<std::int64_t> Budgets::FreeLocked(Budget budget) const {
  if (free_[budget]) return free_[budget];
  const std::int64_t total = options_.totals[budget];
  if (total == 0) return std::nullopt;
  return std::max<std::int64_t>(0, total - total_used_[budget]);
}

std::optional<std::int64_t> Budgets::EffectiveLimitLocked(const Holder& holder,
                                                          Budget budget,
                                                          std::int64_t more) const {
  if (holder.limits[budget]) return holder.limits[budget];
  const auto free = FreeLocked(budget);
  if (!free) return std::nullopt;
  const std::int64_t used = holder.used[budget];
  // With as much more as the share allows, used + more = factor * (free - more).
  const std::int64_t room = std::max<std::int64_t>(0, kShareFactor * *free - used);
  const std::int64_t most = used + room / (kShareFactor + 1);
  if (used + more <= most && more > 0) return most;
  // Checked last, because few requests come this far: a single account shares with nobody.
  return options_.has_several_accounts() ? std::optional(most) : std::nullopt;
}

Status Budgets::CheckLocked(const Holder& holder, Budget budget, std::int64_t more) const {
  const auto most = EffectiveLimitLocked(holder, budget, more);
  const std::int64_t used = holder.used[budget];
  if (!most || used + more <= *most) return {};
  const bool is_set = holder.limits[budget].has_value();
  return Fail(ErrorCode::kLimitExceeded,
              fmt::format("{}{}: {} {}, {} in use and {} more asked for", NameOf(budget).word,
                          kOfThisAccount, ShowAmount(budget, *most),
                          is_set ? "allowed" : "as its fair share", ShowAmount(budget, used),
                          ShowAmount(budget, more)),
              ErrorDetail(budget));
}

Status Budgets::Take(std::string_view account_id, const Amounts& more) {
  std::lock_guard lock(mutex_);
  Status allowed;
  const Holder& holder = HolderLocked(account_id);
  ForEachBudget([&](Budget budget) {
    if (allowed && more[budget] > 0) allowed = CheckLocked(holder, budget, more[budget]);
  });
  if (!allowed) return allowed;
  Holder& taking = MutableHolderLocked(account_id);
  ForEachBudget([&](Budget budget) {
    taking.used[budget] += more[budget];
    total_used_[budget] += more[budget];
  });
  return {};
}

void Budgets::TakeUnchecked(std::string_view account_id, const Amounts& more) {
  std::lock_guard lock(mutex_);
  Holder& taking = MutableHolderLocked(account_id);
  ForEachBudget([&](Budget budget) {
    taking.used[budget] += more[budget];
    total_used_[budget] += more[budget];
  });
}

void Budgets::Return(std::string_view account_id, const Amounts& less) {
  std::lock_guard lock(mutex_);
  Holder& giving = MutableHolderLocked(account_id);
  ForEachBudget([&](Budget budget) {
    giving.used[budget] -= less[budget];
    total_used_[budget] -= less[budget];
  });
}

Amounts Budgets::UsageOf(std::string_view account_id) const {
  std::lock_guard lock(mutex_);
  return HolderLocked(account_id).used;
}

AccountLimits Budgets::EffectiveLimitsOf(std::string_view account_id) const {
  std::lock_guard lock(mutex_);
  AccountLimits most;
  const Holder& holder = HolderLocked(account_id);
  ForEachBudget([&](Budget budget) { most[budget] = EffectiveLimitLocked(holder, budget, 0); });
  return most;
}

void Budgets::SetMeasured(Budget budget, Measured measured) {
  std::lock_guard lock(mutex_);
  total_used_[budget] = 0;
  for (auto& [account_id, holder] : holders_) holder.used[budget] = 0;
  for (const auto& [account_id, used] : measured.used) {
    MutableHolderLocked(account_id).used[budget] = used;
    total_used_[budget] += used;
  }
  free_[budget] = measured.free;
}

void Budgets::SetUsed(std::string_view account_id, Budget budget, std::int64_t used) {
  std::lock_guard lock(mutex_);
  std::int64_t& known = MutableHolderLocked(account_id).used[budget];
  total_used_[budget] += used - known;
  known = used;
}

void Budgets::SetFree(Budget budget, std::int64_t free) {
  std::lock_guard lock(mutex_);
  free_[budget] = free;
}

Status Budgets::CheckBelowLimit(std::string_view account_id, Budget budget) const {
  std::lock_guard lock(mutex_);
  const Holder& holder = HolderLocked(account_id);
  if (CheckLocked(holder, budget, 1)) return {};
  return Fail(ErrorCode::kLimitExceeded,
              fmt::format("{}{}: it is used up, with {} in use", NameOf(budget).word,
                          kOfThisAccount, ShowAmount(budget, holder.used[budget])),
              ErrorDetail(budget));
}

bool Budgets::HasLimitOf(Budget budget) const {
  std::lock_guard lock(mutex_);
  return std::any_of(holders_.begin(), holders_.end(),
                     [budget](const auto& it) { return it.second.limits[budget].has_value(); });
}

Status Charge::Set(const Amounts& amounts) {
  if (budgets_ == nullptr) return {};
  Amounts more, less;
  ForEachBudget([&](Budget budget) {
    const std::int64_t change = amounts[budget] - amounts_[budget];
    (change > 0 ? more : less)[budget] = std::abs(change);
  });
  RETURN_IF_ERROR(budgets_->Take(account_id_, more));
  budgets_->Return(account_id_, less);
  amounts_ = amounts;
  return {};
}

void Charge::SetUnchecked(const Amounts& amounts) {
  if (budgets_ == nullptr || amounts == amounts_) return;
  budgets_->TakeUnchecked(account_id_, amounts);
  budgets_->Return(account_id_, amounts_);
  amounts_ = amounts;
}

void Charge::Swap(Charge& other) {
  std::swap(budgets_, other.budgets_);
  std::swap(account_id_, other.account_id_);
  std::swap(amounts_, other.amounts_);
}

}  // namespace viv::accounts
