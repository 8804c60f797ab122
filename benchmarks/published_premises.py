"""What the winners rest on: assumptions of the cases that public measurements speak against, and the studies without them.

A winner that another reading of the evidence turns rests on that assumption. Where both readings are about as likely, it is too close.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from megasolve.contracts import Contract, Document, Study
from megasolve.contracts.model.programs.operators import Operator, ShapedOperator
from megasolve.contracts.operators.library import library_efficiency

Changed = Callable[[Study], Study]


@dataclass(frozen=True, slots=True)
class Premise:
    """What a case assumes (*name*), who measured something else (*source*), and the study with that in its place (*changed*).

    It is looked at for *batches*; for those that are *open*, the evidence is for either reading.
    """

    name: str
    source: str
    changed: Changed
    batches: tuple[int, ...]
    open: tuple[int, ...] = ()


def with_contracts(study: Study, change: Callable[[Contract], Contract]) -> Study:
    """Return *study* with other contracts."""
    contracts = tuple(Document(one.file, change(one.value), one.places) for one in study.contracts)
    return replace(study, contracts=contracts)


def with_operators(contract: Contract, change: Callable[[Operator], Operator]) -> Contract:
    """Return *contract* with other operators."""
    programs = {
        group: tuple(block.model_copy(update={"operators": tuple(map(change, block.operators))}) for block in blocks)
        for group, blocks in contract.programs.items()
    }
    return contract.model_copy(update={"programs": programs})


IN_FLIGHT_BYTES, LATENCY_PS = 27_500, 650_000
"""42 GB/s an SM, which a kernel that only loads reaches on few SMs of a Hopper, at 0.65 us."""


def limited_loads(study: Study) -> Study:
    """Return *study* with as many bytes in flight for every CTA, of graphs and megakernels alike."""
    device = study.device
    slow = device.value.model_copy(update={"hbm_latency_ps": LATENCY_PS})
    limited = with_contracts(study, lambda one: one.model_copy(update={"in_flight_bytes": IN_FLIGHT_BYTES}))
    return replace(limited, device=Document(device.file, slow, device.places))


def like_libraries(study: Study) -> Study:
    """Return *study* with products of megakernels that overlap their loads, and their tiles at the rate of a library for the shape."""

    def changed(operator: Operator) -> Operator:
        if not isinstance(operator, ShapedOperator) or operator.kind != "matmul":
            return operator
        tile = operator.tile[0] if operator.tile else {}
        # A task that takes all rows has no tile of a library that it could be like.
        rate = {"efficiency": library_efficiency(tile, operator.element_bytes)} if {"m", "n"} <= tile.keys() else {}
        return operator.model_copy(update={"pipelined": True, **rate})

    return with_contracts(study, lambda one: with_operators(one, changed) if one.backend == "megakernel" else one)


QWEN_PREMISES = (
    Premise(
        "no limit on what one CTA draws",
        "Yi-sir/Cuda-Kernel-Interference-Performance at 68b110b8: 42 GB/s an SM on few SMs of a Hopper",
        limited_loads,
        (1, 16, 32, 48, 64),
    ),
)
QWEN_EVEN = Premise(
    "products of the megakernels as fast for their shape as those of libraries, and with loads that overlap",
    "an assumption, as is the rate of Llama's prefill without overlap: nobody published a megakernel of these stages",
    like_libraries,
    (16, 32),
)
