"""The explanation of one candidate in each of its forms."""
