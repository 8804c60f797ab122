"""Pieces that every report is made of: numbers, colours, tables, cells."""
