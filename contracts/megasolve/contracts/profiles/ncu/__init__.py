"""Nsight Compute: the CSV of its details and raw pages."""
