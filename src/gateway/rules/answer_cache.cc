#include "gateway/rules/answer_cache.h"

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

struct AnswerCache::Question {
  Question(asio::any_io_executor executor, std::string of)
      : key(std::move(of)), answered(std::move(executor), asio::steady_timer::time_point::max()) {}

  const std::string key;
  asio::steady_timer answered;  // cancelled when it is
  std::optional<Result<http::Headers>> answer;
};

struct AnswerCache::State {
  struct Entry {
    http::Headers headers;
    TimePoint until;
    std::size_t bytes = 0;
  };

  // Nothing when there is none that still holds.
  std::optional<http::Headers> Find(const std::string& key) {
    auto found = entries.find(key);
    if (found == entries.end()) return std::nullopt;
    if (now() < found->second.until) return found->second.headers;
    Drop(found);
    return std::nullopt;
  }

  void Keep(const std::string& key, FreshAnswer answer) {
    Entry entry{std::move(answer.headers), now() + answer.fresh_for, 0};
    entry.bytes = BytesOf(key, entry.headers);
    if (answer.fresh_for.count() <= 0 || entry.bytes > kBytesMax) return;
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
  std::size_t bytes = 0;  // of all entries
  std::unordered_map<std::string, std::shared_ptr<Question>> questions;
};

AnswerCache::AnswerCache(Now now) : state_(std::make_shared<State>()) {
  state_->now = std::move(now);
}

std::optional<http::Headers> AnswerCache::Find(const std::string& key) {
  return state_->Find(key);
}

std::size_t AnswerCache::entries() const {
  return state_->entries.size();
}

Task<void> AnswerCache::RunQuestion(std::shared_ptr<State> state,
                                    std::shared_ptr<Question> question,
                                    Ask ask) {
  Result<FreshAnswer> answer = Fail(ErrorCode::kInternal, "asking was broken off");
  try {
    answer = co_await ask();
  } catch (const std::exception& failure) {
    answer = Fail(ErrorCode::kInternal, failure.what());
  }
  state->questions.erase(question->key);
  if (answer) {
    question->answer.emplace(answer->headers);
    state->Keep(question->key, *std::move(answer));
  } else {
    question->answer.emplace(tl::unexpected<Error>(std::move(answer).error()));
  }
  question->answered.cancel();
}

Task<Result<http::Headers>> AnswerCache::Get(std::string key, Ask ask) {
  auto state = state_;
  if (auto kept = state->Find(key)) co_return *std::move(kept);
  auto executor = co_await asio::this_coro::executor;
  std::shared_ptr<Question> question;
  if (auto asked = state->questions.find(key); asked != state->questions.end()) {
    question = asked->second;
  } else {
    if (state->questions.size() >= kQuestionsMax)
      co_return Fail(ErrorCode::kLimitExceeded, "too many questions are under way for this box");
    question = std::make_shared<Question>(executor, key);
    state->questions.emplace(key, question);
    asio::co_spawn(executor, RunQuestion(state, question, std::move(ask)), asio::detached);
  }
  if (!question->answer) co_await question->answered.async_wait(http::kTuple);
  if (!question->answer) co_return Fail(ErrorCode::kUnavailable, "whoever asked has left");
  co_return *question->answer;
}

}  // namespace viv::gateway
