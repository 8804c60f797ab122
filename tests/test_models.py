"""The three real models: their operator lists add up to the published dimensions, and their plans come out as the pages say."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.published_decode import STEPS_US, steps_us
from benchmarks.published_derived import shipped_study
from benchmarks.published_paper import layer_rows
from megasolve.contracts import Contract, check_paths
from megasolve.contracts.model.programs.operators import ShapedOperator
from megasolve.contracts.sizes.symbols import symbol_values
from megasolve.simulate.expand.expansion import expand
from megasolve.simulate.expand.setup import Mechanisms, device_rates
from megasolve.solver import Derivation, solve
from tests.support.planning.totals import ProgramTotals, program_totals

SPECS = Path(__file__).parents[1] / "specs"
MODELS = ("llama_1b", "qwen3_tts", "qwen3_tts_0_6b", "nh_tts_standin")


def contract_of(model: str, entry: str) -> Contract:
    return next(one.value for one in shipped_study(model).contracts if one.value.entry == entry)


def totals_of(model: str, entry: str, group: str, batch: int = 1) -> ProgramTotals:
    symbols = symbol_values(shipped_study(model).spec.value, group, batch)
    return program_totals(contract_of(model, entry).programs[group], symbols)


@pytest.mark.parametrize("model", MODELS)
def test_a_model_and_everything_that_it_names_checks_clean(model: str) -> None:
    assert check_paths([SPECS / f"{model}.yaml"]).findings == ()


@pytest.mark.parametrize("model", MODELS)
def test_a_model_is_planned_on_each_device_that_it_names(model: str) -> None:
    spec = shipped_study(model).spec.value
    for name in (spec.device, *spec.other_devices):
        assert shipped_study(model, name).device.value.name == name


def test_the_prefill_of_llama_is_196_kernels_with_the_published_bytes_and_flops() -> None:
    totals = totals_of("llama_1b", "P_graph", "P")
    assert totals == ProgramTotals(196, 2_471_628_800, 774_310_400, 709_294_596, 32_505_856, 982_903_866_624)
    assert contract_of("llama_1b", "P_graph").kernels == totals.operators


@pytest.mark.parametrize("entry", ["P", "P_D"])
def test_both_entries_of_the_prefill_read_the_same_weights(entry: str) -> None:
    assert totals_of("llama_1b", entry, "P").weight_bytes == 2_471_628_800


def test_the_decode_step_of_llama_reads_its_matrices_once() -> None:
    layer = 2048 * (3072 + 2048 + 16384) + 8192 * 2048
    assert totals_of("llama_1b", "D", "D").weight_bytes == 2 * (16 * layer + 2048 * 128_256)
    assert totals_of("llama_1b", "D_graph", "D").operators == contract_of("llama_1b", "D_graph").kernels == 100


def test_the_decode_megakernel_has_the_blocks_of_its_source() -> None:
    study = shipped_study("llama_1b")
    contract = contract_of("llama_1b", "D")
    symbols = symbol_values(study.spec.value, "D", 1)
    program = expand(contract, "D", symbols, device_rates(contract, study.device.value, 132))
    layer = 192 + 8 + 128 + 2 * 512 + 512
    assert len(program.body.tiles) == layer
    assert program.tile_count == 16 * layer + 8_016
    assert {tile.weight_bytes for tile in program.body.tiles if tile.operator != "attention"} == {65_536}


@pytest.mark.parametrize(
    ("model", "group", "weight_bytes"),
    [
        ("qwen3_tts", "B", 2_831_403_008),
        ("qwen3_tts_0_6b", "B", 887_226_368),
        ("qwen3_tts", "L", 165_702_144),
        ("qwen3_tts_0_6b", "L", 161_505_792),
    ],
)
def test_one_step_of_qwen_reads_the_published_weights_but_for_the_norms_of_single_heads(model: str, group: str, weight_bytes: int) -> None:
    found = totals_of(model, f"{group}_graph", group).weight_bytes
    assert 0 <= weight_bytes - found < 10_000


@pytest.mark.parametrize("model", ["qwen3_tts", "qwen3_tts_0_6b"])
@pytest.mark.parametrize("entry", ["C", "C_graph"])
def test_the_codec_of_qwen_is_182_operators_whose_weights_add_up_exactly(model: str, entry: str) -> None:
    totals = totals_of(model, entry, "C")
    assert (totals.operators, totals.weight_bytes) == (182, 211_279_234)
    assert totals.flops == pytest.approx(19_907_919_104, rel=1e-5)


def test_only_the_larger_qwen_projects_into_its_code_predictor() -> None:
    assert totals_of("qwen3_tts", "L", "L").operators == totals_of("qwen3_tts_0_6b", "L", "L").operators + 1


@pytest.mark.parametrize(("group", "kernels"), [("P", None), ("B", 284), ("L", 55), ("C", 182)])
def test_the_graphs_of_qwen_launch_each_operator_as_one_kernel(group: str, kernels: int | None) -> None:
    operators = totals_of("qwen3_tts", f"{group}_graph", group).operators
    assert contract_of("qwen3_tts", f"{group}_graph").kernels == operators
    assert kernels in (None, operators)


@pytest.mark.parametrize(("group", "weight_bytes"), [("P", 5_632_743_936), ("B", 1_411_190_278), ("L", 173_060_112), ("C", 217_228_932)])
def test_the_stand_in_reads_the_weights_of_its_public_model(group: str, weight_bytes: int) -> None:
    assert totals_of("nh_tts_standin", f"{group}_graph", group).weight_bytes == pytest.approx(weight_bytes, rel=2e-4)


def test_the_stand_in_says_in_each_file_that_it_is_one() -> None:
    files = [SPECS / "nh_tts_standin.yaml", *(SPECS / "nh_tts_standin").rglob("*.yaml")]
    assert len(files) == 10
    assert all(path.read_text(encoding="utf-8").startswith("# STAND-IN") for path in files)
    assert "stand-in" in (SPECS / "nh_tts_standin/README.md").read_text(encoding="utf-8")
    assert "**stand-in**" in (SPECS / "nh_tts/README.md").read_text(encoding="utf-8")


def test_the_stand_in_has_no_record_to_rest_on() -> None:
    assert shipped_study("nh_tts_standin").records == ()


def test_at_batch_1_llama_takes_its_prefill_from_the_published_benchmark_and_two_megakernels_lead_one() -> None:
    result = solve(shipped_study("llama_1b"), batches=[1]).results[0]
    scores = {row.id: row for row in result.ranking}
    separate, combined = scores["m:P/m:D@serial"], scores["m:P+D@serial"]
    assert separate.evidence == combined.evidence == ("published",)
    assert combined.score_ps - separate.score_ps == 16 * (316 - 276) * 10**6


def leads(model: str, batch: int, *off: str) -> bool:
    """Return whether megakernels of a model lead its graphs at *batch*, each region an entry of its own."""
    ranking = solve(shipped_study(model), batches=[batch], derivation=Derivation(Mechanisms().without(*off))).results[0].ranking
    scores = {row.id: float(row.score_ps) for row in ranking}
    groups = [group.name for group in shipped_study(model).spec.value.groups]
    mega, graph = ("/".join(f"{backend}:{name}" for name in groups) + "@serial" for backend in "mc")
    return scores[mega] < scores[graph]


# What docs/published.md says of tiles of libraries: public rates turn Llama-1B to the graph, and its own rate turned it back.
@pytest.mark.parametrize(
    ("model", "batch", "by_library", "as_stated"),
    [("llama_1b", 1, False, True), ("llama_1b", 16, False, True), ("qwen3_tts", 1, True, True), ("qwen3_tts", 16, False, True)],
)
def test_products_in_tiles_of_libraries_turn_what_equal_tiles_gave_to_megakernels(
    model: str, batch: int, *, by_library: bool, as_stated: bool
) -> None:
    assert (leads(model, batch), leads(model, batch, "library")) == (by_library, as_stated)


@pytest.mark.parametrize("model", ["llama_1b", "qwen3_tts", "nh_tts_standin"])
def test_every_product_of_a_simulated_graph_has_tiles_of_a_library_and_a_stated_one_beside_them(model: str) -> None:
    graphs = [one.value for one in shipped_study(model).contracts if one.value.backend == "conventional"]
    operators = [operator for graph in graphs for program in graph.programs.values() for block in program for operator in block.operators]
    products = [operator for operator in operators if isinstance(operator, ShapedOperator) and operator.kind == "matmul"]
    assert products
    assert all(product.library and product.tile for product in products)


def test_what_the_decode_entry_is_does_not_show_in_the_first_token() -> None:
    result = solve(shipped_study("llama_1b"), batches=[1]).results[0]
    assert {row.id: row.same_as for row in result.ranking}["m:P/m:D@serial"] == "m:P/c:D@serial"


def test_a_prefill_layer_is_fitted_to_the_published_benchmark() -> None:
    for row in layer_rows():
        assert row.error == pytest.approx(0, abs=0.01)


def test_the_decode_step_of_the_megakernel_is_fitted_on_the_h100_and_that_of_the_graph_predicted() -> None:
    (megakernel, graph), theirs = steps_us("h100_sxm"), STEPS_US["h100_sxm"]
    assert megakernel == pytest.approx(theirs[0], rel=0.0005)
    assert graph == pytest.approx(theirs[1], rel=0.02)


def test_the_decode_step_on_the_h200_is_predicted_within_the_goals() -> None:
    megakernel, graph = steps_us("h200")
    assert megakernel == pytest.approx(STEPS_US["h200"][0], rel=0.02)
    assert graph == pytest.approx(STEPS_US["h200"][1], rel=0.06)
    assert megakernel < graph


@pytest.mark.parametrize("device", ["l40s", "rtx_4090", "rtx_5090", "rtx_pro_6000"])
def test_the_small_qwen_has_megakernels_for_sms_of_100_kib(device: str) -> None:
    result = solve(shipped_study("qwen3_tts_0_6b", device), batches=[1]).results[0]
    (best,) = [row for row in result.ranking if row.id == "m:P/m:B/m:L/m:C@serial"]
    assert best.entries == ("P_99k", "B_99k", "L_99k", "C_99k")
    assert len(result.ranking) == 34


def test_those_megakernels_do_not_exist_where_an_sm_holds_more() -> None:
    study = shipped_study("qwen3_tts_0_6b")
    assert {one.value.entry for one in study.elsewhere} == {"P_99k", "B_99k", "L_99k", "C_99k"}


def test_the_lead_of_qwens_megakernels_falls_with_the_batch() -> None:
    def lead(batch: int) -> float:
        ranking = solve(shipped_study("qwen3_tts_0_6b"), batches=[batch]).results[0].ranking
        scores = {row.id: float(row.score_ps) for row in ranking}
        return scores["c:P/c:B/c:L/c:C@serial"] / scores["m:P/m:B/m:L/m:C@serial"]

    assert lead(1) > 1 > lead(16) > lead(32)
