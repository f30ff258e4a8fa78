#pragma once
// One SQL function: a name, how many arguments, and a pure body from arguments to value. What all
// share is done here once: NULL in gives NULL out, an error is prefixed with the function's name,
// arguments and results have a size limit, and no exception reaches SQLite.

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace viv::engine::functions {

constexpr std::size_t kArgumentBytesMax = std::size_t{16} << 20;
constexpr std::size_t kResultBytesMax = std::size_t{16} << 20;

// The extended result code of a statement in which one of our functions refused its arguments: its
// message is ours and fit to be read by an agent, unlike what SQLite itself has to say.
constexpr int kArgumentsRefused = SQLITE_ERROR | (201 << 8);

struct Null {};
struct Json {  // text that SQLite's own json functions take as JSON, not as a string
  std::string text;
};
struct Blob {
  std::string bytes;
};
using Value = std::variant<Null, std::int64_t, double, std::string, Json, Blob>;

// The arguments of one call. Views are valid until the body returns.
class Arguments {
 public:
  Arguments(sqlite3_context* context, int count, sqlite3_value** values)
      : context_(context), count_(count), values_(values) {}

  int size() const { return count_; }
  bool Has(int index) const;  // given, and not NULL
  bool IsJson(int index) const;
  int Type(int index) const;  // SQLITE_INTEGER and so on

  std::string_view Text(int index) const;  // numbers as SQLite writes them; the bytes of a blob
  std::string_view TextOr(int index, std::string_view otherwise) const;
  Result<std::int64_t> Integer(int index) const;
  Result<std::int64_t> IntegerOr(int index, std::int64_t otherwise) const;
  double Real(int index) const;

  // The auxiliary data that an earlier row of the statement set for this argument; null when there
  // is none, or when the argument has changed since. The pointer is shared because SQLite may drop
  // its copy at any time.
  template <typename T>
  std::shared_ptr<const T> GetAuxData(int index) const {
    void* kept = sqlite3_get_auxdata(context_, index);
    return kept == nullptr ? nullptr : *static_cast<std::shared_ptr<const T>*>(kept);
  }
  template <typename T>
  void SetAuxData(int index, std::shared_ptr<const T> value) const {
    using Pointer = std::shared_ptr<const T>;
    sqlite3_set_auxdata(context_, index, new Pointer(std::move(value)),
                        [](void* kept) { delete static_cast<Pointer*>(kept); });
  }

 private:
  sqlite3_context* context_;
  int count_;
  sqlite3_value** values_;
};

enum class NullHandling { kReturnNull, kPassToBody };

struct Function {
  const char* name;
  int arguments_min;
  int arguments_max;
  Result<Value> (*body)(const Arguments&);
  NullHandling null_handling = NullHandling::kReturnNull;
};

// The table must outlive the connection: it is a constant of the program.
Status Register(sqlite3* handle, std::span<const Function> functions);

inline tl::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

}  // namespace viv::engine::functions
