"""Kernels that nobody built: their contracts, and what their calls are taken to take."""
