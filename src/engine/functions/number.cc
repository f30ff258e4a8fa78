#include "engine/functions/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/functions/function.h"
#include "engine/functions/number_text.h"
#include "engine/limits/work.h"

namespace viv::engine::functions {
namespace {

constexpr std::size_t kOperationBytes = 256;   // what an operation on large integers costs
constexpr std::int64_t kRoundDigitsMax = 323;  // finer than any double
constexpr std::int64_t kRoundDigitsMin = -4300;

bool BothWhole(const Number& a, const Number& b) {
  return std::holds_alternative<Integer>(a) && std::holds_alternative<Integer>(b);
}

const Integer& Whole(const Number& number) {
  return std::get<Integer>(number);
}

Result<Number> ToNumber(Result<Integer> integer) {
  if (!integer) return PassUp(std::move(integer).error());
  return Number(*std::move(integer));
}

// Both as doubles, then `operation`.
template <typename Operation>
Result<Number> AsDoubles(const Number& a, const Number& b, Operation operation) {
  ASSIGN_OR_RETURN(double x, ToDouble(a));
  ASSIGN_OR_RETURN(double y, ToDouble(b));
  return operation(x, y);
}

struct Division {
  Integer quotient;
  Integer remainder;
};

// Rounded down, so the remainder has the divisor's sign.
Division DivideDown(const Integer& a, const Integer& b) {
  Division result;
  boost::multiprecision::divide_qr(a, b, result.quotient, result.remainder);
  if (result.remainder != 0 && (result.remainder < 0) != (b < 0)) {
    --result.quotient;
    result.remainder += b;
  }
  return result;
}

struct FloatDivision {
  double quotient;
  double remainder;
};

// As CPython divides floats down: fmod is exact, and the quotient is corrected to it.
FloatDivision DivideDown(double a, double b) {
  double remainder = std::fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder != 0) {
    if ((b < 0) != (remainder < 0)) {
      remainder += b;
      quotient -= 1;
    }
  } else {
    remainder = std::copysign(0.0, b);
  }
  if (quotient == 0) return {std::copysign(0.0, a / b), remainder};
  double down = std::floor(quotient);
  if (quotient - down > 0.5) down += 1;
  return {down, remainder};
}

// |integer| >= 2^63, so its top 64 bits and whether any bit below is set decide the rounding.
double LargeToDouble(const Integer& positive, std::size_t bits) {
  std::size_t shift = bits - 64;
  Integer top = positive >> shift;
  auto digits = static_cast<std::uint64_t>(top);
  if ((top << shift) != positive) digits |= 1;
  return std::ldexp(static_cast<double>(digits), static_cast<int>(shift));
}

// a / b to the nearest double: the quotient is taken with 66 bits and one more for the rest.
Result<Number> DivideWhole(const Integer& a, const Integer& b) {
  if (b == 0) return Invalid("division by zero");
  if (a == 0) return Number(0.0);
  Integer x = abs(a);
  Integer y = abs(b);
  auto shift =
      66 - (static_cast<std::ptrdiff_t>(BitsOf(x)) - static_cast<std::ptrdiff_t>(BitsOf(y)));
  if (shift > 0) x <<= static_cast<std::size_t>(shift);
  if (shift < 0) y <<= static_cast<std::size_t>(-shift);
  Division division = DivideDown(x, y);
  if (division.remainder != 0) division.quotient |= 1;
  double quotient = std::ldexp(LargeToDouble(division.quotient, BitsOf(division.quotient)),
                               static_cast<int>(-shift));
  if (std::isinf(quotient)) return Invalid("integer division result too large for a float");
  return Number((a < 0) != (b < 0) ? -quotient : quotient);
}

Result<Number> PowerOfFloats(double a, double b) {
  if (a == 0 && b < 0) return Invalid("0.0 cannot be raised to a negative power");
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && std::trunc(b) != b) {
    return Invalid("unsupported operation: the result is a complex number");
  }
  double power = std::pow(a, b);
  if (std::isinf(power) && std::isfinite(a) && std::isfinite(b)) {
    return Invalid("(34, 'Numerical result out of range')");
  }
  return Number(power);
}

Result<Number> PowerOfWhole(const Integer& base, const Integer& exponent) {
  if (exponent == 0 || base == 1) return Number(Integer(1));
  if (base == 0) return Number(Integer(0));
  if (base == -1) return Number(Integer((exponent & 1) == 0 ? 1 : -1));
  // The least the result can have is a bit per step of the exponent.
  if (exponent > kIntegerBitsMax) return Invalid("result too large");
  auto steps = static_cast<unsigned>(exponent);
  if ((BitsOf(base) - 1) * steps > kIntegerBitsMax) return Invalid("result too large");
  return ToNumber(Checked(pow(base, steps)));
}

// |number| rounded to a multiple of `unit`, ties to the even multiple; `rest` says that the number
// goes on behind the point.
Integer RoundToUnit(const Integer& number, const Integer& unit, bool rest) {
  Division division = DivideDown(abs(number), unit);
  Integer twice = division.remainder * 2;
  bool up = twice > unit || (twice == unit && (rest || (division.quotient & 1) != 0));
  Integer rounded = (division.quotient + (up ? 1 : 0)) * unit;
  return number < 0 ? Integer(-rounded) : rounded;
}

Result<Number> RoundFloat(double number, std::int64_t digits) {
  if (!std::isfinite(number) || digits > kRoundDigitsMax) return Number(number);
  if (digits < 0) {
    if (digits < -309) return Number(std::copysign(0.0, number));
    ASSIGN_OR_RETURN(Integer whole, Truncated(number));
    Integer unit = pow(Integer(10), static_cast<unsigned>(-digits));
    Integer rounded = RoundToUnit(whole, unit, std::trunc(number) != number);
    ASSIGN_OR_RETURN(double result, ToDouble(rounded));
    return Number(std::copysign(result, number));
  }
  char buffer[700];  // 309 digits before the point and 323 behind it
  auto written = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed,
                               static_cast<int>(digits));
  double rounded = number;
  if (written.ec == std::errc()) std::from_chars(buffer, written.ptr, rounded);
  return Number(rounded);
}

std::partial_ordering CompareMixed(const Integer& a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (std::isinf(b)) return b > 0 ? std::partial_ordering::less : std::partial_ordering::greater;
  Integer whole(std::trunc(b));
  if (a != whole) return a < whole ? std::partial_ordering::less : std::partial_ordering::greater;
  return 0.0 <=> (b - std::trunc(b));
}

}  // namespace

Result<Number> Add(const Number& a, const Number& b) {
  if (BothWhole(a, b)) return ToNumber(Checked(Whole(a) + Whole(b)));
  return AsDoubles(a, b, [](double x, double y) -> Result<Number> { return Number(x + y); });
}

Result<Number> Subtract(const Number& a, const Number& b) {
  return Add(a, Negate(b));
}

Result<Number> Multiply(const Number& a, const Number& b) {
  if (BothWhole(a, b)) return ToNumber(Checked(Whole(a) * Whole(b)));
  return AsDoubles(a, b, [](double x, double y) -> Result<Number> { return Number(x * y); });
}

Result<Number> TrueDivide(const Number& a, const Number& b) {
  if (BothWhole(a, b)) return DivideWhole(Whole(a), Whole(b));
  return AsDoubles(a, b, [](double x, double y) -> Result<Number> {
    if (y == 0) return Invalid("float division by zero");
    return Number(x / y);
  });
}

Result<Number> FloorDivide(const Number& a, const Number& b) {
  if (BothWhole(a, b)) {
    if (Whole(b) == 0) return Invalid("integer division or modulo by zero");
    return Number(DivideDown(Whole(a), Whole(b)).quotient);
  }
  return AsDoubles(a, b, [](double x, double y) -> Result<Number> {
    if (y == 0) return Invalid("float floor division by zero");
    return Number(DivideDown(x, y).quotient);
  });
}

Result<Number> Modulo(const Number& a, const Number& b) {
  if (BothWhole(a, b)) {
    if (Whole(b) == 0) return Invalid("integer modulo by zero");
    return Number(DivideDown(Whole(a), Whole(b)).remainder);
  }
  return AsDoubles(a, b, [](double x, double y) -> Result<Number> {
    if (y == 0) return Invalid("float modulo");
    return Number(DivideDown(x, y).remainder);
  });
}

Result<Number> Power(const Number& a, const Number& b) {
  if (BothWhole(a, b) && Whole(b) >= 0) return PowerOfWhole(Whole(a), Whole(b));
  return AsDoubles(a, b, PowerOfFloats);
}

Number Negate(const Number& number) {
  if (const double* real = std::get_if<double>(&number)) return -*real;
  return Integer(-Whole(number));
}

std::partial_ordering Compare(const Number& a, const Number& b) {
  const double* x = std::get_if<double>(&a);
  const double* y = std::get_if<double>(&b);
  if (x != nullptr && y != nullptr) return *x <=> *y;
  if (y != nullptr) return CompareMixed(Whole(a), *y);
  if (x != nullptr) return 0 <=> CompareMixed(Whole(b), *x);
  return Whole(a).compare(Whole(b)) <=> 0;
}

Result<Integer> Checked(Integer integer) {
  if (!ChargeWork(kOperationBytes)) return Fail(ErrorCode::kLimitExceeded, "stopped");
  if (BitsOf(integer) > kIntegerBitsMax) return Fail(ErrorCode::kLimitExceeded, "result too large");
  return integer;
}

std::size_t BitsOf(const Integer& integer) {
  return integer == 0 ? 0 : msb(integer < 0 ? Integer(-integer) : integer) + 1;
}

Result<double> ToDouble(const Number& number) {
  if (const double* real = std::get_if<double>(&number)) return *real;
  const Integer& whole = Whole(number);
  Integer positive = abs(whole);
  std::size_t bits = BitsOf(positive);
  double size = bits <= 64 ? static_cast<double>(static_cast<std::uint64_t>(positive))
                           : LargeToDouble(positive, bits);
  if (std::isinf(size)) return Invalid("int too large to convert to float");
  return whole < 0 ? -size : size;
}

Result<Integer> Truncated(double number) {
  if (std::isnan(number)) return Invalid("cannot convert float NaN to integer");
  if (std::isinf(number)) return Invalid("cannot convert float infinity to integer");
  return Integer(std::trunc(number));
}

Result<Integer> Rounded(const Number& number) {
  if (const double* real = std::get_if<double>(&number)) return Truncated(std::nearbyint(*real));
  return Whole(number);
}

Result<Number> RoundedTo(const Number& number, std::int64_t digits) {
  if (const double* real = std::get_if<double>(&number)) return RoundFloat(*real, digits);
  if (digits >= 0) return number;
  if (digits < kRoundDigitsMin) return Number(Integer(0));
  return ToNumber(
      Checked(RoundToUnit(Whole(number), pow(Integer(10), static_cast<unsigned>(-digits)), false)));
}

std::string NumberText(const Number& number) {
  if (const double* real = std::get_if<double>(&number)) return ShortestNumber(*real);
  return Whole(number).str();
}

}  // namespace viv::engine::functions
