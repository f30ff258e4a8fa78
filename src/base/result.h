#pragma once
// Result<T>: a value, or the Error that says why there is none.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <tl/expected.hpp>

namespace viv {

enum class ErrorCode {
  kInvalidArgument,
  kUnauthenticated,
  kPermissionDenied,
  kNotFound,
  kConflict,
  kLimitExceeded,
  kUnavailable,
  kInternal
};

// What a program needs to know of an error beyond its code, so that it reads no message: a value of
// an enum that the module which made the error defines. base knows none of these enums.
class ErrorDetail {
 public:
  ErrorDetail() = default;
  template <typename Enum>
  explicit ErrorDetail(Enum value)
      : type_(&typeid(Enum)), value_(static_cast<std::int64_t>(value)) {
    static_assert(std::is_enum_v<Enum>);
  }

  // Nothing when the error has no detail, or one of another enum.
  template <typename Enum>
  std::optional<Enum> As() const {
    if (type_ == nullptr || *type_ != typeid(Enum)) return std::nullopt;
    return static_cast<Enum>(value_);
  }

 private:
  const std::type_info* type_ = nullptr;
  std::int64_t value_ = 0;
};

struct Error {
  ErrorCode code;
  std::string message;
  ErrorDetail detail = {};
};

template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using Base = tl::expected<T, Error>;
  using Base::Base;

  Result(Base base) : Base(std::move(base)) {}  // NOLINT: and_then() and friends return Base
};

using Status = Result<void>;

inline tl::unexpected<Error> Fail(ErrorCode code, std::string message, ErrorDetail detail = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), detail});
}

// Passes an error up, adding what the caller was doing: "mount rootfs: overlay: No space left".
inline tl::unexpected<Error> PassUp(Error error, std::string_view doing = {}) {
  if (!doing.empty()) error.message.insert(0, std::string(doing) + ": ");
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace viv

#define VIV_CONCAT_INNER(a, b) a##b
#define VIV_CONCAT(a, b) VIV_CONCAT_INNER(a, b)
#define VIV_ASSIGN_OR(ret, tmp, decl, expr, ...)                                  \
  auto tmp = (expr);                                                              \
  if (!tmp) ret ::viv::PassUp(std::move(tmp).error() __VA_OPT__(, ) __VA_ARGS__); \
  decl = *std::move(tmp)
// One statement, also below an unbraced `if`: an `else` that follows belongs to that `if`.
#define VIV_OR(ret, tmp, expr, ...)                                         \
  do {                                                                      \
    if (auto tmp = (expr); !tmp)                                            \
      ret ::viv::PassUp(std::move(tmp).error() __VA_OPT__(, ) __VA_ARGS__); \
  } while (false)

// ASSIGN_OR_RETURN(decl, expr[, doing]); the CO_ forms are for coroutines. The two that assign
// declare a variable, so they are several statements and do not compile below an unbraced `if`.
#define ASSIGN_OR_RETURN(decl, ...) \
  VIV_ASSIGN_OR(return, VIV_CONCAT(result_, __LINE__), decl, __VA_ARGS__)
#define ASSIGN_OR_CO_RETURN(decl, ...) \
  VIV_ASSIGN_OR(co_return, VIV_CONCAT(result_, __LINE__), decl, __VA_ARGS__)
#define RETURN_IF_ERROR(...) VIV_OR(return, VIV_CONCAT(result_, __LINE__), __VA_ARGS__)
#define CO_RETURN_IF_ERROR(...) VIV_OR(co_return, VIV_CONCAT(result_, __LINE__), __VA_ARGS__)
