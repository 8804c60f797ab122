"""The ranking of `solve` in each of its forms."""
