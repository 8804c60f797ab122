"""Mending: only what has one safe repair, in a text that keeps all the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts import check_paths
from megasolve.contracts.check.mending import mended, repairs_of
from megasolve.contracts.model.findings import PlacedRepair
from tests.support.disk.files import CONTRACT, RECORDS, SPEC, write, write_study


def repaired(tmp_path: Path, name: str, text: str) -> str:
    """Return *text* of the file *name*, mended as a check of it alone says."""
    file = write(tmp_path, name, text)
    return mended(text, repairs_of(check_paths([file]).findings).get(file, ()))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("threads: 512", 'threads: "512"'),
        ("threads: 512", "threads: 512.0"),
        ("host_us: 1.25", "host_us: 1.25 us"),
        ("host_us: 1250", "host_us: 1.25 ms"),
        ("host_waits: false", "host_waits: no"),
        ("loops_on_device: true", "Loops-On-Device: true"),
        ("members: [P]", "members: P"),
    ],
)
def test_what_has_one_safe_repair_is_mended_in_place(tmp_path: Path, right: str, wrong: str) -> None:
    text = CONTRACT.replace("host_us: 1.25", right) if right.startswith("host_us") else CONTRACT
    broken = "# kept\n" + text.replace(right, wrong, 1).replace("\n", "  # as it was\n", 1)
    assert repaired(tmp_path, "talker.yaml", broken) == "# kept\n" + text.replace("\n", "  # as it was\n", 1)


@pytest.mark.parametrize("wrong", ["[1, 4, 1]", "[1, 4, 4,   1]", "\n  - 1\n  - 4\n  - 1  # again\n", "\n- 1\n- 4\n- 4\n- 1\n"])
def test_an_entry_that_stands_twice_is_taken_out(tmp_path: Path, wrong: str) -> None:
    spec = write_study(tmp_path, spec=SPEC.replace("[1]", wrong))
    text = Path(spec).read_text()
    written = mended(text, repairs_of(check_paths([spec]).findings)[spec])
    assert "SPC-04" not in [one.rule.code for one in check_paths([write(tmp_path, "small.yaml", written)]).findings]
    assert written.replace(" ", "").replace("\n", "").count("1") == text.count("1") - 1


@pytest.mark.parametrize("wrong", ["register: 128", "registers: many", "registers: 128, registers: 255", "registers: -1"])
def test_what_somebody_must_decide_is_left(tmp_path: Path, wrong: str) -> None:
    broken = CONTRACT.replace("registers: 128", wrong)
    assert repaired(tmp_path, "talker.yaml", broken) == broken


def test_every_one_of_equal_findings_is_mended(tmp_path: Path) -> None:
    head, record = RECORDS.split("records:\n")
    broken = f"{head}records:\n" + 5 * record.replace("budget_ctas: 132", 'budget_ctas: "132"')
    assert repaired(tmp_path, "records.yaml", broken) == f"{head}records:\n{5 * record}"


@pytest.mark.parametrize(
    "text",
    ["a: [1, 1", "a: [1,\n  1]\n", "a: {b: 1}\nb: [1, 2]\n", "a: [&x 1, *x]\nb: [*x, *x]\n", "? a\n: [1, 1]\n", "a: |\n  [1, 1]\n", ""],
)
@pytest.mark.parametrize("repair", [PlacedRepair(("a", 1), None), PlacedRepair(("a",), "[1"), PlacedRepair(("a",), "b", at_key=True)])
def test_a_text_that_would_hold_something_else_stays_as_it_is(text: str, repair: PlacedRepair) -> None:
    from megasolve.contracts.files.yaml.documents import parse_yaml

    written = mended(text, [repair])
    assert written == text or parse_yaml(written).value is not None
    assert written == text or repair.text is None or repair.at_key
