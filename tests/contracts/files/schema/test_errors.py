"""Schema findings: the place, the value found, what is allowed, and the repair."""

from __future__ import annotations

import pytest

from megasolve.contracts import Finding, read_document
from tests.support.disk.files import CONTRACT, RECORDS, SPEC, codes


def findings_of(text: str) -> tuple[Finding, ...]:
    """Return the findings of a file that holds *text*."""
    return read_document("file.yaml", text)[1]


def only_finding(text: str) -> Finding:
    """Return the one finding of a file that holds *text*."""
    (finding,) = findings_of(text)
    return finding


@pytest.mark.parametrize(
    ("line", "repair"),
    [
        ("titel: x", "did you mean 'title'?"),
        ("Loops-On-Device: true", "did you mean 'loops_on_device'?"),
        ("threads: 512", "it belongs in launch"),
        ("cost_us: 1", "it belongs in synchronization"),
        ("zzz: 1", "allowed here: entry, backend, members"),
    ],
)
def test_an_unknown_key_comes_with_the_nearest_valid_one(line: str, repair: str) -> None:
    finding = only_finding(f"{CONTRACT}{line}\n")
    assert (finding.rule.code, finding.place.line, finding.place.column) == ("SCH-01", 9, 1)
    assert finding.end_column == line.index(":") + 1
    assert repair in finding.message


def test_a_key_of_the_top_level_is_sent_back_there() -> None:
    finding = only_finding(CONTRACT.replace("{threads: 512", "{grid_ctas: 3, threads: 512"))
    assert finding.message == "unknown key 'grid_ctas'; it belongs at the top level"


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("duration_ms", "duration_us"),
        ("duration_s", "duration_us"),
        ("duration_ns", "duration_us"),
        ("duration_ps", "duration_us"),
        ("duration", "duration_us"),
        ("latency_ms", "duration_us"),
        ("sample_usec", "samples_us"),
    ],
)
def test_a_time_in_another_unit_is_told_its_key(key: str, meant: str) -> None:
    finding = findings_of(RECORDS.replace("duration_us", key))[0]
    assert "times are in µs here" in finding.message
    assert f"'{meant}'" in finding.message


def test_a_model_field_in_picoseconds_is_no_key_of_a_file() -> None:
    assert codes(findings_of(RECORDS.replace("duration_us", "duration_ps"))) == ["SCH-01"]


def test_a_missing_key_stands_at_its_mapping() -> None:
    finding = only_finding(CONTRACT.replace("host_waits: false, ", ""))
    assert (finding.rule.code, finding.place.line, finding.place.column) == ("SCH-02", 7, 11)
    assert finding.message == "missing key 'host_waits' in dispatch: expected true or false"


def test_a_missing_key_that_is_only_misspelt_is_one_finding() -> None:
    finding = only_finding(CONTRACT.replace("entry:", "entri:"))
    assert finding.message == "unknown key 'entri'; did you mean 'entry'?"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("entry: talker", "entry: 1.10", "found 1.10, expected text: put it in quotes"),
        ("members: [P]", "members: P", "found 'P', expected a list: write [P]"),
        ("threads: 512", "threads: '512'", "found '512', expected a whole number: write 512"),
        ("threads: 512", "threads: 512.0", "found 512.0, expected a whole number: write 512"),
        ("threads: 512", "threads: 1_024", "found '1_024', expected a whole number: write 1024"),
        ("[132, 88]", "[132, 88 CTAs]", "found '88 CTAs', expected a whole number: write 88"),
        ("threads: 512", "threads: true", "found true, expected a whole number"),
        ("host_waits: false", "host_waits: no", "found 'no', expected true or false: write false"),
        ("loops_on_device: true", "kernels:", "found nothing, expected a whole number: give a value"),
        ("launch: {threads: 512, registers: 128, shared_bytes: 1024}", "launch: x", "found 'x', expected a mapping"),
    ],
)
def test_a_wrong_type_says_what_was_found_and_what_to_write(old: str, new: str, message: str) -> None:
    finding = only_finding(CONTRACT.replace(old, new))
    assert (finding.rule.code, finding.message) == ("SCH-03", message)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("megakernel", "megakrnel", "found 'megakrnel', expected 'conventional' or 'megakernel'; did you mean 'megakernel'?"),
        ("threads: 512", "threads: 0", "found 0, expected a whole number, 1 or more"),
        ("threads: 512", "threads: 2147483648", "found 2147483648, expected a whole number from 1 to 2,147,483,647"),
        ("[P]", "[]", "found [], expected a list of at least 1"),
        ("[P]", "[P q]", "found 'P q', expected a name: a letter, then letters, digits, '_', '.' or '-'"),
    ],
)
def test_a_value_outside_its_range_says_what_is_allowed(old: str, new: str, message: str) -> None:
    finding = only_finding(CONTRACT.replace(old, new))
    assert (finding.rule.code, finding.message) == ("SCH-04", message)


@pytest.mark.parametrize(
    ("number", "message"),
    [
        ("12 us", "found '12 us', write the number alone; the key holds the unit (microseconds): write 12"),
        ("'12.5'", "found '12.5', write the number alone; the key holds the unit (microseconds): write 12.5 without quotes"),
        ("-1", "found -1, expected a number of microseconds above 0"),
        ("0", "found 0, expected a number of microseconds above 0"),
        (".inf", "found .inf, expected a finite number of microseconds"),
        (".nan", "found .nan, expected a finite number of microseconds"),
        ("1e-7", "found 0.0000001, expected at most 6 decimal places of microseconds"),
        ("true", "found true, expected a number of microseconds"),
    ],
)
def test_a_quantity_is_an_exact_finite_number_alone(number: str, message: str) -> None:
    finding = only_finding(RECORDS.replace("12.5", number))
    assert (finding.rule.code, finding.message) == ("SCH-05", message)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("'65536'", "found '65536', write the number alone; the key holds the unit (bytes): write 65536 without quotes"),
        ("derive", "found 'derive', expected 'derived'; did you mean 'derived'?"),
    ],
)
def test_a_number_or_a_word_is_told_as_what_it_was_meant_to_be(value: str, message: str) -> None:
    assert only_finding(f"{CONTRACT}in_flight_bytes: {value}\n").message == message


def test_paths_are_spelled_from_the_root() -> None:
    finding = only_finding(RECORDS.replace("duration_us: 12.5", "samples_us: [1, 2, x]"))
    assert finding.path == "$.records[0].samples_us[2]"


def test_all_findings_of_a_file_come_at_once_and_in_order() -> None:
    text = SPEC.replace("batches: [1]", "batches: [0, x]").replace("role: producer", "role: consumr") + "stram: {}\n"
    assert codes(findings_of(text)) == ["SCH-04", "SCH-03", "SCH-04", "SCH-01"]


def test_messages_are_one_line_without_the_words_of_the_library() -> None:
    text = CONTRACT.replace("512", "x").replace("[P]", "3").replace("false", "7") + "kernels: 1.5\nlunch: 1\nsource: {file: ''}\n"
    for finding in findings_of(text):
        assert "\n" not in finding.message
        assert not any(word in finding.message.lower() for word in ("pydantic", "input", "tuple", "dict", "valid ", "http"))


@pytest.mark.parametrize("value", [".inf", "-.inf", ".nan"])
def test_a_share_that_is_not_finite_is_told_in_our_words(value: str) -> None:
    finding = only_finding(RECORDS.replace("duration_us: 12.5", f"duration_us: 12.5\n    accuracy: {value}"))
    assert (finding.rule.code, finding.message) == ("SCH-05", f"found {value}, expected a finite number")
