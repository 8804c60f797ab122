"""Documents: reading one file of each kind, and where its values stand."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megasolve.contracts import Contract, Device, Place, Records, Severity, Spec, UnreadableFile, read_document
from tests.support.command import environment
from tests.support.disk.files import CONTRACT, DEVICE, RECORD_HEAD, RECORD_LINE, RECORDS, SPEC, codes, write

TEXTS = {
    "contract.yaml": CONTRACT,
    "device.yaml": DEVICE,
    "spec.yaml": SPEC,
    "records.yaml": RECORDS,
    "run.jsonl": RECORD_HEAD + RECORD_LINE,
}


@pytest.mark.parametrize(("text", "model"), [(CONTRACT, Contract), (DEVICE, Device), (SPEC, Spec), (RECORDS, Records)])
def test_each_kind_is_read_as_its_model(text: str, model: type) -> None:
    document, findings = read_document("file.yaml", text)
    assert findings == ()
    assert document is not None
    assert type(document.value) is model


def test_quantities_are_exact_in_the_model() -> None:
    document, _ = read_document("talker.yaml", CONTRACT.replace("1.25", "0.000001"))
    assert document is not None
    assert document.value.dispatch.host_ps == 1


def test_a_value_has_its_place_and_its_end() -> None:
    document, _ = read_document("talker.yaml", CONTRACT)
    assert document is not None
    assert document.place(("launch", "threads")) == Place("talker.yaml", 6, 19)
    assert document.span(("budgets_ctas", 1)) == (Place("talker.yaml", 5, 21), 23)


def test_an_absent_path_has_the_place_of_what_encloses_it() -> None:
    document, _ = read_document("talker.yaml", CONTRACT)
    assert document is not None
    assert document.place(("launch", "roles", 0)) == document.place(("launch",)) == Place("talker.yaml", 6, 9)
    assert document.place(("budgets_ctas", 7)) == Place("talker.yaml", 5, 15)
    assert document.place(("storage", "policy")) == Place("talker.yaml", 1, 1)


def test_a_block_collection_stands_where_its_key_stands() -> None:
    document, _ = read_document("small.yaml", SPEC)
    assert document is not None
    assert document.place(("groups",)) == Place("small.yaml", 6, 1)
    assert document.place(("groups", 0, "role")) == Place("small.yaml", 7, 21)


@pytest.mark.parametrize("text", [RECORDS, f"{RECORD_HEAD}\n{RECORD_LINE}\n{RECORD_LINE}\n"])
def test_values_have_the_same_places_in_a_process_with_hashes_of_its_own(text: str) -> None:
    document, _ = read_document("records.jsonl" if text.startswith("{") else "records.yaml", text)
    assert document is not None
    paths = [("records", 0, "duration_us"), ("records", 0, "batch"), ("records", 0), ("records",)]
    # Asked for here, so that what is sent has an index already.
    here = [document.span(path) for path in paths]
    assert len({*here}) > 2
    code = "import pickle, sys; document, paths = pickle.load(sys.stdin.buffer); print([document.span(path) for path in paths])"
    told = {**environment(), "PYTHONHASHSEED": "7"}
    found = subprocess.run([sys.executable, "-c", code], input=pickle.dumps((document, paths)), capture_output=True, check=True, env=told)
    assert found.stdout.decode() == f"{here}\n"


def test_json_lines_are_records_with_a_line_each() -> None:
    document, findings = read_document("run.jsonl", RECORD_HEAD + RECORD_LINE + RECORD_LINE)
    assert findings == ()
    assert document is not None
    assert len(document.value.records) == 2
    assert document.place(("records", 1, "budget_ctas")) == Place("run.jsonl", 3, RECORD_LINE.index("132") + 1)
    assert document.place(("megasolve",)) == Place("run.jsonl", 1, 15)


@pytest.mark.parametrize("kind", ["{}", "[]", "1", "null", '"none"'])
def test_a_kind_of_lines_that_is_none_is_told(kind: str) -> None:
    finding = read_document("run.jsonl", f'{{"megasolve": {kind}}}\n{RECORD_LINE}')[1][0]
    assert (finding.rule.code, finding.place.line) == ("SCH-07", 1)


def test_a_line_that_is_a_list_is_told_as_a_list_of_yaml_is() -> None:
    _, findings = read_document("run.jsonl", RECORD_HEAD + '[[{"a": [12.5]}]]\n[1, 2]\n')
    assert [finding.message.partition(",")[0] for finding in findings] == ["found a list", "found [1"]


def test_json_lines_and_yaml_hold_equal_records() -> None:
    lines, _ = read_document("run.jsonl", RECORD_HEAD + RECORD_LINE)
    written, _ = read_document("run.yaml", RECORDS)
    assert lines is not None
    assert written is not None
    assert lines.value == written.value


def test_numbers_in_json_lines_are_exact() -> None:
    line = RECORD_LINE.replace('"threads": 512', '"threads": 0.30000000000000004440892098500626')
    document, _ = read_document("run.jsonl", RECORD_HEAD + line)
    assert document is not None
    assert document.value.records[0].context["launch"]["threads"] == Decimal("0.30000000000000004440892098500626")


@pytest.mark.parametrize("cut", [1, 40, len(RECORD_LINE) - 1])
def test_an_unterminated_last_line_never_happened(cut: int) -> None:
    document, findings = read_document("run.jsonl", RECORD_HEAD + RECORD_LINE + RECORD_LINE[:cut])
    (finding,) = findings
    assert (finding.rule.code, finding.severity, finding.place) == ("YML-13", Severity.WARNING, Place("run.jsonl", 3, 1))
    assert document is not None
    assert len(document.value.records) == 1


def test_every_broken_line_is_a_finding_with_its_number() -> None:
    broken = [
        RECORD_LINE[:50] + "\n",
        RECORD_LINE.replace('"batch": 1', '"batch": 1, "batch": 2'),
        RECORD_LINE,
        RECORD_LINE.replace("12.5", "9" * 100),
        RECORD_LINE.replace("12.5", "NaN"),
        "[" * 1000 + "]" * 1000 + "\n",
        RECORD_LINE.replace("a run", "\\ud83d"),
        "7\n",
    ]
    document, findings = read_document("run.jsonl", RECORD_HEAD + "".join(broken))
    assert document is None
    assert [(finding.place.line, finding.rule.code) for finding in findings] == [
        (2, "YML-12"),
        (3, "YML-02"),
        (5, "YML-11"),
        (6, "SCH-05"),
        (7, "YML-09"),
        (8, "YML-12"),
        (9, "SCH-03"),
    ]


@pytest.mark.parametrize(
    ("head", "code"),
    [
        ("{}\n", "SCH-06"),
        ("[]\n", "SCH-06"),
        ('{"megasolve": "spec/v1"}\n', "SCH-07"),
        ('{"megasolve": "records/v1", "records": []}\n', "YML-12"),
    ],
)
def test_json_lines_without_the_right_head_are_refused_on_line_one(head: str, code: str) -> None:
    document, findings = read_document("run.jsonl", head + RECORD_LINE)
    assert document is None
    assert codes(findings) == [code]
    assert findings[0].place.line == 1


def test_plain_json_is_read_as_yaml() -> None:
    _, findings = read_document("talker.json", '{\n\t"megasolve": "contract/v1",\n\t"entry": 3\n}\n')
    assert Place("talker.json", 3, 11) in [finding.place for finding in findings]


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    document, findings = read_document(write(tmp_path, "talker.yaml", b"\xef\xbb\xbf" + CONTRACT.encode()))
    assert findings == ()
    assert document is not None
    assert document.place(("megasolve",)).column == 12


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"# only a comment\n", "holds no values, only comments"),
        (b"\x00\x01\x02\x03", "is a binary file"),
        (bytes(range(256)), "is not UTF-8 text (byte 129)"),
        (CONTRACT.encode("utf-16"), "is not UTF-8 text (byte 1)"),
        (CONTRACT.encode("utf-16-le"), "is a binary file"),
    ],
)
def test_files_without_a_text_are_unreadable(tmp_path: Path, content: bytes, reason: str) -> None:
    path = write(tmp_path, "file.yaml", content)
    with pytest.raises(UnreadableFile) as caught:
        read_document(path)
    assert str(caught.value) == f"{path}: {reason}"


def test_missing_files_and_folders_are_unreadable(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no such file"):
        read_document(tmp_path / "absent.yaml")
    with pytest.raises(UnreadableFile, match="is a folder, not a file"):
        read_document(tmp_path)


def test_a_file_without_permission_is_unreadable(tmp_path: Path) -> None:
    path = Path(write(tmp_path, "secret.yaml", CONTRACT))
    path.chmod(0)
    with nobody_in_particular(), pytest.raises(UnreadableFile, match="no permission to read it"):
        read_document(path)


@contextmanager
def nobody_in_particular() -> Iterator[None]:
    """Act as a user without rights of its own: root may read every file."""
    user = os.geteuid()
    os.seteuid(user or 65534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_file_above_the_limit_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    with path.open("wb") as stream:
        stream.truncate(64 * 2**20 + 1)
    with pytest.raises(UnreadableFile, match="is larger than 64 MiB"):
        read_document(path)


@pytest.mark.parametrize(
    ("first_line", "code", "words"),
    [
        ("", "SCH-06", "write 'megasolve: contract/v1' first"),
        ("megasolv: contract/v1", "SCH-06", "did you mean 'megasolve'?"),
        ("megasolve: contracts/v1", "SCH-07", "did you mean 'contract/v1'?"),
        ("megasolve: contract/v2", "SCH-07", "reads 'contract/v1'"),
        ("megasolve: contract", "SCH-07", "reads 'contract/v1'"),
        ("megasolve: 1", "SCH-07", "expected a kind"),
        (
            "megasolve: poem/v1",
            "SCH-07",
            "the kinds are 'assume/v1', 'compiled/v1', 'contract/v1', 'device/v1', 'measured/v1', 'records/v1' or 'spec/v1'",
        ),
    ],
)
def test_a_wrong_kind_is_named_with_the_right_one(first_line: str, code: str, words: str) -> None:
    document, findings = read_document("talker.yaml", CONTRACT.replace("megasolve: contract/v1", first_line))
    assert document is None
    assert codes(findings) == [code]
    assert words in findings[0].message


@pytest.mark.parametrize("text", ["- a\n", "hello\n", "~\n"])
def test_a_file_that_is_no_mapping_has_no_kind(text: str) -> None:
    assert codes(read_document("file.yaml", text)[1]) == ["SCH-06"]


TOKENS = (
    "1",
    "x",
    "~",
    "[",
    "]",
    "{",
    "}",
    ": ",
    ", ",
    "\n",
    "  ",
    "- ",
    "&a ",
    "*a",
    "!!int ",
    "<<: ",
    "'",
    '"',
    "\t",
    "1e999",
    "\0",
    "\\",
    "|\n",
    "---",
    "9" * 80,
)


@given(
    st.sampled_from(sorted(TEXTS)),
    st.lists(st.tuples(st.integers(0, 700), st.integers(0, 4), st.sampled_from(TOKENS)), min_size=1, max_size=4),
)
def test_a_damaged_file_is_a_document_or_findings_of_one_line(file: str, damages: list[tuple[int, int, str]]) -> None:
    text = TEXTS[file]
    for start, length, token in damages:
        text = text[:start] + token + text[start + length :]
    try:
        document, findings = read_document(file, text)
    except UnreadableFile:
        return
    assert document is not None or findings
    assert not any("\n" in str(finding) for finding in findings)


def test_faults_of_the_text_and_of_the_values_are_reported_together() -> None:
    text = CONTRACT.replace("threads: 512", "threads: '512'") + "entry: other\nkernels: !odd x\n"
    document, findings = read_document("talker.yaml", text)
    assert document is None
    assert codes(findings) == ["SCH-03", "YML-02", "YML-05"]


def test_a_line_that_is_too_deep_is_reported_where_it_crosses_the_limit() -> None:
    deep = '{"a[[": ' + "[" * 70 + "]" * 70 + "}\n"
    _, findings = read_document("run.jsonl", RECORD_HEAD + deep)
    assert [(finding.rule.code, finding.place.line, finding.place.column) for finding in findings] == [("YML-09", 2, 72)]


@pytest.mark.parametrize("key", ["duration_us: 12.5"])
def test_a_time_of_more_than_eleven_days_is_refused(key: str) -> None:
    assert read_document("run.yaml", RECORDS.replace(key, "duration_us: 1e12"))[1] == ()
    (finding,) = read_document("run.yaml", RECORDS.replace(key, "duration_us: 1000000000000.1"))[1]
    assert finding.rule.code == "SCH-05"
    assert finding.message == "found 1000000000000.1, expected a number of microseconds, at most 1,000,000,000,000 (11 days)"
