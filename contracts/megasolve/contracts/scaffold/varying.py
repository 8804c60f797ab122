"""Figures that vary from launch to launch of one kernel: no contract declares them, as none of them would be what ran."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..model.contract import Contract
from ..profiles.execution import Execution, KernelShape
from .matching import GRID, claims, differences

_KEYS = {"threads": "threads", "registers": "registers", "shared memory": "shared_bytes"}


def without_varying(contracts: Sequence[Contract], executions: Sequence[Execution]) -> tuple[Contract, ...]:
    """Return *contracts* without the figures in which launches of their kernels differ, each with a note that says so."""
    shapes = tuple({shape: None for execution in executions if execution.is_timeline for shape in execution.shapes()})
    claimed = claims(contracts, shapes)
    return tuple(_settled(contract, claimed[contract.entry]) for contract in contracts)


def _settled(contract: Contract, shapes: Sequence[KernelShape]) -> Contract:
    varying = {difference.figure: None for shape in shapes for difference in differences(contract, shape)}
    return _without(contract, tuple(varying)) if varying else contract


def _without(contract: Contract, figures: Sequence[str]) -> Contract:
    authored = contract.model_dump(by_alias=True, exclude_unset=True)
    if GRID in figures:
        del authored["grid_ctas"]
        authored["notes"] += "; other launches of it have other grids, so none is declared"
    if varying := [figure for figure in figures if figure != GRID]:
        authored["launch"] = _launch(authored["launch"], varying)
    return Contract.model_validate(authored, by_alias=True, by_name=False)


def _launch(launch: Mapping[str, Any], varying: Iterable[str]) -> Mapping[str, Any]:
    reasons = [launch["unverified"]] if "unverified" in launch else []
    left = {key: figure for key, figure in launch.items() if key not in {"unverified", *(_KEYS[figure] for figure in varying)}}
    return {**left, "unverified": "; ".join([*reasons, f"launches of the kernel differ in: {', '.join(varying)}"])}
