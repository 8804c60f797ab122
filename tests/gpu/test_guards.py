"""The guards, where they do not hold; where they do, the script that tries them shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts import load_spec
from megasolve.gpu.guards.trying import NothingTried, try_guards
from tests.support.played_places import FaultyPlace
from tests.support.small_specs import SMS, write_small_spec
from tests.support.toolchain import needs_stand_in


@needs_stand_in
def test_grids_that_do_not_meet_are_a_guard_that_does_not_hold(tmp_path: Path) -> None:
    study = load_spec(write_small_spec(tmp_path))
    fewer = FaultyPlace(study.device.value.model_copy(update={"sms": SMS - 1}))
    tried = try_guards(study, fewer, "C", None)
    assert [guard.name for guard in tried.guards if not guard.held] == ["two cooperative grids meet", "two ordinary grids meet"]
    assert not tried.is_sound
    assert "FAILED  two ordinary grids meet: not co-resident: " in tried.text()
    assert "no      two cooperative grids meet: not co-resident: " in tried.text()


def test_an_entry_that_the_spec_lacks_is_refused(tmp_path: Path) -> None:
    study = load_spec(write_small_spec(tmp_path))
    with pytest.raises(NothingTried, match="spec 'streamlet' has no contract of 'absent'"):
        try_guards(study, FaultyPlace(study.device.value), "absent", None)
