//===- CudaImplementation.h - random kernels on a GPU ---------------------===//

#ifndef TESELA_TEST_GENERATE_CUDAIMPLEMENTATION_H
#define TESELA_TEST_GENERATE_CUDAIMPLEMENTATION_H

#include "driver/Targets.h"
#include "generate/Differential.h"

namespace tesela::test {

/// The machine's first GPU; null where there is none.
const driver::TargetRow *firstGpu();

/// Compiles for a GPU and launches there, on copies of the memory, whose
/// surroundings are checked too.
Implementation compiledForCuda(const driver::TargetRow &row,
                               bool general = false);

} // namespace tesela::test

#endif // TESELA_TEST_GENERATE_CUDAIMPLEMENTATION_H
