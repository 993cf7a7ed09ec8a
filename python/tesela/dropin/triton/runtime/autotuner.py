from tesela.autotuner import (Autotuner, Config, Heuristics, autotune,
                              heuristics)
from tesela.errors import OutOfResources

__all__ = ["Autotuner", "Config", "Heuristics", "OutOfResources", "autotune",
           "heuristics"]
