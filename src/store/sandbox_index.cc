#include "store/sandbox_index.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "store/tag_words.h"

namespace viv::store {
namespace {

// Beyond these, tags take memory but no place in the index: such rows are looked at one by one.
constexpr std::size_t kTagWordsMax = 64;
constexpr std::size_t kTagWordBytesMax = 256;

bool AreIndexed(const std::vector<std::string>& words) {
  if (words.size() > kTagWordsMax) return false;
  return std::all_of(words.begin(), words.end(),
                     [](const std::string& word) { return word.size() <= kTagWordBytesMax; });
}

template <typename Set>
SandboxPtr FindIn(const Set& set, std::string_view key) {
  auto found = set.find(key);
  return found == set.end() ? nullptr : *found;
}

bool Expires(const Sandbox& sandbox) {
  return !sandbox.lease_id.empty() && sandbox.expires_at_us.has_value();
}

std::string Name(const Sandbox& sandbox) {
  return sandbox.server + " sandbox " + sandbox.id;
}

Status CheckRow(const Sandbox& row) {
  if (row.state == SandboxState::kIdle && !(row.account_id.empty() && row.lease_id.empty())) {
    return Fail(ErrorCode::kInvalidArgument, Name(row) + " cannot be idle and held");
  }
  if (row.state == SandboxState::kOccupied && (row.account_id.empty() || row.lease_id.empty())) {
    return Fail(ErrorCode::kInvalidArgument, Name(row) + " is occupied without holder or lease");
  }
  return {};
}

}  // namespace

bool SandboxIndex::LongestIdleFirst::operator()(const SandboxPtr& a, const SandboxPtr& b) const {
  return std::tie(a->updated_at_us, a->id) < std::tie(b->updated_at_us, b->id);
}

bool SandboxIndex::FirstExpiredFirst::operator()(const SandboxPtr& a, const SandboxPtr& b) const {
  return std::tie(*a->expires_at_us, a->id) < std::tie(*b->expires_at_us, b->id);
}

SandboxPtr SandboxIndex::Find(std::string_view id) const {
  return FindIn(by_id_, id);
}

SandboxPtr SandboxIndex::FindByLease(std::string_view lease_id) const {
  return FindIn(by_lease_, lease_id);
}

SandboxStore::Page SandboxIndex::List(const SandboxStore::ListQuery& query) const {
  SandboxStore::Page page;
  auto holdings = accounts_.find(query.account_id);
  if (holdings == accounts_.end()) return page;
  const NewestFirst* rows = &holdings->second.all;
  std::vector<const ServerRows*> servers;
  if (!query.server.empty()) {
    auto of_server = holdings->second.by_server.find(query.server);
    if (of_server == holdings->second.by_server.end()) return page;
    rows = &of_server->second.all;
    servers.push_back(&of_server->second);
  } else if (!query.tags.empty()) {
    for (const auto& [name, of_server] : holdings->second.by_server) servers.push_back(&of_server);
  }
  if (!query.tags.empty()) return ListByTags(servers, query);
  if (query.accept == nullptr) {
    page.total = rows->size();
    page.sandboxes = rows->Page(query.offset, query.limit);
  } else {
    page.sandboxes = rows->Page(query.accept, query.offset, query.limit, page.total);
  }
  return page;
}

// Pages of the lists that can have such rows, put in order. Usually that is one list, whose page is
// the answer.
SandboxStore::Page SandboxIndex::ListByTags(const std::vector<const ServerRows*>& servers,
                                            const SandboxStore::ListQuery& query) {
  auto fits = [&query](const Sandbox& row) {
    return HasTagWords(row.tags_json, query.tags) && (query.accept == nullptr || query.accept(row));
  };
  bool word_is_all = query.tags.size() == 1 && query.accept == nullptr;
  std::vector<std::pair<const NewestFirst*, bool>> lists;  // and whether each of its rows fits
  for (const ServerRows* rows : servers) {
    const NewestFirst* shortest = nullptr;
    for (const std::string& word : query.tags) {
      auto found = rows->by_tag.find(word);
      if (found == rows->by_tag.end()) {
        shortest = nullptr;
        break;
      }
      if (shortest == nullptr || found->second.size() < shortest->size()) shortest = &found->second;
    }
    if (shortest != nullptr) lists.emplace_back(shortest, word_is_all);
    if (rows->unindexed.size() > 0) lists.emplace_back(&rows->unindexed, false);
  }
  SandboxStore::Page page;
  if (lists.size() == 1 && lists.front().second) {
    page.total = lists.front().first->size();
    page.sandboxes = lists.front().first->Page(query.offset, query.limit);
    return page;
  }
  std::size_t wanted =
      query.limit > SIZE_MAX - query.offset ? SIZE_MAX : query.offset + query.limit;
  for (const auto& [rows, all_fit] : lists) {
    std::size_t total = rows->size();
    std::vector<SandboxPtr> part =
        all_fit ? rows->Page(0, wanted) : rows->Page(fits, 0, wanted, total);
    page.total += total;
    std::move(part.begin(), part.end(), std::back_inserter(page.sandboxes));
  }
  std::sort(page.sandboxes.begin(), page.sandboxes.end(),
            [](const SandboxPtr& a, const SandboxPtr& b) { return LongestIdleFirst()(b, a); });
  page.sandboxes.resize(std::min(page.sandboxes.size(), wanted));
  auto skipped = static_cast<std::ptrdiff_t>(std::min(page.sandboxes.size(), query.offset));
  page.sandboxes.erase(page.sandboxes.begin(), page.sandboxes.begin() + skipped);
  return page;
}

std::vector<SandboxPtr> SandboxIndex::ExpiredAt(std::int64_t now_us, std::size_t limit) const {
  std::vector<SandboxPtr> expired;
  for (const SandboxPtr& sandbox : leases_by_end_) {
    if (expired.size() >= limit || *sandbox->expires_at_us > now_us) break;
    expired.push_back(sandbox);
  }
  return expired;
}

void SandboxIndex::ForEach(const std::function<void(const Sandbox&)>& visit) const {
  for (const SandboxPtr& sandbox : by_id_) visit(*sandbox);
}

Result<SandboxIndex::Change> SandboxIndex::PlanAcquire(SandboxStore::AcquireRequest request) const {
  Sandbox& lease = request.lease;
  if (lease.server.empty()) return Fail(ErrorCode::kInvalidArgument, "a lease needs a server");
  lease.state = SandboxState::kOccupied;
  RETURN_IF_ERROR(CheckRow(lease));
  if (FindByLease(lease.lease_id) != nullptr) {
    return Fail(ErrorCode::kConflict, "the lease of " + Name(lease) + " exists");
  }
  ASSIGN_OR_RETURN(SandboxPtr before, FindIdle(request));
  if (before != nullptr) {
    lease.id = before->id;
    lease.kind = before->kind;
    lease.email = before->email;
    lease.created_at_us = before->created_at_us;
  } else {
    if (request.email) lease.email = *std::move(request.email);
    RETURN_IF_ERROR(CheckNewRow(lease, request.sandboxes_max));
  }
  auto after = std::make_shared<const Sandbox>(std::move(lease));
  return Change{std::move(before), std::move(after)};
}

// The row to take; nullptr when a new one is to be made.
Result<SandboxPtr> SandboxIndex::FindIdle(const SandboxStore::AcquireRequest& request) const {
  auto pool = pools_.find(request.lease.server);
  if (pool == pools_.end()) return nullptr;
  if (!request.email) {
    const auto& idle = pool->second.idle;
    return idle.empty() ? nullptr : *idle.begin();
  }
  SandboxPtr asked = FindIn(pool->second.by_email, *request.email);
  if (asked != nullptr && asked->state != SandboxState::kIdle) {
    return Fail(ErrorCode::kConflict, request.lease.server + " " + *request.email + " is in use");
  }
  return asked;
}

Status SandboxIndex::CheckNewRow(const Sandbox& row, std::size_t sandboxes_max) const {
  if (row.id.empty()) return Fail(ErrorCode::kInvalidArgument, "a new sandbox needs an id");
  if (Find(row.id) != nullptr) return Fail(ErrorCode::kConflict, Name(row) + " exists");
  auto pool = pools_.find(row.server);
  const std::size_t rows = pool == pools_.end() ? 0 : pool->second.rows;
  if (rows >= sandboxes_max) {
    return Fail(ErrorCode::kLimitExceeded,
                "all " + std::to_string(rows) + " sandboxes of " + row.server + " are in use");
  }
  if (pool != pools_.end() && pool->second.by_email.contains(row.email)) {
    return Fail(ErrorCode::kConflict, row.server + " " + row.email + " exists");
  }
  return {};
}

Result<SandboxIndex::Change> SandboxIndex::PlanUpdate(Sandbox sandbox,
                                                      std::string_view lease_id) const {
  SandboxPtr before = Find(sandbox.id);
  if (before == nullptr) return Fail(ErrorCode::kNotFound, Name(sandbox) + " does not exist");
  if (before->lease_id != lease_id) {
    return Fail(ErrorCode::kConflict, Name(sandbox) + " has another lease by now");
  }
  if (std::tie(sandbox.kind, sandbox.server, sandbox.email) !=
      std::tie(before->kind, before->server, before->email)) {
    return Fail(ErrorCode::kInvalidArgument, Name(*before) + " keeps its kind, server and email");
  }
  sandbox.created_at_us = before->created_at_us;
  RETURN_IF_ERROR(CheckRow(sandbox));
  SandboxPtr same_lease = FindByLease(sandbox.lease_id);
  if (same_lease != nullptr && same_lease != before) {
    return Fail(ErrorCode::kConflict, "the new lease of " + Name(sandbox) + " exists");
  }
  auto after = std::make_shared<const Sandbox>(std::move(sandbox));
  return Change{std::move(before), std::move(after)};
}

void SandboxIndex::Replace(const SandboxPtr& before, const SandboxPtr& after) {
  if (before != nullptr) Erase(before);
  if (after != nullptr) Insert(after);
}

void SandboxIndex::Insert(const SandboxPtr& sandbox) {
  CHECK(by_id_.insert(sandbox).second);
  if (!sandbox->lease_id.empty()) CHECK(by_lease_.insert(sandbox).second);
  Pool& pool = pools_[sandbox->server];
  ++pool.rows;
  if (!sandbox->email.empty()) CHECK(pool.by_email.insert(sandbox).second);
  if (sandbox->state == SandboxState::kIdle) pool.idle.insert(sandbox);
  if (!sandbox->account_id.empty()) {
    AccountRows& holdings = accounts_[sandbox->account_id];
    holdings.all.Insert(sandbox);
    ServerRows& rows = holdings.by_server[sandbox->server];
    rows.all.Insert(sandbox);
    std::vector<std::string> words = TagWords(sandbox->tags_json);
    if (!AreIndexed(words)) rows.unindexed.Insert(sandbox);
    if (AreIndexed(words)) {
      for (std::string& word : words) rows.by_tag[std::move(word)].Insert(sandbox);
    }
  }
  if (Expires(*sandbox)) leases_by_end_.insert(sandbox);
}

void SandboxIndex::Erase(const SandboxPtr& sandbox) {
  by_id_.erase(sandbox);
  if (!sandbox->lease_id.empty()) by_lease_.erase(sandbox);
  Pool& pool = pools_[sandbox->server];
  --pool.rows;
  if (!sandbox->email.empty()) pool.by_email.erase(sandbox);
  if (sandbox->state == SandboxState::kIdle) pool.idle.erase(sandbox);
  if (!sandbox->account_id.empty()) {
    auto holdings = accounts_.find(sandbox->account_id);
    CHECK(holdings != accounts_.end());
    ServerRows& rows = holdings->second.by_server[sandbox->server];
    std::vector<std::string> words = TagWords(sandbox->tags_json);
    if (!AreIndexed(words)) rows.unindexed.Erase(*sandbox);
    if (AreIndexed(words)) {
      for (const std::string& word : words) {
        auto tagged = rows.by_tag.find(word);
        CHECK(tagged != rows.by_tag.end());
        tagged->second.Erase(*sandbox);
        if (tagged->second.size() == 0) rows.by_tag.erase(tagged);
      }
    }
    rows.all.Erase(*sandbox);
    if (rows.all.size() == 0) holdings->second.by_server.erase(sandbox->server);
    holdings->second.all.Erase(*sandbox);
    if (holdings->second.all.size() == 0) accounts_.erase(holdings);
  }
  if (Expires(*sandbox)) leases_by_end_.erase(sandbox);
}

}  // namespace viv::store
