#pragma once
// Rounding in decimal places that does what people expect of decimal numbers: 2.675 to two places
// is 2.68, although the nearest binary fraction lies a little below.

namespace viv::formula {

enum class Rounding { kNearest, kUp, kDown };  // up: away from zero; down: towards it

double RoundTo(double number, int places, Rounding rounding);

// floor() that takes 2.9999999999999996 for the 3 it was meant to be.
double FloorNear(double number);

}  // namespace viv::formula
