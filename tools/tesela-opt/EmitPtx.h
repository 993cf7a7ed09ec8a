//===- EmitPtx.h - a pass that prints PTX ---------------------------------===//

#ifndef TESELA_OPT_EMITPTX_H
#define TESELA_OPT_EMITPTX_H

namespace tesela {

/// Registers `emit-ptx` and the pipeline `nvidia-llvm` before it.
void registerEmitPtx();

} // namespace tesela

#endif // TESELA_OPT_EMITPTX_H
