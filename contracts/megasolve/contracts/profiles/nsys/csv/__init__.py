"""The tables of `nsys stats`."""
