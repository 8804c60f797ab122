"""What has room on the device: what the planner ranks, by one law of placement."""

from __future__ import annotations

from dataclasses import replace

import pytest

from megasolve.contracts import Contract, Study, co_residency
from megasolve.gpu.driver import DoesNotFit
from megasolve.gpu.experiments.compositions.launch_plan import launch_plan
from megasolve.gpu.experiments.compositions.room import require_room
from tests.support.kernels.streamlet import shipped
from tests.support.planning.runnable import runnable

MIXED = "m:P/m:B+L/m:C@fixed:88/88"


def study_with(**launch: object) -> Study:
    """Return streamlet with other launches of the entries that run beside each other."""
    documents = [
        replace(document, value=_with_launch(document.value, **launch)) if document.value.entry in ("B_L", "C") else document
        for document in shipped().contracts
    ]
    return replace(shipped(), contracts=tuple(documents))


def _with_launch(contract: Contract, **launch: object) -> Contract:
    return contract.model_copy(update={"launch": contract.launch.model_copy(update=launch)})


def entry(study: Study, name: str) -> Contract:
    return next(document.value for document in study.contracts if document.value.entry == name)


def require(study: Study, candidate: str, sms: int = 132) -> None:
    require_room(study, candidate, launch_plan(study, runnable(study, candidate)), {"P": 1, "B_L": 1, "C": 1}, sms)


def test_an_even_mix_on_every_sm_has_room_as_it_has_for_the_planner() -> None:
    study = study_with(registers=64, shared_bytes=1024, threads=256)
    placed = co_residency(study.device.value, entry(study, "B_L"), 88, entry(study, "C"), 88)
    assert placed.fits
    assert placed.mixed
    require(study, MIXED)


def test_sides_that_can_never_share_an_sm_have_none() -> None:
    study = study_with(shared_bytes=200_000)
    with pytest.raises(DoesNotFit, match=r"its sides are not there at once: 88 \+ 88 = 176 SMs > 132"):
        require(study, MIXED)


def test_the_sms_are_those_that_the_driver_shows() -> None:
    study = study_with(shared_bytes=200_000)
    require(study, "m:P/m:B+L/m:C@fixed:88/44")
    with pytest.raises(DoesNotFit, match="needs 132 SMs at once, and the device has 131"):
        require(study, "m:P/m:B+L/m:C@fixed:88/44", sms=131)
