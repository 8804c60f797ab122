"""What is assumed for a build order where a study assumes nothing: kernels as fast as today's, in one launch each."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from megasolve.contracts import Study
from megasolve.contracts.model.contract import Assumption

_PLACES = -6


def usual_assumption(launch_ps: int | None = None, wait_ps: int | None = None) -> Assumption:
    """Return that any region may be a megakernel whose tiles are as fast as today's kernels.

    A launch costs *launch_ps* of the device, by default what its file says of launches; a wait between two stages *wait_ps*, else nothing.
    """
    launch = {} if launch_ps is None else {"dispatch": {"kind": "stream", "host_us": 0, "exposed_us": Decimal(launch_ps).scaleb(_PLACES)}}
    wait = {} if wait_ps is None else {"wait_us": Decimal(wait_ps).scaleb(_PLACES)}
    return Assumption.model_validate({"fuse": "any", **launch, **wait}, by_alias=True, by_name=False)


def assuming(study: Study, assumption: Assumption) -> Study:
    """Return *study* whose spec assumes *assumption* and nothing else."""
    return replace(study, spec=replace(study.spec, value=study.spec.value.model_copy(update={"assume": (assumption,)})))
