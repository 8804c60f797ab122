"""Profiles of real programs, where a checkout has them beside it; tests that use them skip elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[3].parent / "shared" / "samples" / "profiles"


def sample(*parts: str) -> Path:
    """Return the sample at *parts* below the folder of samples, or skip the test."""
    path = SAMPLES.joinpath(*parts)
    if not path.exists():
        pytest.skip("no samples beside this checkout")
    return path
