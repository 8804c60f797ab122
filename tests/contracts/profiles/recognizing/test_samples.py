"""Real files that are no profile of a format that is read: each is called by its name."""

from __future__ import annotations

import pytest

from megasolve.contracts.profiles import ProfileRefused
from megasolve.contracts.profiles.reading import read_profile
from tests.support.profiles.samples import sample

OTHERS = {
    "git_lfs_pointer_named_sqlite.sqlite": "is a Git LFS pointer, not the profile itself: run `git lfs pull`",
    "jax_mi300_minimal.xplane.pb": "is an XPlane protobuf of XLA, JAX or TensorFlow",
    "rocprofv3_908_results.json.gz": "is a rocprofv3 profile, which is not read",
    "SOURCES.md": "is text of no known tool",
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_profile_is_refused_by_its_name(name: str) -> None:
    path = sample("other", name)
    with pytest.raises(ProfileRefused) as caught:
        read_profile(path)
    assert str(caught.value).startswith(f"{path}: {OTHERS[name]}")
    assert "\n" not in str(caught.value)
