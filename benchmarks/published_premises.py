"""What the winners rest on: assumptions of the cases that public measurements speak against, and the studies without them.

A winner that another reading of the evidence turns rests on that assumption. Where both readings are about as likely, it is too close.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial

from megasolve.contracts import Contract, Document, Study
from megasolve.contracts.model.programs.operators import Operator, ShapedOperator

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


GRAPH_OF_PREFILL = "P_graph"


def filling_tiles(study: Study) -> Study:
    """Return Llama-1B with tiles of 128 x 64 for two projections of the graph, so that they fill the device at batch 1."""
    tiles: Mapping[str, int] = {"o": 64, "down": 64}

    def changed(operator: Operator) -> Operator:
        if not isinstance(operator, ShapedOperator) or operator.name not in tiles:
            return operator
        return operator.model_copy(update={"tile": tuple({**one, "n": tiles[operator.name]} for one in operator.tile)})

    return with_contracts(study, lambda one: with_operators(one, changed) if one.entry == GRAPH_OF_PREFILL else one)


def library_rate(efficiency: str, study: Study) -> Study:
    """Return Llama-1B with the tiles of the graph's products at *efficiency* of the dense rate."""

    def changed(operator: Operator) -> Operator:
        is_product = isinstance(operator, ShapedOperator) and operator.kind == "matmul"
        return operator.model_copy(update={"efficiency": Decimal(efficiency)}) if is_product else operator

    return with_contracts(study, lambda one: with_operators(one, changed) if one.entry == GRAPH_OF_PREFILL else one)


IN_FLIGHT_BYTES, LATENCY_PS = 27_500, 650_000
"""42 GB/s an SM, which a kernel that only loads reaches on few SMs of a Hopper, at 0.65 us."""


def limited_loads(study: Study) -> Study:
    """Return *study* with as many bytes in flight for every CTA, of graphs and megakernels alike."""
    device = study.device
    slow = device.value.model_copy(update={"hbm_latency_ps": LATENCY_PS})
    limited = with_contracts(study, lambda one: one.model_copy(update={"in_flight_bytes": IN_FLIGHT_BYTES}))
    return replace(limited, device=Document(device.file, slow, device.places))


LLAMA_PREMISES = (
    Premise(
        "one tile of 128 x 128 for every product of the graph",
        "cloudrift-ai/emmy at 00a9195e: a layer of 512 tokens on an H100 in 80 to 82 us, which needs tiles that fill the device",
        filling_tiles,
        (1,),
        open=(1,),
    ),
    Premise(
        "0.445 of the dense rate for the tiles of the graph, as in the megakernel",
        "vLLM pull request 17126: 0.55 from 256 rows on; torch on an H100: 0.68 from 2048 rows on",
        partial(library_rate, "0.55"),
        (2,),
    ),
    Premise(
        "0.445 of the dense rate for the tiles of the graph, as in the megakernel",
        "zzc0721/torch-performance-test-data issue 79: 0.68 and more on an H100 from 2048 rows on",
        partial(library_rate, "0.68"),
        (16, 32, 48),
    ),
)
QWEN_PREMISES = (
    Premise(
        "no limit on what one CTA draws",
        "Yi-sir/Cuda-Kernel-Interference-Performance at 68b110b8: 42 GB/s an SM on few SMs of a Hopper",
        limited_loads,
        (1, 16, 32, 48, 64),
    ),
)
