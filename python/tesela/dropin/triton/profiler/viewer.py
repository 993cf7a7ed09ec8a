"""What shows the profiler's recordings."""

from ..absent import absent

parse = absent("triton.profiler.viewer.parse")
read = absent("triton.profiler.viewer.read")
print_tree = absent("triton.profiler.viewer.print_tree")
