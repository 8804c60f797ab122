"""Nsight Systems: its sqlite export, and the CSV of `nsys stats`."""
