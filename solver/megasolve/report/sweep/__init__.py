"""How a sweep looks, in each of its forms."""
