# lit's configuration: which files are tests, and which tools they may name.

import os
import platform
import shutil
import sys

import lit.formats

config.name = "tesela"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["lit.cfg.py", "lit.site.cfg.py.in"]
config.test_source_root = os.path.join(config.tesela_source, "test")
config.test_exec_root = os.path.join(config.tesela_build, "test")

config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.tesela_build, "bin"),
        config.llvm_bin,
        config.environment.get("PATH", ""),
    ]
)
config.environment["FILECHECK_OPTS"] = (
    "-enable-var-scope --allow-unused-prefixes=false"
)
# Where NVIDIA's assembler is installed, PTX must pass it without a remark: it
# prints those on serialised or ignored code and succeeds. %ptxas has the
# architecture and the file behind it.
ptxas = os.environ.get("TESELA_PTXAS") or shutil.which("ptxas")
if ptxas:
    config.available_features.add("ptxas")
    script = os.path.join(config.test_source_root, "target/nvidia/assemble.py")
    config.substitutions.append(("%ptxas_program", ptxas))
    config.substitutions.append(("%ptxas", f"{sys.executable} {script} {ptxas}"))
config.available_features.add(platform.machine())
if config.tesela_sanitize:
    config.available_features.add("sanitizers")
config.substitutions.append(("%S_ROOT", config.tesela_source))
config.substitutions.append(("%build", config.tesela_build))
# Never the cache of the user who tests.
config.environment["TESELA_CACHE_DIR"] = os.path.join(
    config.tesela_build, "test", "cache"
)
config.substitutions.append(("%python", sys.executable))
