"""Robustness: how far times may be off before another design is the best, and how likely that is by what their evidence states."""
