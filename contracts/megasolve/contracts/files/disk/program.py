"""What this program is, beyond its version: two checkouts of one version may give different results."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path


def program_version() -> str:
    """Return the version of the installed package, or that there is none."""
    try:
        return installed_version("megasolve")
    except PackageNotFoundError:
        return "0+not.installed"


@cache
def program_digest() -> str:
    """Return the SHA-256 of all modules of megasolve: where it is the same, the same question has the same answer."""
    found = sha256()
    # The namespace has several folders in a checkout, and one where it is installed.
    modules = {
        path.relative_to(root).as_posix(): path for root in map(Path, import_module("megasolve").__path__) for path in root.rglob("*.py")
    }
    for name in sorted(modules):
        content = modules[name].read_bytes()
        found.update(f"{name} {len(content)}\n".encode())
        found.update(content)
    return found.hexdigest()
