"""A plan as one page for a browser: it needs no network, and prints."""
