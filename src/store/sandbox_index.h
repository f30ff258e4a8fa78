#pragma once
// Every live sandbox in memory, indexed by each key that lookups use: id, lease, the idle ones and
// the emails of a server, an account's ones in listing order, and the end of the lease. It also
// holds the rules of a write, as a plan that changes nothing until Replace applies it. Not
// thread-safe: its owner locks.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "store/newest_first.h"
#include "store/records.h"
#include "store/store.h"

namespace viv::store {

class SandboxIndex {
 public:
  SandboxPtr Find(std::string_view id) const;  // nullptr when there is none
  SandboxPtr FindByLease(std::string_view lease_id) const;
  SandboxStore::Page List(const SandboxStore::ListQuery& query) const;
  std::vector<SandboxPtr> ExpiredAt(std::int64_t now_us, std::size_t limit) const;
  std::size_t size() const { return by_id_.size(); }
  void ForEach(const std::function<void(const Sandbox&)>& visit) const;

  struct Change {
    SandboxPtr before;  // nullptr: a new row
    SandboxPtr after;
  };
  // What Acquire or Update would do now, or why it may not; the rules are those of SandboxStore.
  Result<Change> PlanAcquire(SandboxStore::AcquireRequest request) const;
  Result<Change> PlanUpdate(Sandbox sandbox, std::string_view lease_id) const;

  // Puts `after` where `before` was; nullptr is a row's absence. With the two swapped, the undo.
  void Replace(const SandboxPtr& before, const SandboxPtr& after);

 private:
  // A set of records found by one member of theirs; the text is stored only in the record.
  template <std::string Sandbox::*kMember>
  struct MemberKey {
    using is_transparent = void;
    static std::string_view Of(std::string_view text) { return text; }
    static std::string_view Of(const SandboxPtr& sandbox) { return (*sandbox).*kMember; }
    template <typename T>
    std::size_t operator()(const T& value) const {
      return std::hash<std::string_view>()(Of(value));
    }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return Of(a) == Of(b);
    }
  };
  template <std::string Sandbox::*kMember>
  using SetBy = std::unordered_set<SandboxPtr, MemberKey<kMember>, MemberKey<kMember>>;

  struct LongestIdleFirst {
    bool operator()(const SandboxPtr& a, const SandboxPtr& b) const;
  };
  struct FirstExpiredFirst {
    bool operator()(const SandboxPtr& a, const SandboxPtr& b) const;
  };

  struct Pool {  // the rows of one server
    std::size_t rows = 0;
    // The longest idle goes first, so that a sandbox just released can be looked at the longest.
    std::set<SandboxPtr, LongestIdleFirst> idle;
    SetBy<&Sandbox::email> by_email;
  };
  struct ServerRows {  // those of one server among an account's
    NewestFirst all;
    std::unordered_map<std::string, NewestFirst> by_tag;  // by each word of their tags
    NewestFirst unindexed;  // whose tags have too many words, or too long ones
  };
  struct AccountRows {  // the rows of one account
    NewestFirst all;
    std::unordered_map<std::string, ServerRows> by_server;
  };

  static SandboxStore::Page ListByTags(const std::vector<const ServerRows*>& servers,
                                       const SandboxStore::ListQuery& query);

  Result<SandboxPtr> FindIdle(const SandboxStore::AcquireRequest& request) const;
  Status CheckNewRow(const Sandbox& row, std::size_t sandboxes_max) const;
  void Insert(const SandboxPtr& sandbox);
  void Erase(const SandboxPtr& sandbox);

  SetBy<&Sandbox::id> by_id_;
  SetBy<&Sandbox::lease_id> by_lease_;
  std::unordered_map<std::string, Pool> pools_;            // by server
  std::unordered_map<std::string, AccountRows> accounts_;  // by account
  std::set<SandboxPtr, FirstExpiredFirst> leases_by_end_;
};

}  // namespace viv::store
