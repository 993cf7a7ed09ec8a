//===- Outline.h - what the text of a kernel suggests ---------------------===//

#ifndef TESELA_EMIT_OUTLINE_H
#define TESELA_EMIT_OUTLINE_H

#include "support/Diagnostics.h"
#include "tesela/tesela.h"

#include <memory>
#include <optional>

namespace tesela::emit {

/// Reads a function without interpreting it.
std::optional<Outline> readOutline(std::shared_ptr<const Function> function,
                                   Diagnostics &diags);

} // namespace tesela::emit

#endif // TESELA_EMIT_OUTLINE_H
