"""The operators of the kernels, a module each: its operation, what a tile of it touches, and what its kernel can do.

A new operator is a module here and a header beside the other kernels: nothing else on the side of the kernels names it.
"""
