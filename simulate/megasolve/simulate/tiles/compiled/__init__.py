"""The loop of the tile scheduler compiled, where numba is installed, and where the compiled code is kept."""
