// Loans and savings with equal payments, depreciation, interest rates.

#include <array>
#include <cmath>

#include "tools/formula/functions.h"

namespace viv::formula {
namespace {

// What an annuity is made of; money received is positive, money paid negative.
struct Annuity {
  double rate = 0, periods = 0, payment = 0, present = 0, future = 0;
  bool at_start = false;  // payments at the beginning of each period
};

double FutureOf(const Annuity& a) {
  if (a.rate == 0) return -(a.present + a.payment * a.periods);
  double growth = std::pow(1 + a.rate, a.periods);
  return -(a.present * growth +
           a.payment * (1 + (a.at_start ? a.rate : 0)) * (growth - 1) / a.rate);
}

double PresentOf(const Annuity& a) {
  if (a.rate == 0) return -(a.future + a.payment * a.periods);
  double growth = std::pow(1 + a.rate, a.periods);
  return -(a.future + a.payment * (1 + (a.at_start ? a.rate : 0)) * (growth - 1) / a.rate) / growth;
}

double PaymentOf(const Annuity& a) {
  if (a.rate == 0) return -(a.present + a.future) / a.periods;
  double growth = std::pow(1 + a.rate, a.periods);
  return -a.rate * (a.present * growth + a.future) /
         ((1 + (a.at_start ? a.rate : 0)) * (growth - 1));
}

// The interest within the payment of one period.
double InterestOf(const Annuity& loan, double period) {
  double payment = PaymentOf(loan);
  if (loan.at_start && period == 1) return 0;
  Annuity until = loan;
  until.payment = payment;
  until.periods = period - (loan.at_start ? 2 : 1);
  double balance = FutureOf(until);
  return (loan.at_start ? balance - payment : balance) * loan.rate;
}

Operand RunPmt(Call& c) {
  Annuity a{.rate = c.Number(0),
            .periods = c.Number(1),
            .present = c.Number(2),
            .future = c.Number(3, 0),
            .at_start = c.Number(4, 0) != 0};
  return a.periods == 0 ? Err(ErrorKind::kNumber) : Num(PaymentOf(a));
}

Operand RunInterest(Call& c, bool principal) {
  double period = c.Number(1);
  Annuity a{.rate = c.Number(0),
            .periods = c.Number(2),
            .present = c.Number(3),
            .future = c.Number(4, 0),
            .at_start = c.Number(5, 0) != 0};
  if (period < 1 || period > a.periods) return Err(ErrorKind::kNumber);
  double interest = InterestOf(a, period);
  return Num(principal ? PaymentOf(a) - interest : interest);
}

Operand RunFuture(Call& c) {
  return Num(FutureOf({.rate = c.Number(0),
                       .periods = c.Number(1),
                       .payment = c.Number(2),
                       .present = c.Number(3, 0),
                       .at_start = c.Number(4, 0) != 0}));
}

Operand RunPresent(Call& c) {
  return Num(PresentOf({.rate = c.Number(0),
                        .periods = c.Number(1),
                        .payment = c.Number(2),
                        .future = c.Number(3, 0),
                        .at_start = c.Number(4, 0) != 0}));
}

Operand RunPeriods(Call& c) {
  double rate = c.Number(0), payment = c.Number(1), present = c.Number(2), future = c.Number(3, 0);
  bool at_start = c.Number(4, 0) != 0;
  if (rate == 0) return payment == 0 ? Err(ErrorKind::kNumber) : Num(-(present + future) / payment);
  double due = payment * (1 + (at_start ? rate : 0)) / rate;
  return Num(std::log((due - future) / (due + present)) / std::log(1 + rate));
}

// The rate at which the annuity is worth its future value, by the secant method.
Operand RunRate(Call& c) {
  Annuity a{.periods = c.Number(0),
            .payment = c.Number(1),
            .present = c.Number(2),
            .at_start = c.Number(4, 0) != 0};
  double future = c.Number(3, 0), guess = c.Number(5, 0.1);
  auto off = [&](double rate) {
    a.rate = rate;
    return FutureOf(a) - future;
  };
  double x0 = guess, x1 = guess * 1.1 + 1e-4, y0 = off(x0), y1 = off(x1);
  for (int i = 0; i < 200; ++i) {
    if (std::fabs(y1) < 1e-9 || std::fabs(x1 - x0) < 1e-15) return Num(x1);
    if (y1 == y0 || !std::isfinite(y1)) break;
    double next = x1 - y1 * (x1 - x0) / (y1 - y0);
    if (next <= -1) next = (x1 - 1) / 2;
    x0 = std::exchange(x1, next);
    y0 = std::exchange(y1, off(next));
  }
  return Err(ErrorKind::kNumber);
}

Operand RunCumulative(Call& c, bool principal) {
  Annuity a{.rate = c.Number(0),
            .periods = c.Number(1),
            .present = c.Number(2),
            .at_start = c.Number(5) != 0};
  double from = std::trunc(c.Number(3)), to = std::trunc(c.Number(4)), sum = 0;
  if (a.rate <= 0 || a.periods <= 0 || a.present <= 0 || from < 1 || to < from || to > a.periods)
    return Err(ErrorKind::kNumber);
  double payment = PaymentOf(a);
  for (double period = from; period <= to && c.evaluator().Charge(10); ++period) {
    double interest = InterestOf(a, period);
    sum += principal ? payment - interest : interest;
  }
  return Num(sum);
}

Operand RunFixedDeclining(Call& c) {
  double cost = c.Number(0), salvage = c.Number(1), life = c.Number(2),
         period = std::trunc(c.Number(3));
  double months = c.Number(4, 12);
  if (cost < 0 || salvage < 0 || life <= 0 || period < 1 || period > life + 1 || period > 10'000 ||
      months < 1 || months > 12)
    return Err(ErrorKind::kNumber);
  if (cost == 0) return Num(0);
  double rate = std::round((1 - std::pow(salvage / cost, 1 / life)) * 1000) / 1000;
  double total = cost * rate * months / 12, amount = total;
  for (double i = 2; i <= period; ++i) {
    amount = (cost - total) * rate;
    if (i == std::floor(life) + 1) amount = amount * (12 - months) / 12;
    total += amount;
  }
  return Num(amount);
}

// Double declining balance up to and including a period.
double Declined(double cost, double salvage, double life, double period, double factor) {
  double rate = std::min(factor / life, 1.0);
  double before = cost * std::pow(1 - rate, period - 1);
  double after = std::max(cost * std::pow(1 - rate, period), salvage);
  return std::max(before - after, 0.0);
}

Operand RunDoubleDeclining(Call& c) {
  double cost = c.Number(0), salvage = c.Number(1), life = c.Number(2), period = c.Number(3);
  double factor = c.Number(4, 2);
  if (cost < 0 || salvage < 0 || life <= 0 || period < 1 || period > life || factor <= 0)
    return Err(ErrorKind::kNumber);
  return Num(Declined(cost, salvage, life, period, factor));
}

// Declining balance between two whole periods, changing to straight line when that gives more.
Operand RunVariableDeclining(Call& c) {
  double cost = c.Number(0), salvage = c.Number(1), life = c.Number(2), from = c.Number(3);
  double to = c.Number(4), factor = c.Number(5, 2);
  bool no_switch = c.Flag(6, false);
  if (cost < 0 || salvage < 0 || life <= 0 || from < 0 || to < from || to > life || to > 10'000)
    return Err(ErrorKind::kNumber);
  double value = cost, sum = 0;
  for (double period = 0; period < to; ++period) {
    double declined =
        std::min(value * std::min(factor / life, 1.0), std::max(value - salvage, 0.0));
    double straight = (value - salvage) / (life - period);
    double amount = no_switch ? declined : std::max(declined, straight);
    double part = std::min(period + 1, to) - std::max(period, from);
    if (part > 0) sum += amount * part;
    value -= amount;
  }
  return Num(sum);
}

Operand RunEffective(Call& c, bool nominal) {
  double rate = c.Number(0), times = std::trunc(c.Number(1));
  if (rate <= 0 || times < 1) return Err(ErrorKind::kNumber);
  return Num(nominal ? times * (std::pow(1 + rate, 1 / times) - 1)
                     : std::pow(1 + rate / times, times) - 1);
}

// 1.02 with a fraction of 16 means 1 + 2/16.
Operand RunDollarFraction(Call& c, bool to_decimal) {
  double price = c.Number(0), fraction = std::trunc(c.Number(1));
  if (fraction < 0) return Err(ErrorKind::kNumber);
  if (fraction == 0) return Err(ErrorKind::kDivideByZero);
  double whole = std::trunc(price), digits = std::pow(10.0, std::ceil(std::log10(fraction)));
  double part = price - whole;
  return Num(whole + (to_decimal ? part * digits / fraction : part * fraction / digits));
}

const std::array kFinanceTable = {
    Function{"PMT", "V", 3, 5, RunPmt},
    Function{"IPMT", "V", 4, 6, [](Call& c) { return RunInterest(c, false); }},
    Function{"PPMT", "V", 4, 6, [](Call& c) { return RunInterest(c, true); }},
    Function{"FV", "V", 3, 5, RunFuture},
    Function{"PV", "V", 3, 5, RunPresent},
    Function{"NPER", "V", 3, 5, RunPeriods},
    Function{"RATE", "V", 3, 6, RunRate},
    Function{"CUMIPMT", "V", 6, 6, [](Call& c) { return RunCumulative(c, false); }},
    Function{"CUMPRINC", "V", 6, 6, [](Call& c) { return RunCumulative(c, true); }},
    Function{"ISPMT", "V", 4, 4,
             [](Call& c) {
               double rate = c.Number(0), period = c.Number(1), all = c.Number(2);
               if (all == 0) return Err(ErrorKind::kDivideByZero);
               return Num(c.Number(3) * rate * (period / all - 1));
             }},
    Function{"SLN", "V", 3, 3,
             [](Call& c) {
               double cost = c.Number(0), salvage = c.Number(1), life = c.Number(2);
               return life == 0 ? Err(ErrorKind::kDivideByZero) : Num((cost - salvage) / life);
             }},
    Function{"SYD", "V", 4, 4,
             [](Call& c) {
               double cost = c.Number(0), salvage = c.Number(1), life = c.Number(2),
                      n = c.Number(3);
               if (life <= 0 || n < 1 || n > life) return Err(ErrorKind::kNumber);
               return Num((cost - salvage) * (life - n + 1) * 2 / (life * (life + 1)));
             }},
    Function{"DB", "V", 4, 5, RunFixedDeclining},
    Function{"DDB", "V", 4, 5, RunDoubleDeclining},
    Function{"VDB", "V", 5, 7, RunVariableDeclining},
    Function{"EFFECT", "V", 2, 2, [](Call& c) { return RunEffective(c, false); }},
    Function{"NOMINAL", "V", 2, 2, [](Call& c) { return RunEffective(c, true); }},
    Function{"RRI", "V", 3, 3,
             [](Call& c) {
               double periods = c.Number(0), present = c.Number(1), future = c.Number(2);
               if (periods <= 0 || present == 0) return Err(ErrorKind::kNumber);
               return Num(std::pow(future / present, 1 / periods) - 1);
             }},
    Function{"PDURATION", "V", 3, 3,
             [](Call& c) {
               double rate = c.Number(0), present = c.Number(1), future = c.Number(2);
               if (rate <= 0 || present <= 0 || future <= 0) return Err(ErrorKind::kNumber);
               return Num(std::log(future / present) / std::log1p(rate));
             }},
    Function{"DOLLARDE", "V", 2, 2, [](Call& c) { return RunDollarFraction(c, true); }},
    Function{"DOLLARFR", "V", 2, 2, [](Call& c) { return RunDollarFraction(c, false); }},
};

}  // namespace

FunctionList FinanceFunctions() {
  return kFinanceTable;
}

}  // namespace viv::formula
