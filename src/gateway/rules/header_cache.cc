#include "gateway/rules/header_cache.h"

#include <algorithm>
#include <unordered_map>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "http/await_tuple.h"

namespace viv::gateway {
namespace {

std::size_t BytesOf(const std::string& key, const http::Headers& headers) {
  std::size_t bytes = key.size();
  for (const auto& [name, value] : headers) bytes += name.size() + value.size();
  return bytes;
}

}  // namespace

struct HeaderCache::PendingFetch {
  PendingFetch(asio::any_io_executor executor, std::string of)
      : key(std::move(of)), done(std::move(executor), asio::steady_timer::time_point::max()) {}

  const std::string key;
  asio::steady_timer done;  // cancelled when the fetch has ended
  std::optional<Result<http::Headers>> result;
};

struct HeaderCache::State {
  struct Entry {
    http::Headers headers;
    TimePoint until;
    std::size_t bytes = 0;
  };

  // Nothing if there is no entry or it has expired.
  std::optional<http::Headers> Find(const std::string& key) {
    auto found = entries.find(key);
    if (found == entries.end()) return std::nullopt;
    if (now() < found->second.until) return found->second.headers;
    Drop(found);
    return std::nullopt;
  }

  void Keep(const std::string& key, HeadersWithTtl result) {
    Entry entry{std::move(result.headers), now() + result.ttl, 0};
    entry.bytes = BytesOf(key, entry.headers);
    if (result.ttl.count() <= 0 || entry.bytes > kBytesMax) return;
    if (auto old = entries.find(key); old != entries.end()) Drop(old);
    while (entries.size() >= kEntriesMax || bytes + entry.bytes > kBytesMax) DropTheOldest();
    bytes += entry.bytes;
    entries.emplace(key, std::move(entry));
  }

  void DropTheOldest() {
    Drop(std::min_element(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return a.second.until < b.second.until;
    }));
  }

  void Drop(std::unordered_map<std::string, Entry>::iterator at) {
    bytes -= at->second.bytes;
    entries.erase(at);
  }

  Now now;
  std::unordered_map<std::string, Entry> entries;
  std::size_t bytes = 0;  // sum of all entries
  std::unordered_map<std::string, std::shared_ptr<PendingFetch>> pending;
};

HeaderCache::HeaderCache(Now now) : state_(std::make_shared<State>()) {
  state_->now = std::move(now);
}

std::optional<http::Headers> HeaderCache::Find(const std::string& key) {
  return state_->Find(key);
}

std::size_t HeaderCache::entries() const {
  return state_->entries.size();
}

Task<void> HeaderCache::RunFetch(std::shared_ptr<State> state,
                                 std::shared_ptr<PendingFetch> fetch,
                                 Fetch fetch_headers) {
  Result<HeadersWithTtl> result = Fail(ErrorCode::kInternal, "asking was broken off");
  try {
    result = co_await fetch_headers();
  } catch (const std::exception& failure) {
    result = Fail(ErrorCode::kInternal, failure.what());
  }
  state->pending.erase(fetch->key);
  if (result) {
    fetch->result.emplace(result->headers);
    state->Keep(fetch->key, *std::move(result));
  } else {
    fetch->result.emplace(tl::unexpected<Error>(std::move(result).error()));
  }
  fetch->done.cancel();
}

Task<Result<http::Headers>> HeaderCache::Get(std::string key, Fetch fetch_headers) {
  auto state = state_;
  if (auto kept = state->Find(key)) co_return *std::move(kept);
  auto executor = co_await asio::this_coro::executor;
  std::shared_ptr<PendingFetch> fetch;
  if (auto under_way = state->pending.find(key); under_way != state->pending.end()) {
    fetch = under_way->second;
  } else {
    if (state->pending.size() >= kPendingMax)
      co_return Fail(ErrorCode::kLimitExceeded, "too many questions are under way for this box");
    fetch = std::make_shared<PendingFetch>(executor, key);
    state->pending.emplace(key, fetch);
    asio::co_spawn(executor, RunFetch(state, fetch, std::move(fetch_headers)), asio::detached);
  }
  if (!fetch->result) co_await fetch->done.async_wait(http::kTuple);
  if (!fetch->result) co_return Fail(ErrorCode::kUnavailable, "whoever asked has left");
  co_return *fetch->result;
}

}  // namespace viv::gateway
