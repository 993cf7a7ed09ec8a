//===- AddressKernel.h - random kernels that compute addresses ------------===//

#ifndef TESELA_TEST_UNIT_ADDRESSKERNEL_H
#define TESELA_TEST_UNIT_ADDRESSKERNEL_H

#include <cstdint>
#include <string>

namespace tesela::test {

/// A kernel that reads `%x` and writes `%x` and `%out` through addresses and
/// masks of every kind, computed in integers of `width` bits that may wrap. Its
/// arguments are
///
///   %x, %out: !tile.ptr<i32>, %rows: !tile.ptr<iN>, %s0 .. %s3: iN
///
/// With 8 bits, it stays within 2^13 elements on both sides of %x and %out, and
/// within the first 8 elements of %rows. The same seed gives the same text.
std::string addressKernel(uint64_t seed, unsigned width);

} // namespace tesela::test

#endif // TESELA_TEST_UNIT_ADDRESSKERNEL_H
