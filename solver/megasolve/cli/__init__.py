"""The command line: words in, text out. Nothing is computed here."""

from .app import main

__all__ = ["main"]
