// More of SQLite's own functions, for connections on which others write the statements: those that
// read a text without allocating anything, so that nothing else charges for them, and json_patch,
// which compares every member of one object with every member of the other.

#include <algorithm>
#include <memory>

#include "engine/functions/families.h"
#include "engine/functions/functions.h"
#include "engine/limits/text_search.h"
#include "engine/limits/work.h"

namespace viv::engine::functions {
namespace {

constexpr std::size_t kPatchWorkMax = 100'000'000;  // members times members

Result<Value> LengthOf(const Arguments& arguments) {
  std::string_view text = arguments.Text(0);
  if (arguments.Type(0) == SQLITE_BLOB) return static_cast<std::int64_t>(text.size());
  return static_cast<std::int64_t>(CountCharacters(text.substr(0, text.find('\0'))));
}

std::size_t OffsetOf(std::string_view text, std::int64_t characters) {
  std::size_t at = 0;
  for (; at < text.size() && characters > 0; --characters) at += CharacterAt(text, at).size();
  return at;
}

// A position from 1, or from the end when it is negative; a negative count takes what lies before
// the position.
Result<Value> Substr(const Arguments& arguments) {
  const bool blob = arguments.Type(0) == SQLITE_BLOB;
  std::string_view text = arguments.Text(0);
  if (!blob) text = text.substr(0, text.find('\0'));
  const auto length = static_cast<std::int64_t>(blob ? text.size() : CountCharacters(text));
  auto number = [&](int index) {
    const double given = arguments.Real(index);
    return static_cast<std::int64_t>(std::clamp(given, -2147483648.0, 2147483647.0));
  };
  std::int64_t from = number(1);
  std::int64_t count = arguments.size() > 2 ? number(2) : 2147483647;  // all there is
  const bool before = count < 0;
  if (before) count = -count;
  if (from < 0) {
    from += length;
    if (from < 0) {
      count = std::max<std::int64_t>(0, count + from);
      from = 0;
    }
  } else if (from > 0) {
    --from;
  } else if (count > 0) {
    --count;
  }
  if (before) {
    from -= count;
    if (from < 0) {
      count += from;
      from = 0;
    }
  }
  count = std::max<std::int64_t>(0, count);
  if (blob) {
    const auto begin = static_cast<std::size_t>(std::min(from, length));
    return Blob{std::string(text.substr(begin, static_cast<std::size_t>(count)))};
  }
  text.remove_prefix(OffsetOf(text, from));
  return std::string(text.substr(0, OffsetOf(text, count)));
}

struct CloseHandle {
  void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
};
struct FinalizeHandle {
  void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
};

// SQLite's own json_patch, on a connection where its name is not ours.
class OwnJsonPatch {
 public:
  OwnJsonPatch() {
    sqlite3* handle = nullptr;
    sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    connection_.reset(handle);
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v3(handle, "SELECT json_patch(?1, ?2)", -1, SQLITE_PREPARE_PERSISTENT,
                       &statement, nullptr);
    statement_.reset(statement);
  }

  Result<Value> Call(std::string_view target, std::string_view patch) {
    sqlite3_stmt* statement = statement_.get();
    sqlite3_bind_text64(statement, 1, target.data(), target.size(), SQLITE_STATIC, SQLITE_UTF8);
    sqlite3_bind_text64(statement, 2, patch.data(), patch.size(), SQLITE_STATIC, SQLITE_UTF8);
    Result<Value> result = Invalid("malformed JSON");
    if (sqlite3_step(statement) == SQLITE_ROW) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, 0));
      result = text == nullptr ? Value(Null{}) : Value(Json{std::string(text, size)});
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return result;
  }

 private:
  std::unique_ptr<sqlite3, CloseHandle> connection_;
  std::unique_ptr<sqlite3_stmt, FinalizeHandle> statement_;
};

Result<Value> JsonPatch(const Arguments& arguments) {
  auto members = [](std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), ':')) + 1;
  };
  const std::size_t work = members(arguments.Text(0)) * members(arguments.Text(1));
  if (work > kPatchWorkMax) return Invalid("the objects have too many members");
  if (!ChargeWork(work)) return Fail(ErrorCode::kLimitExceeded, "stopped");
  thread_local OwnJsonPatch own;
  return own.Call(arguments.Text(0), arguments.Text(1));
}

char FoldedAscii(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// As SQLite's NOCASE: letters of ASCII, then length. Work that has ended makes everything equal,
// and the statement ends at its next step.
int CompareIgnoringCase(void*, int a_size, const void* a, int b_size, const void* b) {
  const auto* left = static_cast<const char*>(a);
  const auto* right = static_cast<const char*>(b);
  const int shorter = std::min(a_size, b_size);
  if (shorter > 4096 && !ChargeWork(static_cast<std::size_t>(shorter))) return 0;
  for (int i = 0; i < shorter; ++i) {
    const int order = static_cast<unsigned char>(FoldedAscii(left[i])) -
                      static_cast<unsigned char>(FoldedAscii(right[i]));
    if (order != 0) return order;
  }
  return a_size - b_size;
}

}  // namespace
}  // namespace viv::engine::functions

namespace viv::engine {

Status RegisterReadOnlyFunctions(sqlite3* handle) {
  using namespace functions;
  static constexpr Function kFunctions[] = {{"length", 1, 1, LengthOf},
                                            {"substr", 2, 3, Substr},
                                            {"substring", 2, 3, Substr},
                                            {"json_patch", 2, 2, JsonPatch}};
  RETURN_IF_ERROR(Register(handle, kFunctions));
  if (sqlite3_create_collation_v2(handle, "NOCASE", SQLITE_UTF8, nullptr, CompareIgnoringCase,
                                  nullptr) != SQLITE_OK)
    return Fail(ErrorCode::kInternal, "register collation NOCASE");
  return {};
}

}  // namespace viv::engine
