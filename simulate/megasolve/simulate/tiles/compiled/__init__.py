"""The loop of the tile scheduler compiled, where llvmlite is installed, and where the compiled code is kept."""
