"""The sizes and tensors of streamlet, and where its tokens lie."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from megasolve.contracts import Spec
from megasolve.gpu.errors import GpuError
from megasolve.gpu.programs.arenas import ALIGNMENT, ARENAS
from megasolve.gpu.workloads.streamlet.model import model_of
from tests.support.kernels.streamlet import shipped, small, small_with


def spec_with(**changes: Any) -> Spec:
    spec = shipped().spec.value
    return Spec.model_validate({**spec.model_dump(by_alias=True, exclude_unset=True), **changes})


@pytest.mark.parametrize("batch", [1, 5])
def test_tensors_lie_aligned_one_after_the_other_and_fill_their_arenas(batch: int) -> None:
    layout = model_of(small().spec.value, batch).layout
    for arena in ARENAS:
        tensors = sorted((one for one in layout.tensors.values() if one.arena == arena), key=lambda tensor: tensor.offset)
        assert all(tensor.offset % ALIGNMENT == 0 for tensor in tensors)
        assert all(before.offset + before.size <= after.offset for before, after in pairwise(tensors))
        assert layout.sizes[arena] - ALIGNMENT < tensors[-1].offset + tensors[-1].size <= layout.sizes[arena]


def test_the_part_of_a_tensor_begins_where_row_major_order_says() -> None:
    tensor = model_of(small().spec.value, 3).layout["k_cache"]
    layers, batch, heads, capacity, width = tensor.shape
    assert (layers, batch, heads, capacity, width) == (2, 3, 2, 11, 8)
    assert tensor.at(1, 2, 1, 4) == tensor.offset + (((1 * batch + 2) * heads + 1) * capacity + 4) * width


@pytest.mark.parametrize("delay", [0, 1, 2, 5])
@pytest.mark.parametrize("batch", [1, 3])
def test_the_codes_of_a_chunk_are_one_piece_and_every_token_has_a_place_of_its_own(delay: int, batch: int) -> None:
    spec = spec_with(stream={"delay": delay, "first_chunk": 2})
    model = model_of(spec, batch)
    tokens, frames = model.layout["tokens"], model.sizes.frames
    places = [[model.token(step).offset + model.token(step).leading * sequence for sequence in range(batch)] for step in range(17)]
    flat = [place for of_step in places for place in of_step]
    assert len(set(flat)) == len(flat)
    assert all(tokens.offset <= place < tokens.offset + tokens.size for place in flat)
    for chunk in range(1, model.sizes.chunks + 1):
        steps = range(delay + 1 + (chunk - 1) * frames, delay + 1 + chunk * frames)
        assert [places[step][sequence] for sequence in range(batch) for step in steps] == list(
            range(model.codes(chunk), model.codes(chunk) + batch * frames)
        )


def test_a_missing_size_is_named() -> None:
    symbols = {name: value for name, value in shipped().spec.value.symbols.items() if name not in ("ffn", "vocab")}
    with pytest.raises(GpuError, match=r"gives no ffn, vocab; the kernels of streamlet need each of its sizes as a symbol"):
        model_of(spec_with(symbols=symbols), 1)


def test_a_spec_with_other_groups_is_no_streamlet() -> None:
    with pytest.raises(GpuError, match=r"has the groups P \(admission, 1 calls\).*the kernels make streamlet"):
        model_of(spec_with(groups=({"name": "P", "role": "admission"}, {"name": "B", "role": "producer"})), 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layers": 0, "prompt": 0}, "gives layers 0, prompt 0; the kernels of streamlet need at least 1 of each"),
        ({"heads": 3}, "heads 3 is no multiple of kv_heads 2"),
        ({"vocab": 300_000, "dim": 8192}, r"weights need \d,\d{3},\d{3},\d{3} elements > 2,147,483,647, which offsets of 32 bits reach"),
        ({"prompt": 10**7}, r"floats need [\d,]+ elements > 2,147,483,647"),
    ],
)
def test_sizes_that_make_no_model_or_one_beyond_the_kernels_are_refused(changes: dict[str, int], message: str) -> None:
    with pytest.raises(GpuError, match=message):
        model_of(small_with(**changes).spec.value, 4)


@pytest.mark.parametrize("stream", [{"first_chunk": 3}, {"first_chunk": 2, "next_chunk": 4}])
def test_chunks_have_the_frames_of_the_consumers_shape(stream: dict[str, int]) -> None:
    with pytest.raises(GpuError, match="every chunk of streamlet has the 2 frames of C's shape"):
        model_of(spec_with(stream=stream), 1)
