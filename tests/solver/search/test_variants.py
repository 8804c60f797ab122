"""Variants are counted without listing any, and refused where they are too many to be ranked."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from megasolve.contracts import Study
from megasolve.simulate import Objective
from megasolve.solver import Judge, Question, SpaceTooLarge, candidates, refuse_many_variants
from megasolve.solver.search.variants import MOST_VARIANTS, variant_count
from tests.support.command import megasolve
from tests.support.planning.random_studies import studies
from tests.support.planning.studies import Fields, group, megakernel, record, spec, study

ADMISSIONS = [group(name, "admission") for name in "ABCDEFGHI"]


@settings(max_examples=80)
@given(studies())
def test_the_count_is_that_of_the_variants_of_all_candidates(asked: Study) -> None:
    judge = Judge(asked, Question(asked.spec.value, 1, Objective.FIRST_PUBLICATION))
    assert variant_count(asked) == sum(1 for candidate in candidates(asked.spec.value) for _ in judge.variants(candidate))


def many(groups: list[Fields], entries: int) -> Study:
    """Return a study with so many megakernels for each group alone."""
    contracts = [megakernel(one["name"]) for one in groups]
    known = [record(contract, contract["members"][0], 5) for contract in contracts]
    one_each = study(spec(groups, publication={"group": groups[-1]["name"]}), contracts, known)
    copies = [
        replace(document, value=document.value.model_copy(update={"entry": f"{document.value.entry}{number}"}))
        for document in one_each.contracts
        for number in range(entries)
    ]
    return replace(one_each, contracts=tuple(copies))


def test_numbers_of_thirty_digits_are_counted_at_once() -> None:
    asked = many(ADMISSIONS, 2000)
    before = time.process_time()
    assert variant_count(asked) == 2000**9
    with pytest.raises(SpaceTooLarge, match="512,000,000,000,000,000,000,000,000,000 variants"):
        refuse_many_variants(asked)
    assert time.process_time() - before < 1


def test_a_refusal_names_the_count_the_limit_and_what_has_most_entries() -> None:
    with pytest.raises(SpaceTooLarge) as refused:
        refuse_many_variants(many(ADMISSIONS[:5], 8))
    assert str(refused.value) == (
        "32,768 variants (choices of entries, over all candidates) > 20,000 that can be ranked; m:A has 8 entries, m:B has 8 entries, "
        "m:C has 8 entries, m:D has 8 entries and 1 more; name fewer of them in `contracts`"
    )


def test_as_many_as_can_be_ranked_are_not_refused() -> None:
    refuse_many_variants(many(ADMISSIONS[:1], MOST_VARIANTS))
    with pytest.raises(SpaceTooLarge, match="20,001 variants"):
        refuse_many_variants(many(ADMISSIONS[:1], MOST_VARIANTS + 1))


def test_only_a_measurement_of_candidates_refuses_variants_that_others_search(tmp_path: Path) -> None:
    assert megasolve("example", "worked_example", "--to", str(tmp_path / "plan")).exit_code == 0
    for file in (tmp_path / "plan").rglob("contracts/*.yaml"):
        text, entry = file.read_text(encoding="utf-8"), file.stem
        for number in range(30):
            (file.parent / f"{entry}_{number}.yaml").write_text(re.sub(r"(?m)^entry: .*$", f"entry: {entry}_{number}", text))
    asked = str(tmp_path / "plan" / "worked_example.yaml")
    name = "m:P/m:B+L/m:C@serial"
    result = megasolve("measure", "--dry-run", "--candidate", name, asked)
    assert (result.exit_code, result.stdout) == (2, "")
    assert megasolve("solve", asked).exit_code == 0
    assert megasolve("explain", "--batch", "32", asked, name).exit_code == 0
