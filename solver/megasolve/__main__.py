"""Run the command line as ``python -m megasolve``."""

from __future__ import annotations

from .cli import main

if __name__ == "__main__":
    main()
