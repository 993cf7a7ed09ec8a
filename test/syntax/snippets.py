"""Hard syntax, right and wrong. The newest CPython says which is which."""

SNIPPETS = []
SNIPPETS_3_14 = []
