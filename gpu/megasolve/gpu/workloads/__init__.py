"""Models that come with kernels of their own."""
