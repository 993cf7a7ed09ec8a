//===- Ptxas.h - NVIDIA's assembler and disassembler ----------------------===//
//
// Programs of the CUDA toolkit, where they are installed. Nothing but cubins
// and listings of machine code needs them: the driver takes PTX.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_TARGET_NVIDIA_PTXAS_H
#define TESELA_TARGET_NVIDIA_PTXAS_H

#include <string>

namespace tesela::nvidia {

/// What a kernel takes of the GPU, by thread and by block.
struct KernelResources {
  unsigned registers = 0;
  unsigned stackBytes = 0;
  unsigned spillStoreBytes = 0;
  unsigned spillLoadBytes = 0;
  /// Static shared memory.
  unsigned sharedBytes = 0;
  /// The assembler's remarks on code that it had to serialise or ignore, one a
  /// line; it succeeds with them.
  std::string remarks;
};

/// A cubin of PTX for a processor ("sm_90a"), by the `ptxas` in TESELA_PTXAS or
/// on the path. Empty, with the reason in `error`, where it fails.
std::string assemblePtx(const std::string &ptx, const std::string &processor,
                        std::string &error,
                        KernelResources *resources = nullptr);

/// What `ptxas -v` said, as numbers.
KernelResources parseResources(const std::string &report);

/// The machine code in a cubin as text, by `cuobjdump` (in TESELA_CUOBJDUMP or
/// on the path) or `nvdisasm`. Empty, with the reason in `error`, where there
/// is neither.
std::string disassembleCubin(const std::string &cubin, std::string &error);

} // namespace tesela::nvidia

#endif // TESELA_TARGET_NVIDIA_PTXAS_H
