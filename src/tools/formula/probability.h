#pragma once
// Special functions behind the distributions.

namespace viv::formula {

double NormalDensity(double z);
double NormalBelow(double z);           // the part of the standard normal distribution below z
double NormalInverse(double part);      // 0 < part < 1
double GammaBelow(double a, double x);  // regularised incomplete gamma function
double BetaBelow(double x, double a, double b);  // regularised incomplete beta function
double StudentBelow(double t, double freedom);
double LogChoose(double n, double k);

// The x at which an increasing function reaches `wanted`, searched between the bounds, which are
// widened to the right as needed; NaN when it is never reached.
template <typename Increasing>
double Invert(const Increasing& function, double wanted, double low, double high) {
  for (int i = 0; i < 200 && function(high) < wanted; ++i) high = high * 2 + 1;
  for (int i = 0; i < 200; ++i) {
    double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (function(middle) < wanted ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace viv::formula
