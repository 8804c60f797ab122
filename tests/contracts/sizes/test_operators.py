"""Operators: bytes and flops by kind, grids, and what the checker says about their declarations."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megasolve.contracts.files.documents import read_document
from megasolve.contracts.limits.workers import entry_registers, worker_space_bytes
from megasolve.contracts.model.contract import Contract
from megasolve.contracts.model.programs.operators import ExplicitOperator, ShapedKind, ShapedOperator
from megasolve.contracts.model.programs.symbols import ExpressionError
from megasolve.contracts.operators.kinds import OPERATOR_KINDS
from megasolve.contracts.operators.work import Axis, Causal, Grid
from megasolve.contracts.sizes.operators import grids_of, size_of, work_of
from tests.support.disk.rule_files import DEVICE, check_study, check_text
from tests.support.planning.launches import device, launch, megakernel
from tests.support.planning.operators import FIXTURES, HEAD, block, contract_at, contract_of
from tests.support.planning.totals import ProgramTotals, program_totals

# Operators of published models by kind, at batch 1, with the bytes of weights, inputs, outputs and state, and the flops.
PUBLISHED: dict[str, tuple[dict[str, Any], dict[str, Any], tuple[int, int, int, int, int]]] = {
    "matmul": ({"m": 496, "k": 2048, "n": 3072}, {}, (12582912, 2031616, 3047424, 0, 6241124352)),
    "matmul with a bias": ({"m": 1, "k": 2048, "n": 1024}, {"bias": True}, (4196352, 4096, 2048, 0, 4194304)),
    "attention_prefill": (
        {"q_tokens": 496, "kv_tokens": 496, "q_heads": 32, "kv_heads": 8, "head_dim": 64},
        {},
        (0, 2031616, 2031616, 1015808, 1029434112),
    ),
    "attention_decode": (
        {"q_tokens": 1, "kv_tokens": 128, "q_heads": 16, "kv_heads": 8, "head_dim": 128},
        {},
        (0, 4096, 4096, 524288, 1058816),
    ),
    "kv_append": ({"tokens": 72, "kv_heads": 4, "head_dim": 128}, {}, (0, 147456, 0, 147456, 0)),
    "norm": ({"rows": 496, "dim": 2048}, {}, (4096, 2031616, 2031616, 0, 4063232)),
    "norm with a bias": ({"rows": 194, "dim": 1024}, {"bias": True}, (4096, 397312, 397312, 0, 1191936)),
    "elementwise": ({"rows": 1, "dim": 2048, "inputs": 2}, {}, (0, 8192, 4096, 0, 2048)),
    "elementwise with weights": ({"rows": 1, "dim": 512, "inputs": 2, "weights": 1}, {}, (1024, 2048, 1024, 0, 1024)),
    "elementwise with its own flops": (
        {"rows": 640, "dim": 192, "inputs": 1, "weights": 2, "flops_per_element": 6},
        {},
        (768, 245760, 245760, 0, 737280),
    ),
    "rotary": ({"tokens": 1, "heads": 40, "head_dim": 64}, {}, (0, 5120, 5120, 0, 7680)),
    "embedding": ({"tokens": 64, "dim": 2048}, {}, (0, 262144, 262144, 0, 0)),
    "conv1d": ({"c_in": 512, "c_out": 1024, "kernel": 3, "t_out": 1}, {"bias": True}, (3147776, 1024, 2048, 0, 3145728)),
    "conv1d over each channel": (
        {"c_in": 1024, "c_out": 1024, "kernel": 7, "groups": 1024, "t_out": 2},
        {"bias": True},
        (16384, 4096, 4096, 0, 28672),
    ),
    "conv_transpose1d": (
        {"c_in": 1024, "c_out": 1024, "kernel": 2, "stride": 2, "t_out": 2},
        {"bias": True},
        (4196352, 2048, 4096, 0, 4194304),
    ),
    "scan": (
        {"tokens": 72, "heads": 64, "head_dim": 24, "state": 128, "groups": 8},
        {},
        (768, 525312, 221184, 1572864, 99090432),
    ),
    "step": ({"tokens": 1, "heads": 64, "head_dim": 24, "state": 128, "groups": 8}, {}, (768, 7296, 3072, 1572864, 1376256)),
    "moe": (
        {"tokens": 1, "experts": 48, "top_k": 6, "k": 1536, "n": 1024, "distinct": 6},
        {},
        (37748736, 30720, 30720, 0, 37779456),
    ),
    "reduction": ({"rows": 1, "dim": 128256}, {}, (0, 256512, 4, 0, 128256)),
    "sampling": ({"rows": 1, "dim": 3072}, {}, (0, 6144, 8, 0, 15360)),
}


def kind_of(name: str) -> str:
    return name.partition(" ")[0]


def operator_of(kind: str, shape: dict[str, Any], **fields: Any) -> ShapedOperator:
    return ShapedOperator.model_validate({"name": "op", "kind": kind, "shape": shape, **fields})


@pytest.mark.parametrize("name", PUBLISHED)
def test_bytes_and_flops_are_those_of_the_published_models(name: str) -> None:
    shape, fields, figures = PUBLISHED[name]
    work = work_of(operator_of(kind_of(name), shape, **fields), {})
    assert (work.weight_bytes, work.activation_bytes, work.output_bytes, work.state_bytes, work.flops) == figures


def test_every_kind_is_checked_against_a_published_model() -> None:
    assert {kind_of(name) for name in PUBLISHED} == set(OPERATOR_KINDS) == set(get_args(ShapedKind))


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_kind_is_cut_along_the_sizes_that_it_lists(name: str) -> None:
    kind, (shape, fields, _) = kind_of(name), PUBLISHED[name]
    assert {key for key in work_of(operator_of(kind, shape, **fields), {}).keys if key} == set(OPERATOR_KINDS[kind].tile)


@pytest.mark.parametrize(
    ("group", "totals"),
    [
        ("P", ProgramTotals(196, 2471628800, 774310400, 709294596, 32505856, 982903866624)),
        ("B", ProgramTotals(196, 2471628800, 1825280, 1690116, 16285696, 2539148544)),
    ],
)
def test_a_published_llama_moves_and_computes_its_published_totals(group: str, totals: ProgramTotals) -> None:
    contract = contract_at(FIXTURES / "operators/llama_1b.yaml")
    assert program_totals(contract.programs[group], {"tokens": 496, "batch": 1, "layers": 16}) == totals


def test_weights_stay_and_the_rest_grows_with_the_batch() -> None:
    program = contract_at(FIXTURES / "operators/llama_1b.yaml").programs["B"]
    one, eight = (program_totals(program, {"tokens": 496, "batch": batch, "layers": 16}) for batch in (1, 8))
    assert eight.weight_bytes == one.weight_bytes
    assert (eight.activation_bytes, eight.state_bytes, eight.flops) == (8 * one.activation_bytes, 8 * one.state_bytes, 8 * one.flops)


@pytest.mark.parametrize(("width", "weights", "moved"), [(1, 32, 12), (0, 0, 0)])
def test_element_widths_scale_the_bytes(width: int, weights: int, moved: int) -> None:
    work = work_of(operator_of("matmul", {"m": 1, "n": 8, "k": 4}, element_bytes=width), {})
    assert (work.weight_bytes, work.activation_bytes + work.output_bytes) == (weights, moved)


def test_weights_and_caches_may_have_widths_of_their_own() -> None:
    narrow = work_of(operator_of("matmul", {"m": 1, "n": 8, "k": 4}, weight_element_bytes=1), {})
    assert (narrow.weight_bytes, narrow.activation_bytes) == (32, 8)
    cached = {"q_tokens": 1, "kv_tokens": 10, "q_heads": 2, "kv_heads": 1, "head_dim": 4}
    assert work_of(operator_of("attention_decode", cached, state_element_bytes=1), {}).state_bytes == 80


@given(st.integers(1, 12), st.integers(0, 9), st.integers(1, 4))
def test_a_causal_query_sees_the_keys_up_to_itself(queries: int, cached: int, sequences: int) -> None:
    causal = Causal(queries, queries + cached)
    seen = [cached + position + 1 for _ in range(sequences) for position in range(queries)]
    assert [causal.scores_before(row) for row in range(len(seen) + 1)] == [sum(seen[:row]) for row in range(len(seen) + 1)]


def test_a_block_above_its_size_gives_one_partial_tile() -> None:
    operator = operator_of("matmul", {"m": 1, "n": 300, "k": 64}, tile=({"m": 16, "n": 128},))
    (grid,) = grids_of(operator, {})
    assert (grid.counts, grid.blocks) == ((1, 3, 1), (1, 128, 64))
    assert [grid.span(Axis.COLUMNS, block) for block in range(3)] == [(0, 128), (128, 256), (256, 300)]


def test_without_a_geometry_the_output_is_one_tile() -> None:
    (grid,) = grids_of(operator_of("matmul", {"m": 64, "n": 300, "k": 64}), {})
    assert grid.tile_count == 1


extents = st.integers(1, 60)


@given(st.tuples(extents, extents, extents), st.tuples(extents, extents, extents))
def test_tiles_cover_the_output_exactly_once(sizes: tuple[int, int, int], blocks: tuple[int, int, int]) -> None:
    grid = Grid(sizes, (min(blocks[0], sizes[0]), min(blocks[1], sizes[1]), min(blocks[2], sizes[2])))
    for axis in Axis:
        spans = [grid.span(axis, block) for block in range(grid.counts[axis.value])]
        assert [first for first, _ in spans] == [0, *(last for _, last in spans[:-1])]
        assert spans[-1][1] == sizes[axis.value]
        assert all(last > first for first, last in spans)
    places = {grid.place(tile) for tile in range(min(grid.tile_count, 500))}
    assert len(places) == min(grid.tile_count, 500)


def test_a_single_figure_stands_for_all_tiles() -> None:
    operator = ExplicitOperator.model_validate(
        {"name": "copy", "kind": "explicit", "tiles": 3, "weight_bytes": 5, "output_bytes": (1, 2, 4)}
    )
    work = work_of(operator, {})
    assert (work.weight_bytes, work.output_bytes) == (15, 7)


def test_a_size_that_is_too_small_says_what_it_is() -> None:
    with pytest.raises(ExpressionError, match=r"'batch - 4' is 0, expected 1 or more"):
        size_of("batch - 4", {"batch": 4})


# What the files say.

MATMUL = "name: qkv, kind: matmul, shape: {m: batch, n: 3072, k: 2048}"


def check(folder: Path, *operators: str, repeat: int | str = 1) -> list[str]:
    return check_text(folder, f"{HEAD}programs:\n  B:\n{block(*operators, repeat=repeat)}")


@pytest.mark.parametrize(
    ("operator", "said"),
    [
        ("name: a, kind: matmull, shape: {m: 1}", "SCH-04 found 'matmull', expected"),
        ("name: a, shape: {m: 1}", "SCH-02 missing key 'kind'"),
        ("name: a, kind: matmul", "SCH-02 missing key 'shape'"),
        ("name: a, kind: matmul, shape: {m: 1.5, n: 1, k: 1}", "SCH-03 found 1.5, expected a whole number"),
        ("name: a, kind: matmul, shape: {m: 1, n: 1, k: 1}, tile: [{m: 0}]", "SCH-04 found 0, expected a whole number, 1 or more"),
        ("name: a, kind: matmul, shape: {m: 1, n: 1, k: 1}, efficiency: 0", "SCH-04 found 0, expected a number from 0.0001 to 1"),
        ("name: a, kind: explicit, tiles: 2, compute_us: -1", "SCH-05 found -1, expected a number of microseconds 0 or more"),
        ("name: a, kind: explicit, tiles: 2, compute_us: [1, -2]", "SCH-05 found -2, expected a number of microseconds 0 or more"),
        ("name: a, kind: explicit, tiles: 2, compute_us: []", "SCH-04 found [], expected a list of at least 1"),
        ("name: a, kind: explicit, tiles: 2, compute_ms: 1", "SCH-01 unknown key 'compute_ms'; times are in µs here: write 'compute_us'"),
        ("name: a, kind: opaque, grid_ctas: 1, hbm_bytes: 0, resident_ctas: 1", "SCH-02 missing key 'duration_us'"),
    ],
)
def test_a_faulty_operator_is_named_by_its_keys_in_the_file(tmp_path: Path, operator: str, said: str) -> None:
    (finding,) = [finding for finding in check(tmp_path, operator) if finding.startswith("SCH")]
    assert finding.startswith(said)


@pytest.mark.parametrize("kind", ["5", "[matmul]", "{}", "null"])
def test_a_kind_that_is_no_text_is_a_finding_at_the_kind(tmp_path: Path, kind: str) -> None:
    text = f"{HEAD}programs:\n  B:\n{block(f'name: a, kind: {kind}, shape: {{m: 1}}')}"
    _, findings = read_document(tmp_path / "file.yaml", text)
    assert {finding.path for finding in findings} == {"$.programs.B[0].operators[0].kind"}


def test_an_operator_that_waits_for_itself_is_a_cycle(tmp_path: Path) -> None:
    (finding,) = check(tmp_path, MATMUL + ", after: [{operator: qkv}]")
    assert finding.startswith("OPR-08 cycle qkv -> qkv within one repeat")


def test_a_cycle_names_all_operators_on_the_way(tmp_path: Path) -> None:
    rotary = "kind: rotary, shape: {tokens: batch, heads: 40, head_dim: 64}"
    operators = [f"name: {name}, {rotary}, after: [{{operator: {other}}}]" for name, other in (("a", "c"), ("b", "a"), ("c", "b"))]
    assert [finding.split(";")[0] for finding in check(tmp_path, *operators)] == ["OPR-08 cycle a -> b -> c -> a within one repeat"]


def test_the_repeat_before_closes_no_cycle(tmp_path: Path) -> None:
    assert check(tmp_path, MATMUL + ", after: [{operator: qkv, previous: true}]", repeat=4) == []


def test_repeats_may_be_none_but_not_fewer(tmp_path: Path) -> None:
    assert check_text(tmp_path, f"{HEAD}programs:\n  B:\n{block(MATMUL, repeat=0)}{block(MATMUL.replace('qkv', 'up'))}") == []
    assert check(tmp_path, MATMUL, repeat=-2) == ["OPR-14 found -2, expected 0 or more"]


def test_a_geometry_larger_than_its_operator_is_fine(tmp_path: Path) -> None:
    assert check(tmp_path, MATMUL + ", tile: [{m: 64, n: 4096}]") == []


def test_sizes_that_explode_are_counted_and_refused_at_once(tmp_path: Path) -> None:
    huge = "name: qkv, kind: matmul, shape: {m: 2147483647, n: 2147483647, k: 2147483647}, tile: [{m: 1, n: 1, k: 1}]"
    (finding,) = check(tmp_path, huge)
    assert finding.startswith("OPR-18 program 'B' expands to 9,903,520,300,447,984,150,353,281,023 tiles")


def test_repeats_that_take_for_ever_are_refused(tmp_path: Path) -> None:
    (finding,) = check(tmp_path, MATMUL.replace("batch", "1"), repeat=10**9)
    assert finding.startswith("OPR-18 program 'B' executes 1,000,000,000 tiles")


def test_a_stated_tile_count_that_explodes_is_refused_without_making_a_list(tmp_path: Path) -> None:
    (finding,) = check(tmp_path, "name: copy, kind: explicit, tiles: 1000000000000 * 1000000000000, compute_us: 1")
    assert finding.startswith("OPR-18 program 'B' expands to 1,000,000,000,000,000,000,000,000 tiles")


def test_stated_tiles_are_counted_with_the_batch(tmp_path: Path) -> None:
    contract = f"{HEAD}loops_on_device: false\nprograms:\n  B:\n{block('name: copy, kind: explicit, tiles: batch, compute_us: [1, 2]')}"
    findings = check_study(tmp_path, SPEC.replace("batches: [1]", "batches: [2, 3, 4]"), decode=contract)
    assert findings == ["OPR-16 at batch 3: 2 figures for 3 tiles; give one figure for all of them, or 3"]


SPEC = """\
megasolve: spec/v1
name: model
device: device.yaml
precision: bf16
batches: [1]
groups:
  - {name: B, role: producer}
publication: {group: B, step: 1}
symbols: {layers: 16}
contracts: []
records: []
"""


def test_symbols_of_the_spec_are_known_to_its_contracts(tmp_path: Path) -> None:
    text = f"{HEAD}loops_on_device: false\nprograms:\n  B:\n"
    known = text + block(MATMUL + ", tile: [{n: 16}]", repeat="layers - 1")
    assert check_study(tmp_path, SPEC, decode=known) == []
    unknown = text + block(MATMUL + ", tile: [{n: 16}]", repeat="layer - 1")
    assert check_study(tmp_path, SPEC, decode=unknown) == ["OPR-02 'layer' is no symbol of spec 'model'; did you mean 'layers'?"]


def test_a_size_is_checked_at_each_batch_and_reported_at_the_first(tmp_path: Path) -> None:
    operator = "name: a, kind: norm, shape: {rows: 3 - batch, dim: 64}"
    contract = f"{HEAD}loops_on_device: false\nprograms:\n  B:\n{block(operator)}"
    findings = check_study(tmp_path, SPEC.replace("batches: [1]", "batches: [1, 2, 3, 4]"), decode=contract)
    assert findings == ["OPR-14 at batch 3: '3 - batch' is 0, expected 1 or more"]


def test_storage_forwards_only_what_an_operator_produces(tmp_path: Path) -> None:
    text = f"{HEAD}storage: {{forwarded: [hidden]}}\nprograms:\n  B:\n{block(MATMUL)}"
    assert check_text(tmp_path, text) == ["OPR-12 'hidden' is forwarded, but no operator of this entry's programs; known: qkv"]
    assert check_text(tmp_path, f"{HEAD}storage: {{forwarded: [hidden]}}\n") == []


def test_an_opaque_kernel_reads_nothing_that_stays_on_chip(tmp_path: Path) -> None:
    opaque = "name: fft, kind: opaque, grid_ctas: 8, duration_us: 3, hbm_bytes: 0, resident_ctas: 132, after: [{operator: qkv}]"
    (finding,) = check(tmp_path, MATMUL + ", forwarded: true", opaque)
    assert finding.startswith("OPR-12 'qkv' is forwarded, but 'fft' is opaque")


def test_the_context_of_a_record_does_not_hold_the_operators() -> None:
    assert "programs" not in contract_of(MATMUL).context


def test_a_worker_has_the_shared_memory_of_its_launch_or_its_share_of_the_sm() -> None:
    stated = megakernel(launch(shared_bytes=1000))
    assert worker_space_bytes(stated, device()) == 1000
    assert worker_space_bytes(megakernel(launch()), device()) == 232448
    assert worker_space_bytes(megakernel(launch(ctas_per_sm=2)), device()) == 233472 // 2 - 1024


@pytest.mark.parametrize(
    ("threads", "ctas", "registers"),
    [(256, 1, 255), (384, 1, 168), (512, 1, 128), (640, 1, 96), (1024, 1, 64), (224, 3, 80)],
)
def test_the_register_limit_follows_from_the_resident_threads(threads: int, ctas: int, registers: int) -> None:
    assert entry_registers(megakernel(launch(threads=threads, ctas_per_sm=ctas)), device()) == registers


def test_roles_have_the_registers_that_they_were_given() -> None:
    roles = ({"name": "consumer", "threads": 512, "registers": 104}, {"name": "loader", "threads": 128, "registers": 64})
    contract: Contract = megakernel(launch(threads=640, registers=96, roles=roles))
    assert entry_registers(contract, device()) == 104


SMALL = "launch: {threads: 256, registers: 128, shared_bytes: 200000}"


def staging_said(folder: Path, operator: str) -> list[str]:
    head = HEAD.replace("launch: {threads: 256, registers: 128}", SMALL)
    return check_study(folder, SPEC, decode=f"{head}loops_on_device: false\nprograms:\n  B:\n{block(operator)}")


@pytest.mark.parametrize(
    "operator",
    [
        "name: a, kind: explicit, tiles: 1, compute_us: 1, output_bytes: 300000, staging_bytes: 10",
        "name: a, kind: explicit, tiles: 2, compute_us: 1, output_bytes: [5, 300000], staging_bytes: 10",
        "name: a, kind: matmul, shape: {m: 1000, n: 150, k: 8}, staging_bytes: 10",
        "name: a, kind: matmul, shape: {m: 1000, n: 150, k: 8}, tile: [{n: 50}, {m: 1000}], staging_bytes: [10, 10]",
        "name: a, kind: kv_append, shape: {tokens: 1000, kv_heads: 3, head_dim: 25}, staging_bytes: 10",
    ],
)
def test_a_worker_holds_the_output_of_a_tile_whatever_its_staging_says(tmp_path: Path, operator: str) -> None:
    (finding,) = staging_said(tmp_path, operator)
    assert finding.startswith("OPR-19 a tile of 'a' holds 300,000 B of output until they are stored > shared_bytes 200,000")


@pytest.mark.parametrize(
    "operator",
    [
        "name: a, kind: explicit, tiles: 1, compute_us: 1, weight_bytes: 300000, staging_bytes: 10",
        "name: a, kind: matmul, shape: {m: 1000, n: 150, k: 8}, tile: [{n: 50}], staging_bytes: 10",
        "name: a, kind: matmul, shape: {m: 1000, n: 150, k: 8}, tile: [{k: 4}], staging_bytes: 10",
    ],
)
def test_an_output_that_fits_lets_the_stated_staging_stand(tmp_path: Path, operator: str) -> None:
    assert staging_said(tmp_path, operator) == []


def test_staging_that_is_stated_once_is_found_once(tmp_path: Path) -> None:
    operator = "name: a, kind: matmul, shape: {m: 16, n: 16, k: 8}, tile: [{n: 8}, {n: 4}], staging_bytes: 300000"
    assert len(staging_said(tmp_path, operator)) == 1


OPAQUE = "name: fft, kind: opaque, grid_ctas: 8, duration_us: 100, resident_ctas: 132"


def test_an_opaque_kernel_keeps_nothing_on_chip(tmp_path: Path) -> None:
    reader = MATMUL + ", after: [{operator: fft}]"
    assert check(tmp_path, OPAQUE + ", hbm_bytes: 0, forwarded: true", reader) == [
        "OPR-12 'fft' is opaque and stores its output to memory; remove forwarded"
    ]


def test_the_bytes_of_an_opaque_kernel_are_held_against_the_peak_at_each_batch(tmp_path: Path) -> None:
    contract = f"{HEAD}loops_on_device: false\nprograms:\n  B:\n{block(OPAQUE + ', hbm_bytes: 200000000 * batch')}"
    (finding,) = check_study(tmp_path, SPEC.replace("batches: [1]", "batches: [1, 2, 3]"), decode=contract)
    assert finding.startswith("OPR-21 at batch 3: 600,000,000 bytes at the peak of 4,000,000,000,000 bytes/s take 150 µs")


def test_only_flops_without_a_time_need_the_dense_rate_of_the_device(tmp_path: Path) -> None:
    bare = DEVICE.replace("dense_flops_per_s: 8e14\n", "")
    text = f"{HEAD}loops_on_device: false\nprograms:\n  B:\n"
    embed = "name: embed, kind: embedding, shape: {tokens: batch, dim: 2048}"
    assert check_study(tmp_path, SPEC, bare, decode=text + block(embed, MATMUL + ", tile: [{n: 16}], compute_us: 1")) == []
    (finding,) = check_study(tmp_path, SPEC, bare, decode=text + block(embed, MATMUL + ", tile: [{n: 16}], efficiency: 0.5"))
    assert finding.startswith("OPR-24 at batch 1: 'qkv' has no compute_us, and gpu no dense_flops_per_s")


def test_the_repeat_before_of_a_block_that_runs_once_is_a_warning(tmp_path: Path) -> None:
    previous = MATMUL + ", after: [{operator: qkv, previous: true}]"
    (finding,) = check(tmp_path, previous)
    assert finding.startswith("OPR-22 block 1 of program 'B' runs once")
    assert check(tmp_path, previous, repeat="batch") == []


def test_one_operator_may_be_waited_for_in_two_ways(tmp_path: Path) -> None:
    rotary = "name: b, kind: rotary, shape: {tokens: batch, heads: 40, head_dim: 64}"
    assert check(tmp_path, MATMUL, rotary + ", after: [{operator: qkv, pattern: rows}, {operator: qkv, pattern: columns}]") == []


def test_a_program_runs_if_one_of_its_blocks_does(tmp_path: Path) -> None:
    text = f"{HEAD}programs:\n  B:\n{block(MATMUL, repeat=0)}"
    assert check_text(tmp_path, text + block(MATMUL.replace("qkv", "up"))) == []
    assert check_text(tmp_path, text) == [
        "OPR-25 no block of program 'B' runs: all repeat 0 times; repeat at least one block, or remove the program"
    ]


def test_long_expressions_are_cut_in_messages(tmp_path: Path) -> None:
    faulty, zero = "1 + " * 30 + "!", "1 + " * 30 + "0 - 30"
    shape = "name: a, kind: norm, shape: {{rows: '{}', dim: 64}}"
    (unreadable,) = check(tmp_path, shape.format(faulty))
    assert unreadable.startswith(f"OPR-01 '{faulty[:57]}...': cannot be read at '!'")
    assert check(tmp_path, shape.format(zero)) == [f"OPR-14 '{zero[:57]}...' is 0, expected 1 or more"]


@pytest.mark.parametrize(
    ("operator", "said"),
    [
        (OPAQUE + ", hbm_bytes: 0, grid_cta: 8", "SCH-01 unknown key 'grid_cta'; did you mean 'grid_ctas'?"),
        ("name: a, kind: explicit, tiles: 1, compute_us: 1, tile: 8", "SCH-01 unknown key 'tile'; did you mean 'tiles'?"),
        (
            "name: a, kind: opaque, grid_ctas: 8, duration_ms: 1, hbm_bytes: 0, resident_ctas: 132",
            "SCH-01 unknown key 'duration_ms'; times are in µs here: write 'duration_us'",
        ),
        (MATMUL + ", tiles: 8", "SCH-01 unknown key 'tiles'; did you mean 'tile'?"),
    ],
)
def test_an_unknown_key_is_compared_with_the_keys_of_its_own_kind(tmp_path: Path, operator: str, said: str) -> None:
    assert check(tmp_path, operator) == [said]
