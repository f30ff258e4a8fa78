#include "engine/guest_sql/function.h"

#include <cstdlib>
#include <exception>
#include <utility>

#include "base/text.h"
#include "engine/functions/functions.h"
#include "engine/limits/work.h"

namespace viv::engine::guest_sql {
namespace {

void Call(sqlite3_context* context, int count, sqlite3_value** values) {
  const auto* function = static_cast<const Function*>(sqlite3_user_data(context));
  const Arguments arguments(std::span(values, static_cast<std::size_t>(count)));
  for (int i = 0; i < count; ++i) {
    if (function->null_handling == NullHandling::kReturnNull &&
        sqlite3_value_type(values[i]) == SQLITE_NULL) {
      sqlite3_result_null(context);
      return;
    }
  }
  if (!ChargeWork(arguments.Bytes())) return sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  try {
    const Result<Value> value = function->body(arguments);
    const std::string* text = value ? std::get_if<std::string>(&*value) : nullptr;
    if (text != nullptr && !ChargeWork(text->size()))
      return sqlite3_result_error_code(context, SQLITE_INTERRUPT);
    ReturnValue(context, value);
  } catch (const std::exception&) {  // out of memory, or a library of ours that throws: SQLite is C
    sqlite3_result_error_nomem(context);
  }
}

Result<Value> Version(const Arguments&) {
  return Value(std::int64_t{1});
}

constexpr Function kVersion[] = {{"g$version", Version, 0, 0}};

}  // namespace

Value NullValue() {
  return Null{};
}

Value ReadValue(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      return sqlite3_value_int64(value);
    case SQLITE_FLOAT:
      return sqlite3_value_double(value);
    case SQLITE_NULL:
      return Null{};
    default: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
      if (text == nullptr) return std::string();
      return std::string(text, static_cast<std::size_t>(sqlite3_value_bytes(value)));
    }
  }
}

void ReturnValue(sqlite3_context* context, const Result<Value>& value) {
  if (!value) {
    sqlite3_result_error(context, value.error().message.data(),
                         static_cast<int>(value.error().message.size()));
  } else if (const auto* integer = std::get_if<std::int64_t>(&*value)) {
    sqlite3_result_int64(context, *integer);
  } else if (const auto* real = std::get_if<double>(&*value)) {
    sqlite3_result_double(context, *real);
  } else if (const auto* text = std::get_if<std::string>(&*value)) {
    sqlite3_result_text64(context, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } else {
    sqlite3_result_null(context);
  }
}

double RealOf(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value))
    return std::strtod(text->c_str(), nullptr);
  return 0;
}

int CompareValues(const Value& a, const Value& b) {
  auto rank = [](const Value& value) {
    return IsNull(value) ? 0 : std::holds_alternative<std::string>(value) ? 2 : 1;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b) ? -1 : 1;
  if (rank(a) == 0) return 0;
  if (rank(a) == 2) {
    const int order = std::get<std::string>(a).compare(std::get<std::string>(b));
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }
  const auto* x = std::get_if<std::int64_t>(&a);
  const auto* y = std::get_if<std::int64_t>(&b);
  if (x != nullptr && y != nullptr) return *x < *y ? -1 : *x > *y ? 1 : 0;
  return RealOf(a) < RealOf(b) ? -1 : RealOf(a) > RealOf(b) ? 1 : 0;
}

json::value ToJson(char tag, const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return tag == 'b' ? json::value(*integer != 0) : json::value(*integer);
  }
  if (const auto* real = std::get_if<double>(&value)) return *real;
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return nullptr;
  if (tag == 'j' && !text->empty() && (text->front() == '{' || text->front() == '[')) {
    auto parsed = ParseJson(*text);
    if (parsed) return *std::move(parsed);
  }
  return json::value(*text);
}

Value FromJson(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return Null{};
    case json::kind::bool_:
      return std::int64_t{value.get_bool()};
    case json::kind::int64:
      return value.get_int64();
    case json::kind::uint64:
      return static_cast<double>(value.get_uint64());
    case json::kind::double_:
      return value.get_double();
    case json::kind::string:
      return std::string(View(value.get_string()));
    default:
      return json::serialize(value);
  }
}

std::size_t Arguments::Bytes() const {
  std::size_t bytes = 64;  // what a call costs in any case
  for (sqlite3_value* value : values_) {
    const int type = sqlite3_value_type(value);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB)
      bytes += static_cast<std::size_t>(sqlite3_value_bytes(value));
  }
  return bytes;
}

tl::unexpected<Error> Stopped() {
  return Fail(ErrorCode::kLimitExceeded, "stopped");
}

std::string_view Arguments::Text(std::size_t index) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values_[index]));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(values_[index]))};
}

Status RegisterScalars(sqlite3* handle, std::span<const Function> functions) {
  for (const Function& function : functions) {
    for (int count = function.arguments_min; count <= function.arguments_max; ++count) {
      const bool many = function.arguments_max > 8;
      int code = sqlite3_create_function_v2(
          handle, function.name, many ? -1 : count, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
          const_cast<Function*>(&function), Call, nullptr, nullptr, nullptr);
      if (code != SQLITE_OK)
        return Fail(ErrorCode::kInternal, std::string("register ") + function.name);
      if (many) break;
    }
  }
  return {};
}

Status EnsureFunctions(sqlite3* handle) {
  sqlite3_stmt* probe = nullptr;
  const int known = sqlite3_prepare_v2(handle, "SELECT g$version()", -1, &probe, nullptr);
  sqlite3_finalize(probe);
  if (known == SQLITE_OK) return {};
  for (auto functions : {TextFunctions(), RegexpFunctions(), NumberFunctions(), TimeFunctions(),
                         CastFunctions(), JsonFunctions()}) {
    RETURN_IF_ERROR(RegisterScalars(handle, functions));
  }
  RETURN_IF_ERROR(RegisterAggregates(handle));
  // The translation writes instr, replace and trim of SQLite, too: those that cannot run away.
  RETURN_IF_ERROR(RegisterTextFunctions(handle));
  return RegisterScalars(handle, kVersion);
}

}  // namespace viv::engine::guest_sql
