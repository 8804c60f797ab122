"""The table of times in each of its forms."""
