"""Small studies, each with something that a report shows: a winner that changes, an assumed megakernel, tiles."""

from __future__ import annotations

from megasolve.contracts import Study
from tests.support.planning.fusions import fusion
from tests.support.planning.programs import decoding, fused, operator
from tests.support.planning.studies import Fields, conventional, group, megakernel, record, spec, study

ASSUMED: Fields = {"kind": "assumed", "source": "a target"}


def receding() -> Study:
    """Return a study whose megakernel pays at batch 1 and 8, and does not at 64."""
    return fusion({1: (100, 50), 8: (200, 190), 64: (400, 440)})


def with_assumed_layer(name: str = "layer") -> Study:
    """Return a study of two kernels in a row that somebody assumes a megakernel for, called *name*."""
    graph: Fields = {"kind": "graph", "host_waits": True, "host_us": 2, "exposed_us": 1, "gap_us": 0.5}
    kernels = [conventional(member, kernels=10, dispatch=graph) for member in ("attn", "mlp")]
    layer = megakernel("attn", "mlp", entry=name, host_us=5, loops_on_device=True)
    known = [record(one, member, us) for one, member, us in zip(kernels, ("attn", "mlp"), (100, 200), strict=True)]
    known += [record(layer, member, us, provenance=ASSUMED) for member, us in (("attn", 80), ("mlp", 190))]
    asked = spec([group("attn", "producer"), group("mlp", "producer")], publication={"group": "mlp", "step": 1}, policies=["serial"])
    return study(asked, [*kernels, layer], known)


def tiled(*, repeat: int = 1) -> Study:
    """Return a study of one megakernel on four workers, whose time is derived from nine tiles, *repeat* times over."""
    cost: Fields = {"compute_us": 1, "weight_bytes": 1000}
    return decoding(fused(operator("gemm", tiles=8, **cost), operator("norm", "gemm", **cost), repeat=repeat))
