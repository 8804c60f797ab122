"""Floods: reading and checking cost in proportion to the file, and what is found beyond 1,000 is counted, not kept."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from megasolve.contracts import CheckFailed, CheckReport, Severity, check_paths, check_spec, read_document, shipped_specs
from megasolve.contracts.files.schema.kinds import lines_key
from megasolve.contracts.files.yaml import documents as _yaml
from megasolve.contracts.files.yaml import json_lines as _json_lines
from megasolve.contracts.files.yaml import places
from megasolve.contracts.files.yaml.documents import parse_yaml
from megasolve.contracts.files.yaml.json_lines import parse_lines
from megasolve.contracts.files.yaml.place_index import PlaceIndex
from megasolve.contracts.model.closest import closest, without_proposals

# In proportion it is four times as long for four times the file; with the square of it, sixteen times.
GROWTH, MOST_GROWTH = 4, 9


def seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def growth(make: Callable[[int], Callable[[], object]], size: int) -> float:
    """Return how much longer the work takes that is made for four times *size*; the best of three counts."""
    small, large = make(size), make(GROWTH * size)
    return min(seconds(large) for _ in range(3)) / min(seconds(small) for _ in range(3))


def checked(tmp_path: Path, name: str, text: str) -> CheckReport:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return check_paths([path])


HEAD = '{"megasolve": "records/v1"}\n'
READ: dict[str, tuple[str, Callable[[int], str], int]] = {
    "a text that is never closed behind many brackets": ("x.jsonl", lambda n: f'{HEAD}{"[" * 65}"{n * 2 * chr(92)}{n * chr(34)}\n', 8_000),
    "escaped quotes that are never closed": ("x.jsonl", lambda n: HEAD + "[" * 65 + n * '\\"' + "\n", 20_000),
    "unknown keys of one line": ("x.jsonl", lambda n: HEAD + json.dumps({f"key_{i}": i for i in range(n)}) + "\n", 2_000),
    "unknown keys of a mapping": ("x.yaml", lambda n: "megasolve: spec/v1\n" + "".join(f"k{i}:\n" for i in range(n)), 3_000),
    "a list of entries that are none": ("x.yaml", lambda n: "megasolve: records/v1\nrecords:\n" + "- b\n" * n, 3_000),
    "duplicate keys": ("x.yaml", lambda n: "a: 1\n" * n, 4_000),
    "keys that are no text": ("x.yaml", lambda n: "1: 1\n" * n, 4_000),
    "foreign tags": ("x.yaml", lambda n: "- !a b\n" * n, 4_000),
    "depth at the end": ("x.yaml", lambda n: "a:\n" + "- b\n" * n + "x: " + "[" * 2_000, 20_000),
    "an unknown alias at the end": ("x.yaml", lambda n: "- b\n" * n + "- *x\n", 20_000),
    "one long line": ("x.yaml", lambda n: "a: [" + "b, " * n + "\n", 20_000),
    "unknown members": ("x.yaml", lambda n: f"megasolve: contract/v1\nentry: x\nbackend: megakernel\nmembers: [{'a, ' * n}a]\n", 2_000),
}


@pytest.mark.parametrize("name", READ)
def test_the_time_of_a_check_is_in_proportion_to_the_file(name: str, tmp_path: Path) -> None:
    file, text, size = READ[name]

    def make(n: int) -> Callable[[], object]:
        (tmp_path / str(n)).mkdir()
        path = tmp_path / str(n) / file
        path.write_text(text(n), encoding="utf-8")
        return lambda: check_paths([path])

    assert growth(make, size) < MOST_GROWTH


def test_findings_beyond_a_thousand_are_counted_exactly(tmp_path: Path) -> None:
    report = checked(tmp_path, "list.yaml", "megasolve: records/v1\nrecords:\n" + "- b\n" * 50_000)
    (finding,) = report.findings
    assert (finding.count, finding.place.line, [one.place.line for one in finding.also[:2]]) == (1_000, 3, [4, 5])
    assert {rule.code: number for (rule, _), number in report.further.items()} == {"SCH-03": 49_000}
    assert (report.count(Severity.ERROR), report.count(Severity.WARNING)) == (50_000, 0)


def test_what_is_only_counted_is_counted_by_rule_as_if_it_were_listed(tmp_path: Path) -> None:
    entry = "- {group: 7, batch: -1, duration_us: x, backend: y, other: 1}\n"
    few, many = (checked(tmp_path, "x.yaml", f"megasolve: records/v1\nrecords:\n{entry * times}") for times in (1, 2_000))
    numbers: Counter[str] = Counter(finding.rule.code for finding in few.findings)
    total: Counter[str] = Counter()
    for finding in many.findings:
        total[finding.rule.code] += finding.count
    for (rule, _), number in many.further.items():
        total[rule.code] += number
    assert total == {code: 2_000 * number for code, number in numbers.items()}


def test_what_is_wrong_with_an_entry_far_down_is_found_there(tmp_path: Path) -> None:
    head, records = (shipped_specs() / "worked_example/records.yaml").read_text(encoding="utf-8").split("records:\n")
    report = checked(tmp_path, "x.yaml", f"{head}records:\n{records * 100}  - {{}}\n  - {{group: 7}}\n")
    assert {finding.path for finding in report.findings} >= {"$.records[700].batch", "$.records[701].group"}
    assert {finding.place.line for finding in report.findings} == {5 + 1400 + 2, 5 + 1400 + 3}


def test_the_first_unknown_keys_are_listed_and_all_are_counted(tmp_path: Path) -> None:
    line = json.dumps({f"key_{i}": i for i in range(2_500)})
    report = checked(tmp_path, "x.jsonl", f"{HEAD}{line}\n")
    assert report.findings[0].path == "$.records[0].key_0"
    assert {rule.code: number for (rule, _), number in report.further.items()}["SCH-01"] == 1_500


def test_each_line_is_looked_at_once_for_all_places_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    index: Callable[[str], PlaceIndex] = places.__dict__["place_index"]

    def looking(text: str) -> PlaceIndex:
        looked.append(text)
        return index(text)

    monkeypatch.setattr(places, "place_index", looking)
    lines = "".join(json.dumps({f"key_{i}": i for i in range(300)}) + "\n" for _ in range(3))
    checked(tmp_path, "x.jsonl", HEAD + lines)
    assert len(looked) == 3


def test_places_are_those_of_keys_values_and_what_an_alias_stands_for() -> None:
    text = "megasolve: spec/v1\nname: &n x\nother: [1, {deep: *n}]\n? [a]\n: skipped\nlast:\n  - one\n  - two: 2\n"
    found = places.YamlPlaces(text)

    def at(path: tuple[str | int, ...]) -> tuple[int, int, int | None]:
        span = found.value(path)
        return span.line, span.column, span.end_column

    assert at(("name",)) == (2, 7, 11)
    assert at(("other", 0)) == (3, 9, 10)
    assert at(("other", 1, "deep")) == at(("name",))
    assert at(("last",)) == (6, 1, 5)
    assert at(("last", 1, "two")) == (8, 10, 11)
    assert at(("last", 1, "absent")) == at(("last", 1))
    assert found.key(("last", 1, "two")).column == 5


def test_a_study_with_a_flood_of_findings_is_refused_with_their_number(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text("megasolve: spec/v1\nname: x\n" + "".join(f"k{i}: 1\n" for i in range(3_000)))
    with pytest.raises(CheckFailed) as failed:
        check_spec(path)
    assert len(failed.value.findings) == 1_000
    assert sum(failed.value.further.values()) > 2_000


@pytest.mark.parametrize("module", [_yaml, _json_lines])
def test_a_file_holds_so_many_values_at_most(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_VALUES", 10_000)
    row = '{"a": [' + "0," * 999 + "0]}\n"
    faults = (parse_yaml(f"[{'0,' * 10_005}]") if module is _yaml else parse_lines(HEAD + 20 * row, lines_key)).faults
    assert [fault.rule.code for fault in faults] == ["YML-08"]
    assert "a file holds at most" in faults[0].message


DIGITS = 5_000 * "1"


@pytest.mark.parametrize("text", [DIGITS, f"-{DIGITS}", f"0x{DIGITS}", f"1e{DIGITS}", f'"{DIGITS}"', f'"{DIGITS} CTAs"'])
def test_numbers_of_thousands_of_digits_are_findings(text: str, tmp_path: Path) -> None:
    report = checked(tmp_path, "x.yaml", f"megasolve: contract/v1\nentry: x\nbackend: megakernel\nmembers: [a]\nbudgets_ctas: [{text}]\n")
    assert report.findings
    assert max(len(finding.message) for finding in report.findings) < 500


def test_long_names_stand_shortened_in_messages(tmp_path: Path) -> None:
    long = 100_000 * "n"
    anchored = f"a: &{long} 1\nb: &{long} 1\n"
    for text in (f"{long}: 1\n", f"megasolve: spec/v1\n{long}: 1\n", f"megasolve: {long}\n", anchored, f"a: !{long} x\n"):
        report = checked(tmp_path, "x.yaml", text)
        assert max(len(str(finding)) for finding in report.findings) < 1_000


def test_no_name_is_sought_for_what_nobody_reads() -> None:
    assert closest("grid_cta", ["grid_ctas", "other"]) == "grid_ctas"
    assert closest("x" * 100_000, ["x" * 100_000]) is None
    with without_proposals():
        assert closest("grid_cta", ["grid_ctas"]) is None


def test_a_document_that_is_right_is_read_whole_whatever_its_length(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    head, records = (shipped_specs() / "worked_example/records.yaml").read_text(encoding="utf-8").split("records:\n")
    path.write_text(f"{head}records:\n{records * 150}", encoding="utf-8")
    short, _ = read_document(shipped_specs() / "worked_example/records.yaml")
    document, findings = read_document(path)
    assert (findings, short is None, document is None) == ((), False, False)
    assert document is not None
    assert short is not None
    assert document.value.records == short.value.records * 150
