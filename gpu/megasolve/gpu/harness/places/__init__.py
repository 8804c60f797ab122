"""Where kernels run: on a GPU or on the stand-in, and what must be built for it."""
