#include "tools/formula/call.h"

#include "tools/formula/convert.h"

namespace viv::formula {

bool Call::Has(int i) const {
  return i < static_cast<int>(arguments.size()) && !std::holds_alternative<Missing>(Raw(i));
}

Value Call::Any(int i) {
  if (i >= static_cast<int>(arguments.size())) return Blank{};
  return evaluator_.ToValue(Raw(i));
}

Value Call::Scalar(int i) {
  Value value = Any(i);
  if (const auto* error = std::get_if<ErrorKind>(&value)) Fail(*error);
  return value;
}

double Call::Number(int i) {
  tl::expected<double, ErrorKind> number = ToNumber(Any(i));
  if (number) return *number;
  Fail(number.error());
  return 0;
}

int Call::ToWhole(double number) {
  return ToInt(number);
}

std::string Call::Text(int i) {
  return ToText(Scalar(i));
}

bool Call::Flag(int i) {
  tl::expected<bool, ErrorKind> flag = ToFlag(Any(i));
  if (flag) return *flag;
  Fail(flag.error());
  return false;
}

Array Call::Matrix(int i) {
  if (i >= static_cast<int>(arguments.size())) return Array(1, 1);
  return evaluator_.ToArray(Raw(i));
}

const Reference* Call::AsReference(int i) const {
  return i < static_cast<int>(arguments.size()) ? std::get_if<Reference>(&Raw(i)) : nullptr;
}

void Call::AddNumbers(int i, std::vector<double>& out) {
  ForEach(i, [&](const Value& value, bool is_direct) {
    if (const auto* number = std::get_if<double>(&value)) {
      out.push_back(*number);
    } else if (const auto* error = std::get_if<ErrorKind>(&value)) {
      Fail(*error);
      return false;
    } else if (is_direct) {
      tl::expected<double, ErrorKind> read = ToNumber(value);
      if (read) out.push_back(*read);
      if (!read) Fail(read.error());
    }
    return true;
  });
}

std::vector<double> Call::Numbers(int first) {
  std::vector<double> out;
  for (int i = first; i < static_cast<int>(arguments.size()) && !error_; ++i) AddNumbers(i, out);
  return out;
}

std::vector<double> Call::NumbersOf(int i) {
  std::vector<double> out;
  if (i < static_cast<int>(arguments.size())) AddNumbers(i, out);
  return out;
}

std::vector<double> Call::AllNumbers(int first) {
  std::vector<double> out;
  for (int i = first; i < static_cast<int>(arguments.size()) && !error_; ++i)
    ForEach(i, [&](const Value& value, bool is_direct) {
      if (std::holds_alternative<std::string>(value) && !is_direct) {
        out.push_back(0);
        return true;
      }
      if (IsBlank(value) && !is_direct) return true;
      tl::expected<double, ErrorKind> number = ToNumber(value);
      if (number) out.push_back(*number);
      if (!number) Fail(number.error());
      return number.has_value();
    });
  return out;
}

Operand Call::Compute(int i, Want want) {
  if (i >= size()) return Missing{};
  Scope inner = scope_;
  inner.want = want;
  return evaluator_.Run(*node_.children[static_cast<std::size_t>(i)], inner);
}

}  // namespace viv::formula
