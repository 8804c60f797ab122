"""Times that plans derive from programs, because nobody recorded them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from megasolve.contracts import Document, Record, Records, Study, Unmeasured
from megasolve.contracts.check.unmeasured import unmeasured
from tests.support.kernels.streamlet import entry_of, shipped

STUDY = shipped()
BATCHES, BUDGETS = 3, 5
# The members of the fourteen entries, the entries of P+B+L+C and B+L with three thread counts each.
MEMBERSHIPS = {"P": 6, "B": 10, "L": 10, "C": 6}
KERNELS = {"P": 14, "B": 15, "L": 3, "C": 6}


def record(entry: str, group: str, *, budget_ctas: int = 44, batch: int = 1, threads: int = 256) -> Record:
    context = entry_of(STUDY, entry).context
    launch = context["launch"]
    assert isinstance(launch, Mapping)
    return Record.model_validate(
        {
            "group": group,
            "backend": "megakernel",
            "entries": (entry,),
            "budget_ctas": budget_ctas,
            "batch": batch,
            "precision": "bf16",
            "device": "h200",
            "context": {**context, "launch": {**launch, "threads": threads}},
            "duration_us": Decimal(10),
            "provenance": {"kind": "profiled", "source": "a test"},
        }
    )


def lacking(*records: Record, study: Study = STUDY) -> Unmeasured | None:
    file = Records(megasolve="records/v1", records=records)
    document: Document[Records] = Document("records.yaml", file, study.spec.places)
    return unmeasured(replace(study, records=(document,)))


def groups(found: Unmeasured | None) -> Sequence[tuple[str, int]]:
    assert found is not None
    return found.groups


def test_every_member_counts_at_each_budget_and_batch_and_every_kernel_at_each_batch() -> None:
    expected = {group: BATCHES * (BUDGETS * MEMBERSHIPS[group] + KERNELS[group]) for group in MEMBERSHIPS}
    found = lacking()
    assert dict(groups(found)) == expected
    assert found is not None
    assert (found.derived, found.programmed, found.device) == (594, 594, "h200")


def test_a_record_of_any_kind_serves_its_own_key_and_no_other() -> None:
    whole = dict(groups(lacking()))
    assert dict(groups(lacking(record("B_L", "B"))))["B"] == whole["B"] - 1
    assert dict(groups(lacking(record("B_L", "B"), record("B_L", "L"), record("B_L", "L", batch=4)))) == {
        **whole,
        "B": whole["B"] - 1,
        "L": whole["L"] - 2,
    }
    for other in (record("B_L", "B", budget_ctas=7), record("B_L", "B", batch=2), record("B_L", "B", threads=128)):
        assert dict(groups(lacking(other))) == whole


def test_a_budget_that_the_device_cannot_launch_is_not_missed() -> None:
    smaller = STUDY.device.value.model_copy(update={"sms": 100})
    found = lacking(study=replace(STUDY, device=replace(STUDY.device, value=smaller)))
    assert dict(groups(found))["C"] == BATCHES * ((BUDGETS - 1) * MEMBERSHIPS["C"] + KERNELS["C"])


def test_where_no_contract_has_a_program_nothing_is_derived() -> None:
    contracts = tuple(replace(one, value=one.value.model_copy(update={"programs": {}})) for one in STUDY.contracts)
    assert lacking(study=replace(STUDY, contracts=contracts)) is None
