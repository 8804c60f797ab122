"""Kernels loaded in a session, and their launches."""
