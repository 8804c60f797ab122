"""Designs that somebody measured, ranked from their published parts; cases from the field."""

from __future__ import annotations

import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from megasolve.contracts import Document, Records, Study, load_spec, load_study
from tests.support.planning.answers import cause_codes, first, scores_ms
from tests.support.planning.studies import SPECS

SWEEPS = {"20_12": ("64/64", "21.8", 32), "10_20": ("32/96", "23.6", 30), "16_16": ("48/80", "20.8", 32), "8_30": ("32/96", "35.4", 38)}


def with_accuracy(asked: Study, accuracy: Fraction | None) -> Study:
    return replace(asked, records=tuple(_restated(document, accuracy) for document in asked.records))


def _restated(document: Document[Records], accuracy: Fraction | None) -> Document[Records]:
    records = tuple(one.model_copy(update={"accuracy": accuracy}) for one in document.value.records)
    return replace(document, value=document.value.model_copy(update={"records": records}))


@pytest.mark.parametrize("mix", SWEEPS)
def test_c28_the_best_split_of_measured_sizes_moves_with_the_mix(mix: str) -> None:
    pair, rest_ms, serial_ms = SWEEPS[mix]
    result = first(load_spec(SPECS / "published" / f"tts_sm_sweep_{mix}.yaml"))
    scores = scores_ms(result)
    made_ms = scores["m:AR/m:V@serial"] - serial_ms
    assert result.best == (f"m:AR/m:V@dynamic:{pair}",)
    assert round(float(scores[result.best[0]] - made_ms), 1) == float(rest_ms)


@pytest.fixture
def sweep_copy(tmp_path: Path) -> Path:
    """A copy of one sweep with three more pairs: two that exceed the device and one of sizes that nobody measured."""
    shutil.copytree(SPECS / "published" / "tts_sm_sweep", tmp_path / "tts_sm_sweep")
    text = (SPECS / "published" / "tts_sm_sweep_20_12.yaml").read_text(encoding="utf-8")
    more = "".join(f"  - {{producer_ctas: {x}, consumer_ctas: {y}}}\n" for x, y in ((64, 80), (96, 48), (88, 44)))
    (tmp_path / "sweep.yaml").write_text(text.replace("budget_pairs:\n", f"budget_pairs:\n{more}"), encoding="utf-8")
    for contract in (tmp_path / "tts_sm_sweep" / "contracts").iterdir():
        declared = contract.read_text(encoding="utf-8")
        contract.write_text(
            declared.replace("budgets_ctas: [132, 96, 80, 64, 48, 32]", "budgets_ctas: [132, 96, 88, 80, 64, 48, 44, 32]"), encoding="utf-8"
        )
    return tmp_path / "sweep.yaml"


def test_c28_pairs_that_exceed_the_device_are_excluded(sweep_copy: Path) -> None:
    asked, _ = load_study(sweep_copy)
    assert asked is not None
    result = first(asked)
    for pair in ("64/80", "96/48"):
        assert cause_codes(result, f"m:AR/m:V@dynamic:{pair}") == ["CTA-03"]
        assert cause_codes(result, f"m:AR/m:V@fixed:{pair}") == ["CTA-03"]


def test_c28_sizes_that_nobody_measured_are_excluded_and_not_interpolated(sweep_copy: Path) -> None:
    asked, _ = load_study(sweep_copy)
    assert asked is not None
    assert set(cause_codes(first(asked), "m:AR/m:V@dynamic:88/44")) == {"EVI-01"}


def llama(device: str) -> Study:
    return load_spec(SPECS / "published" / "llama_1b_decode.yaml", device=device)


@pytest.mark.parametrize(("device", "ratio"), [("h100_sxm", 1.0069), ("h200", 1.0459)])
def test_c46_the_measured_faster_design_comes_first(device: str, ratio: float) -> None:
    rows = first(llama(device)).ranking
    assert [row.id for row in rows] == ["m:D@serial", "c:D@serial"]
    assert round(float(Fraction(rows[1].score_ps) / Fraction(rows[0].score_ps)), 4) == ratio


def test_c46_at_2_percent_the_h100_is_too_close_to_call_and_the_h200_is_not() -> None:
    assert first(llama("h100_sxm")).too_close == ("c:D@serial",)
    assert first(llama("h200")).too_close == ()


@pytest.mark.parametrize("device", ["h100_sxm", "h200"])
def test_c46_at_5_percent_nothing_is_called(device: str) -> None:
    assert first(with_accuracy(llama(device), Fraction(5, 100))).too_close == ("c:D@serial",)


def test_c46_no_margin_is_carried_from_one_device_to_another() -> None:
    asked = llama("h100_sxm")
    (document,) = asked.records
    elsewhere = tuple(one for one in document.value.records if one.device == "h200")
    alone = replace(document, value=document.value.model_copy(update={"records": elsewhere}))
    result = first(replace(asked, records=(alone,)))
    assert result.ranking == ()
    (text,) = [cause.because for cause in result.excluded[1].causes]
    assert "device: h200 against h100_sxm" in text


@pytest.mark.parametrize(("batch", "ratio"), [(1, 292 / 185), (2, 465 / 307), (4, 703 / 453), (8, 1000 / 757)])
def test_c46_the_cohere_megakernel_is_first_at_every_batch(batch: int, ratio: float) -> None:
    rows = first(load_spec(SPECS / "published" / "cohere_decode.yaml"), batches=[batch]).ranking
    assert [row.id for row in rows] == ["m:D@serial", "c:D@serial"]
    assert float(rows[1].score_ps) / float(rows[0].score_ps) == pytest.approx(ratio, rel=1e-6)
