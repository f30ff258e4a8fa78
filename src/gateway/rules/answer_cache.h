#pragma once
// What others said which headers to add, for as long as they said it holds: one question is under
// way for a key at a time, and whoever asks meanwhile waits for the same answer. Failures are told
// to all of them and kept for nobody. Bounded in entries and bytes. One loop; the question goes on
// when the first who asked has left, also when the cache is gone.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "http/message.h"

namespace viv::gateway {

struct FreshAnswer {
  http::Headers headers;
  std::chrono::seconds fresh_for{0};  // 0: for those who wait alone
};

class AnswerCache {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Now = std::function<TimePoint()>;
  using Ask = std::function<Task<Result<FreshAnswer>>()>;

  static constexpr std::size_t kEntriesMax = 256;
  static constexpr std::size_t kBytesMax = 32 * 1024;  // of names and values
  static constexpr std::size_t kQuestionsMax = 64;     // at once; kLimitExceeded above

  explicit AnswerCache(Now now = std::chrono::steady_clock::now);

  std::optional<http::Headers> Find(const std::string& key);  // what still holds
  Task<Result<http::Headers>> Get(std::string key, Ask ask);

  std::size_t entries() const;

 private:
  struct Question;
  struct State;
  static Task<void> RunQuestion(std::shared_ptr<State> state,
                                std::shared_ptr<Question> question,
                                Ask ask);

  const std::shared_ptr<State> state_;  // shared with the questions
};

}  // namespace viv::gateway
