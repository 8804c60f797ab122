"""Tile programs and their exact schedule on the workers of one launch."""
