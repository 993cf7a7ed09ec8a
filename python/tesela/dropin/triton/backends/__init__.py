"""No other package's back end is looked for."""

backends = {}
