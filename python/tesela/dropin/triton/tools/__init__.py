"""Tools beside the compiler."""
