// Probability distributions, their inverses, and confidence intervals.

#include <array>
#include <cmath>

#include "tools/formula/functions.h"
#include "tools/formula/probability.h"
#include "tools/formula/summary.h"

namespace viv::formula {
namespace {

// What a call of these costs: they sum series, and the inverses do so many times over.
constexpr std::int64_t kSeriesSteps = 300;
constexpr std::int64_t kInverseSteps = 20'000;

bool IsProbability(double p) {
  return p > 0 && p < 1;
}

Operand RunNormal(Call& call) {
  double x = call.Number(0), mean = call.Number(1), deviation = call.Number(2);
  if (deviation <= 0) return Err(ErrorKind::kNumber);
  double z = (x - mean) / deviation;
  return Num(call.Flag(3, true) ? NormalBelow(z) : NormalDensity(z) / deviation);
}

Operand RunNormalInverse(Call& call) {
  if (!call.evaluator().Charge(kSeriesSteps)) return Err(ErrorKind::kNumber);
  double p = call.Number(0), mean = call.Number(1, 0), deviation = call.Number(2, 1);
  if (!IsProbability(p) || deviation <= 0) return Err(ErrorKind::kNumber);
  return Num(mean + deviation * NormalInverse(p));
}

Operand RunLogNormal(Call& call) {
  double x = call.Number(0), mean = call.Number(1), deviation = call.Number(2);
  if (x <= 0 || deviation <= 0) return Err(ErrorKind::kNumber);
  double z = (std::log(x) - mean) / deviation;
  return Num(call.Flag(3, true) ? NormalBelow(z) : NormalDensity(z) / (x * deviation));
}

double BinomialDensity(double k, double n, double p) {
  if (p == 0) return k == 0 ? 1 : 0;
  if (p == 1) return k == n ? 1 : 0;
  return std::exp(LogChoose(n, k) + k * std::log(p) + (n - k) * std::log1p(-p));
}

Operand RunBinomial(Call& call) {
  if (!call.evaluator().Charge(kSeriesSteps)) return Err(ErrorKind::kNumber);
  double k = std::trunc(call.Number(0)), n = std::trunc(call.Number(1)), p = call.Number(2);
  if (k < 0 || k > n || p < 0 || p > 1) return Err(ErrorKind::kNumber);
  if (!call.Flag(3)) return Num(BinomialDensity(k, n, p));
  return Num(k >= n ? 1 : 1 - BetaBelow(p, k + 1, n - k));
}

Operand RunPoisson(Call& call) {
  if (!call.evaluator().Charge(kSeriesSteps)) return Err(ErrorKind::kNumber);
  double k = std::trunc(call.Number(0)), mean = call.Number(1);
  if (k < 0 || mean < 0) return Err(ErrorKind::kNumber);
  if (!call.Flag(2)) return Num(std::exp(k * std::log(mean) - mean - std::lgamma(k + 1)));
  return Num(1 - GammaBelow(k + 1, mean));
}

Operand RunExponential(Call& call) {
  double x = call.Number(0), rate = call.Number(1);
  if (x < 0 || rate <= 0) return Err(ErrorKind::kNumber);
  return Num(call.Flag(2) ? -std::expm1(-rate * x) : rate * std::exp(-rate * x));
}

Operand RunWeibull(Call& call) {
  double x = call.Number(0), shape = call.Number(1), scale = call.Number(2);
  if (x < 0 || shape <= 0 || scale <= 0) return Err(ErrorKind::kNumber);
  double power = std::pow(x / scale, shape);
  if (call.Flag(3)) return Num(-std::expm1(-power));
  return Num(shape / scale * std::pow(x / scale, shape - 1) * std::exp(-power));
}

Operand RunGammaDistribution(Call& call) {
  if (!call.evaluator().Charge(kSeriesSteps)) return Err(ErrorKind::kNumber);
  double x = call.Number(0), shape = call.Number(1), scale = call.Number(2);
  if (x < 0 || shape <= 0 || scale <= 0) return Err(ErrorKind::kNumber);
  if (call.Flag(3)) return Num(GammaBelow(shape, x / scale));
  return Num(std::exp((shape - 1) * std::log(x / scale) - x / scale - std::lgamma(shape)) / scale);
}

Operand RunBeta(Call& call) {
  if (!call.evaluator().Charge(kSeriesSteps)) return Err(ErrorKind::kNumber);
  double x = call.Number(0), a = call.Number(1), b = call.Number(2);
  double low = call.Number(4, 0), high = call.Number(5, 1);
  if (a <= 0 || b <= 0 || x < low || x > high || low == high) return Err(ErrorKind::kNumber);
  double part = (x - low) / (high - low);
  if (call.Flag(3, true)) return Num(BetaBelow(part, a, b));
  double log_beta = std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
  return Num(std::exp((a - 1) * std::log(part) + (b - 1) * std::log1p(-part) - log_beta) /
             (high - low));
}

Operand RunStudent(Call& call) {
  if (!call.evaluator().Charge(kSeriesSteps)) return Err(ErrorKind::kNumber);
  double t = call.Number(0), freedom = std::trunc(call.Number(1));
  if (freedom < 1) return Err(ErrorKind::kNumber);
  if (call.Flag(2, true)) return Num(StudentBelow(t, freedom));
  return Num(std::exp(std::lgamma((freedom + 1) / 2) - std::lgamma(freedom / 2)) /
             std::sqrt(freedom * std::acos(-1.0)) *
             std::pow(1 + t * t / freedom, -(freedom + 1) / 2));
}

// TDIST and its successors: one tail or both.
Operand RunStudentTails(Call& call, double tails) {
  if (!call.evaluator().Charge(kSeriesSteps)) return Err(ErrorKind::kNumber);
  double t = call.Number(0), freedom = std::trunc(call.Number(1));
  if (freedom < 1 || (tails != 1 && tails != 2)) return Err(ErrorKind::kNumber);
  return Num(tails * (1 - StudentBelow(t, freedom)));
}

double StudentInverse(double part, double freedom) {
  if (part < 0.5) return -StudentInverse(1 - part, freedom);
  return Invert([&](double t) { return StudentBelow(t, freedom); }, part, 0, 10);
}

Operand RunStudentInverse(Call& call, bool both_tails) {
  if (!call.evaluator().Charge(kInverseSteps)) return Err(ErrorKind::kNumber);
  double p = call.Number(0), freedom = std::trunc(call.Number(1));
  if (!(p > 0 && p <= 1) || (!both_tails && p == 1) || freedom < 1) return Err(ErrorKind::kNumber);
  return Num(StudentInverse(both_tails ? 1 - p / 2 : p, freedom));
}

Operand RunChiSquare(Call& call, bool right_tail) {
  if (!call.evaluator().Charge(kSeriesSteps)) return Err(ErrorKind::kNumber);
  double x = call.Number(0), freedom = std::trunc(call.Number(1));
  if (x < 0 || freedom < 1) return Err(ErrorKind::kNumber);
  double below = GammaBelow(freedom / 2, x / 2);
  if (right_tail) return Num(1 - below);
  if (call.Flag(2, true)) return Num(below);
  return Num(std::exp((freedom / 2 - 1) * std::log(x / 2) - x / 2 - std::lgamma(freedom / 2)) / 2);
}

Operand RunChiSquareInverse(Call& call, bool right_tail) {
  if (!call.evaluator().Charge(kInverseSteps)) return Err(ErrorKind::kNumber);
  double p = call.Number(0), freedom = std::trunc(call.Number(1));
  if (!IsProbability(p) || freedom < 1) return Err(ErrorKind::kNumber);
  auto below = [&](double x) { return GammaBelow(freedom / 2, x / 2); };
  return Num(Invert(below, right_tail ? 1 - p : p, 0, freedom + 10));
}

double FisherBelow(double x, double m, double n) {
  return BetaBelow(m * x / (m * x + n), m / 2, n / 2);
}

Operand RunFisher(Call& call, bool right_tail) {
  if (!call.evaluator().Charge(kSeriesSteps)) return Err(ErrorKind::kNumber);
  double x = call.Number(0), m = std::trunc(call.Number(1)), n = std::trunc(call.Number(2));
  if (x < 0 || m < 1 || n < 1) return Err(ErrorKind::kNumber);
  double below = FisherBelow(x, m, n);
  if (right_tail) return Num(1 - below);
  if (call.Flag(3, true)) return Num(below);
  double log_beta = std::lgamma(m / 2) + std::lgamma(n / 2) - std::lgamma((m + n) / 2);
  return Num(std::exp(m / 2 * std::log(m / n) + (m / 2 - 1) * std::log(x) -
                      (m + n) / 2 * std::log1p(m * x / n) - log_beta));
}

Operand RunFisherInverse(Call& call, bool right_tail) {
  if (!call.evaluator().Charge(kInverseSteps)) return Err(ErrorKind::kNumber);
  double p = call.Number(0), m = std::trunc(call.Number(1)), n = std::trunc(call.Number(2));
  if (!IsProbability(p) || m < 1 || n < 1) return Err(ErrorKind::kNumber);
  auto below = [&](double x) { return FisherBelow(x, m, n); };
  return Num(Invert(below, right_tail ? 1 - p : p, 0, 10));
}

Operand RunHypergeometric(Call& call) {
  double k = std::trunc(call.Number(0)), n = std::trunc(call.Number(1));
  double good = std::trunc(call.Number(2)), all = std::trunc(call.Number(3));
  if (k < 0 || n < 0 || n > all || good > all || k > n || k > good || all > 1e9)
    return Err(ErrorKind::kNumber);
  auto density = [&](double i) {
    if (n - i > all - good) return 0.0;
    return std::exp(LogChoose(good, i) + LogChoose(all - good, n - i) - LogChoose(all, n));
  };
  if (!call.Flag(4, false)) return Num(density(k));
  double sum = 0;
  for (double i = 0; i <= k && call.evaluator().Charge(1); ++i) sum += density(i);
  return Num(sum);
}

Operand RunNegativeBinomial(Call& call) {
  if (!call.evaluator().Charge(kSeriesSteps)) return Err(ErrorKind::kNumber);
  double failures = std::trunc(call.Number(0)), successes = std::trunc(call.Number(1));
  double p = call.Number(2);
  if (failures < 0 || successes < 1 || p <= 0 || p > 1) return Err(ErrorKind::kNumber);
  if (call.Flag(3, false)) return Num(BetaBelow(p, successes, failures + 1));
  return Num(std::exp(LogChoose(failures + successes - 1, failures) + successes * std::log(p) +
                      failures * std::log1p(-p)));
}

Operand RunConfidence(Call& call, bool student) {
  if (!call.evaluator().Charge(kInverseSteps)) return Err(ErrorKind::kNumber);
  double alpha = call.Number(0), deviation = call.Number(1), size = std::trunc(call.Number(2));
  if (!IsProbability(alpha) || deviation <= 0 || size < 1) return Err(ErrorKind::kNumber);
  if (student && size < 2) return Err(ErrorKind::kDivideByZero);
  double z = student ? StudentInverse(1 - alpha / 2, size - 1) : NormalInverse(1 - alpha / 2);
  return Num(z * deviation / std::sqrt(size));
}

Operand RunZTest(Call& call) {
  NumberList numbers = call.NumbersOf(0);
  double x = call.Number(1), n = static_cast<double>(numbers.size());
  Value spread = call.Has(2) ? Value(call.Number(2)) : DeviationOf(numbers, 1);
  const auto* deviation = std::get_if<double>(&spread);
  if (n == 0 || !deviation || *deviation <= 0) return Err(ErrorKind::kDivideByZero);
  return Num(1 - NormalBelow((SumOf(numbers) / n - x) / (*deviation / std::sqrt(n))));
}

const std::array kDistributionTable = {
    Function{"NORM.DIST", "V", 4, 4, RunNormal},
    Function{"NORMDIST", "V", 4, 4, RunNormal},
    Function{"NORM.INV", "V", 3, 3, RunNormalInverse},
    Function{"NORMINV", "V", 3, 3, RunNormalInverse},
    Function{"NORM.S.DIST", "V", 1, 2,
             [](Call& c) {
               double z = c.Number(0);
               return Num(c.Flag(1, true) ? NormalBelow(z) : NormalDensity(z));
             }},
    Function{"NORMSDIST", "V", 1, 1, [](Call& c) { return Num(NormalBelow(c.Number(0))); }},
    Function{"NORM.S.INV", "V", 1, 1, RunNormalInverse},
    Function{"NORMSINV", "V", 1, 1, RunNormalInverse},
    Function{"GAUSS", "V", 1, 1, [](Call& c) { return Num(NormalBelow(c.Number(0)) - 0.5); }},
    Function{"PHI", "V", 1, 1, [](Call& c) { return Num(NormalDensity(c.Number(0))); }},
    Function{"LOGNORM.DIST", "V", 4, 4, RunLogNormal},
    Function{"LOGNORMDIST", "V", 3, 3, RunLogNormal},
    Function{"LOGNORM.INV", "V", 3, 3,
             [](Call& c) {
               Operand log = RunNormalInverse(c);
               const auto* value = std::get_if<Value>(&log);
               if (!value || IsError(*value)) return log;
               return Num(std::exp(std::get<double>(*value)));
             }},
    Function{"BINOM.DIST", "V", 4, 4, RunBinomial},
    Function{"BINOMDIST", "V", 4, 4, RunBinomial},
    Function{"NEGBINOM.DIST", "V", 4, 4, RunNegativeBinomial},
    Function{"NEGBINOMDIST", "V", 3, 3, RunNegativeBinomial},
    Function{"POISSON", "V", 3, 3, RunPoisson},
    Function{"POISSON.DIST", "V", 3, 3, RunPoisson},
    Function{"EXPON.DIST", "V", 3, 3, RunExponential},
    Function{"EXPONDIST", "V", 3, 3, RunExponential},
    Function{"WEIBULL", "V", 4, 4, RunWeibull},
    Function{"WEIBULL.DIST", "V", 4, 4, RunWeibull},
    Function{"GAMMA", "V", 1, 1, [](Call& c) { return Num(std::tgamma(c.Number(0))); }},
    Function{"GAMMALN", "V", 1, 1, [](Call& c) { return Num(std::lgamma(c.Number(0))); }},
    Function{"GAMMALN.PRECISE", "V", 1, 1, [](Call& c) { return Num(std::lgamma(c.Number(0))); }},
    Function{"GAMMA.DIST", "V", 4, 4, RunGammaDistribution},
    Function{"GAMMADIST", "V", 4, 4, RunGammaDistribution},
    Function{"BETA.DIST", "V", 4, 6, RunBeta},
    Function{"HYPGEOM.DIST", "V", 5, 5, RunHypergeometric},
    Function{"HYPGEOMDIST", "V", 4, 4, RunHypergeometric},
    Function{"T.DIST", "V", 3, 3, RunStudent},
    Function{"T.DIST.RT", "V", 2, 2, [](Call& c) { return RunStudentTails(c, 1); }},
    Function{"T.DIST.2T", "V", 2, 2, [](Call& c) { return RunStudentTails(c, 2); }},
    Function{"TDIST", "V", 3, 3,
             [](Call& c) { return RunStudentTails(c, std::trunc(c.Number(2))); }},
    Function{"T.INV", "V", 2, 2, [](Call& c) { return RunStudentInverse(c, false); }},
    Function{"T.INV.2T", "V", 2, 2, [](Call& c) { return RunStudentInverse(c, true); }},
    Function{"TINV", "V", 2, 2, [](Call& c) { return RunStudentInverse(c, true); }},
    Function{"CHISQ.DIST", "V", 3, 3, [](Call& c) { return RunChiSquare(c, false); }},
    Function{"CHISQ.DIST.RT", "V", 2, 2, [](Call& c) { return RunChiSquare(c, true); }},
    Function{"CHIDIST", "V", 2, 2, [](Call& c) { return RunChiSquare(c, true); }},
    Function{"CHISQ.INV", "V", 2, 2, [](Call& c) { return RunChiSquareInverse(c, false); }},
    Function{"CHISQ.INV.RT", "V", 2, 2, [](Call& c) { return RunChiSquareInverse(c, true); }},
    Function{"CHIINV", "V", 2, 2, [](Call& c) { return RunChiSquareInverse(c, true); }},
    Function{"F.DIST", "V", 4, 4, [](Call& c) { return RunFisher(c, false); }},
    Function{"F.DIST.RT", "V", 3, 3, [](Call& c) { return RunFisher(c, true); }},
    Function{"FDIST", "V", 3, 3, [](Call& c) { return RunFisher(c, true); }},
    Function{"F.INV", "V", 3, 3, [](Call& c) { return RunFisherInverse(c, false); }},
    Function{"F.INV.RT", "V", 3, 3, [](Call& c) { return RunFisherInverse(c, true); }},
    Function{"FINV", "V", 3, 3, [](Call& c) { return RunFisherInverse(c, true); }},
    Function{"FISHER", "V", 1, 1, [](Call& c) { return Num(std::atanh(c.Number(0))); }},
    Function{"FISHERINV", "V", 1, 1, [](Call& c) { return Num(std::tanh(c.Number(0))); }},
    Function{"CONFIDENCE", "V", 3, 3, [](Call& c) { return RunConfidence(c, false); }},
    Function{"CONFIDENCE.NORM", "V", 3, 3, [](Call& c) { return RunConfidence(c, false); }},
    Function{"CONFIDENCE.T", "V", 3, 3, [](Call& c) { return RunConfidence(c, true); }},
    Function{"Z.TEST", "RVV", 2, 3, RunZTest},
    Function{"ZTEST", "RVV", 2, 3, RunZTest},
};

}  // namespace

FunctionList DistributionFunctions() {
  return kDistributionTable;
}

}  // namespace viv::formula
