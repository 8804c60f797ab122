"""Profiles as text and tables: files, CSV, exact decimals."""
