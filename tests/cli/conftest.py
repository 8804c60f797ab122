"""No test of the command line reads or writes the cache of the person who runs it."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of this test alone, in which derived values are kept."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("MEGASOLVE_CACHE_DIR", str(folder))
    return folder
