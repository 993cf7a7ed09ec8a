//===- ReduceLarge.h - large arguments of circular functions --------------===//

#ifndef TESELA_TARGET_MATHS_REDUCELARGE_H
#define TESELA_TARGET_MATHS_REDUCELARGE_H

#include "target/maths/Lanes.h"

namespace tesela::maths {

/// A number less a multiple of pi/2: r + rest, and the multiple in the low bits
/// of an integer as wide as the number.
struct Reduced {
  Lanes r;
  Lanes rest;
  Lanes quadrant;
};

/// Of a finite f32 that is 2^16 or larger, or a finite f64 of 2^20 or larger;
/// what it gives for others means nothing.
Reduced reduceLarge(Lanes a);

} // namespace tesela::maths

#endif // TESELA_TARGET_MATHS_REDUCELARGE_H
