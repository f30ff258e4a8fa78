// Cash flows of different size: present values and rates of return.

#include <array>
#include <cmath>
#include <functional>

#include "tools/formula/functions.h"
#include "tools/formula/summary.h"

namespace viv::formula {
namespace {

double PresentValue(const NumberList& flows, double rate) {
  double sum = 0, discount = 1;
  for (double flow : flows) {
    sum += flow / discount;
    discount *= 1 + rate;
  }
  return sum;
}

Operand RunNpv(Call& call) {
  double rate = call.Number(0);
  if (rate == -1) return Err(ErrorKind::kDivideByZero);
  return Num(PresentValue(call.Numbers(1), rate) / (1 + rate));
}

using Worth = std::function<double(double rate)>;

// Where the worth is nothing: Newton's method from the guess, then a search over the rates that
// occur. Every step costs as much as there are flows.
std::optional<double> FindRate(Call& call, const Worth& worth, double guess, std::size_t flows) {
  double rate = guess;
  auto cost = static_cast<std::int64_t>(flows) * 2 + 1;
  for (int i = 0; i < 100 && call.evaluator().Charge(cost); ++i) {
    double value = worth(rate), step = 1e-6 * std::max(1.0, std::fabs(rate));
    double slope = (worth(rate + step) - worth(rate - step)) / (2 * step);
    if (slope == 0 || !std::isfinite(value) || !std::isfinite(slope)) break;
    double next = rate - value / slope;
    if (next <= -1) next = (rate - 1) / 2;
    if (std::fabs(next - rate) < 1e-13) return next;
    rate = next;
  }
  double low = -0.99, low_worth = worth(low);
  for (double high = -0.95; high < 100; high = high < 1 ? high + 0.05 : high * 1.5) {
    double high_worth = worth(high);
    if (!call.evaluator().Charge(cost)) return std::nullopt;
    if ((low_worth < 0) != (high_worth < 0) && std::isfinite(low_worth + high_worth)) {
      for (int i = 0; i < 100 && call.evaluator().Charge(cost); ++i) {
        double middle = (low + high) / 2, value = worth(middle);
        ((value < 0) == (low_worth < 0) ? low : high) = middle;
      }
      return (low + high) / 2;
    }
    low = high;
    low_worth = high_worth;
  }
  return std::nullopt;
}

bool HasBothSigns(const NumberList& flows) {
  bool plus = false, minus = false;
  for (double flow : flows) {
    plus = plus || flow > 0;
    minus = minus || flow < 0;
  }
  return plus && minus;
}

Operand RunIrr(Call& call) {
  NumberList flows = call.NumbersOf(0);
  double guess = call.Number(1, 0.1);
  if (!HasBothSigns(flows)) return Err(ErrorKind::kNumber);
  Worth worth = [&](double rate) { return PresentValue(flows, rate); };
  std::optional<double> rate = FindRate(call, worth, guess, flows.size());
  return rate ? Num(*rate) : Err(ErrorKind::kNumber);
}

double PresentValueOn(const NumberList& flows, const NumberList& dates, double rate) {
  double sum = 0;
  for (std::size_t i = 0; i < flows.size(); ++i)
    sum += flows[i] / std::pow(1 + rate, (dates[i] - dates[0]) / 365);
  return sum;
}

Operand RunXnpv(Call& call) {
  double rate = call.Number(0);
  NumberList flows = call.NumbersOf(1), dates = call.NumbersOf(2);
  if (flows.size() != dates.size() || flows.empty() || rate <= -1) return Err(ErrorKind::kNumber);
  return Num(PresentValueOn(flows, dates, rate));
}

Operand RunXirr(Call& call) {
  NumberList flows = call.NumbersOf(0), dates = call.NumbersOf(1);
  double guess = call.Number(2, 0.1);
  if (flows.size() != dates.size() || !HasBothSigns(flows)) return Err(ErrorKind::kNumber);
  Worth worth = [&](double rate) { return PresentValueOn(flows, dates, rate); };
  std::optional<double> rate = FindRate(call, worth, guess, flows.size() * 4);
  return rate ? Num(*rate) : Err(ErrorKind::kNumber);
}

Operand RunMirr(Call& call) {
  NumberList flows = call.NumbersOf(0), gains = flows, losses = flows;
  double finance = call.Number(1), reinvest = call.Number(2), n = static_cast<double>(flows.size());
  if (!HasBothSigns(flows)) return Err(ErrorKind::kDivideByZero);
  for (std::size_t i = 0; i < flows.size(); ++i) (flows[i] > 0 ? losses : gains)[i] = 0;
  double future = PresentValue(gains, reinvest) * std::pow(1 + reinvest, n - 1);
  return Num(std::pow(-future / PresentValue(losses, finance), 1 / (n - 1)) - 1);
}

Operand RunSchedule(Call& call) {
  double value = call.Number(0);
  for (double rate : call.NumbersOf(1)) value *= 1 + rate;
  return Num(value);
}

const std::array kCashFlowTable = {
    Function{"NPV", "V|R", 2, kManyArguments, RunNpv},
    Function{"IRR", "RV", 1, 2, RunIrr},
    Function{"XNPV", "VRR", 3, 3, RunXnpv},
    Function{"XIRR", "RRV", 2, 3, RunXirr},
    Function{"MIRR", "RVV", 3, 3, RunMirr},
    Function{"FVSCHEDULE", "VR", 2, 2, RunSchedule},
};

}  // namespace

FunctionList CashFlowFunctions() {
  return kCashFlowTable;
}

}  // namespace viv::formula
