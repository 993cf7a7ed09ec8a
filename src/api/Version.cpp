//===- Version.cpp - the version of the library ---------------------------===//

#include "tesela/tesela.h"

namespace tesela {

const char *v1::version() { return TESELA_VERSION; }

} // namespace tesela
