"""Operators and programs at the values of their symbols: work, grids of tiles, and how many there are."""
