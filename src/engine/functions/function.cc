#include "engine/functions/function.h"

#include <cmath>
#include <exception>

#include "engine/limits/work.h"

namespace viv::engine::functions {
namespace {

constexpr std::size_t kCallBytes = 64;      // what a call costs beside its bytes
constexpr unsigned int kJsonSubtype = 'J';  // as SQLite's json functions mark their results

bool AnyNull(int count, sqlite3_value** values) {
  for (int i = 0; i < count; ++i) {
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return true;
  }
  return false;
}

std::size_t BytesOf(int count, sqlite3_value** values) {
  std::size_t total = 0;
  for (int i = 0; i < count; ++i) {
    int type = sqlite3_value_type(values[i]);
    if (type != SQLITE_TEXT && type != SQLITE_BLOB) continue;
    total += static_cast<std::size_t>(sqlite3_value_bytes(values[i]));
  }
  return total;
}

void ReturnText(sqlite3_context* context, const std::string& text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

struct Return {
  sqlite3_context* context;

  void operator()(Null) const { sqlite3_result_null(context); }
  void operator()(std::int64_t value) const { sqlite3_result_int64(context, value); }
  void operator()(double value) const { sqlite3_result_double(context, value); }
  void operator()(const std::string& text) const { ReturnText(context, text); }
  void operator()(const Json& json) const {
    ReturnText(context, json.text);
    sqlite3_result_subtype(context, kJsonSubtype);
  }
  void operator()(const Blob& blob) const {
    sqlite3_result_blob64(context, blob.bytes.data(), blob.bytes.size(), SQLITE_TRANSIENT);
  }
};

std::size_t SizeOf(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return text->size();
  if (const auto* json = std::get_if<Json>(&value)) return json->text.size();
  if (const auto* blob = std::get_if<Blob>(&value)) return blob->bytes.size();
  return 0;
}

Result<Value> Evaluate(const Function& function, const Arguments& arguments) {
  try {
    Result<Value> value = function.body(arguments);
    if (value && SizeOf(*value) > kResultBytesMax) {
      return Fail(ErrorCode::kLimitExceeded, "the result is too large");
    }
    return value;
  } catch (const std::exception& thrown) {  // a library's: out of memory, a length error
    return Fail(ErrorCode::kInternal, thrown.what());
  }
}

void Call(sqlite3_context* context, int count, sqlite3_value** values) {
  const auto& function = *static_cast<const Function*>(sqlite3_user_data(context));
  if (function.null_handling == NullHandling::kReturnNull && AnyNull(count, values))
    return;  // NULL is the default
  const std::size_t bytes = BytesOf(count, values);
  if (!ChargeWork(bytes + kCallBytes)) return sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  Result<Value> value = bytes > kArgumentBytesMax
                            ? Fail(ErrorCode::kLimitExceeded, "the arguments are too large")
                            : Evaluate(function, Arguments(context, count, values));
  if (value) {
    ChargeWork(SizeOf(*value));  // the next call, or SQLite, sees it when this was too much
    std::visit(Return{context}, *value);
    return;
  }
  std::string message = std::string(function.name) + ": " + value.error().message;
  sqlite3_result_error(context, message.data(), static_cast<int>(message.size()));
  if (value.error().code != ErrorCode::kInternal)
    sqlite3_result_error_code(context, kArgumentsRefused);
}

}  // namespace

bool Arguments::Has(int index) const {
  return index < count_ && sqlite3_value_type(values_[index]) != SQLITE_NULL;
}

bool Arguments::IsJson(int index) const {
  return sqlite3_value_subtype(values_[index]) == kJsonSubtype;
}

int Arguments::Type(int index) const {
  return sqlite3_value_type(values_[index]);
}

std::string_view Arguments::Text(int index) const {
  sqlite3_value* value = values_[index];
  const void* data = sqlite3_value_type(value) == SQLITE_BLOB ? sqlite3_value_blob(value)
                                                              : sqlite3_value_text(value);
  if (data == nullptr) return {};  // an empty blob, or no memory
  return {static_cast<const char*>(data), static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

std::string_view Arguments::TextOr(int index, std::string_view otherwise) const {
  return Has(index) ? Text(index) : otherwise;
}

Result<std::int64_t> Arguments::Integer(int index) const {
  sqlite3_value* value = values_[index];
  int type = sqlite3_value_numeric_type(value);
  if (type == SQLITE_INTEGER) return sqlite3_value_int64(value);
  if (type == SQLITE_FLOAT) {
    double real = sqlite3_value_double(value);
    if (std::trunc(real) == real && std::abs(real) < 9e18) return static_cast<std::int64_t>(real);
  }
  return Invalid("argument " + std::to_string(index + 1) + " must be an integer");
}

Result<std::int64_t> Arguments::IntegerOr(int index, std::int64_t otherwise) const {
  if (!Has(index)) return otherwise;
  return Integer(index);
}

double Arguments::Real(int index) const {
  return sqlite3_value_double(values_[index]);
}

Status Register(sqlite3* handle, std::span<const Function> functions) {
  // SUBTYPE since some bodies ask whether an argument is JSON.
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS | SQLITE_SUBTYPE;
  for (const Function& function : functions) {
    // Each number of arguments apart, so that SQLite itself refuses a wrong one while preparing.
    for (int count = function.arguments_min; count <= function.arguments_max; ++count) {
      int code = sqlite3_create_function_v2(handle, function.name, count, kFlags,
                                            const_cast<Function*>(&function), Call, nullptr,
                                            nullptr, nullptr);
      if (code != SQLITE_OK) {
        return Fail(ErrorCode::kInternal, std::string("register function ") + function.name + ": " +
                                              sqlite3_errstr(code));
      }
    }
  }
  return {};
}

}  // namespace viv::engine::functions
