"""Units stand in the names of keys: what is told to who writes another one, or a figure that is off by a factor; cases from the field."""

from __future__ import annotations

import pytest

from megasolve.contracts import Finding, read_document
from tests.support.disk.files import DEVICE, RECORDS, codes

PEAK = "hbm_peak_bytes_per_s: 3900000000000"


def device_findings(line: str) -> tuple[Finding, ...]:
    """Return what is found in a device file that declares its peak bandwidth by *line*."""
    return read_document("device.yaml", DEVICE.replace(PEAK, line))[1]


def test_c67_a_duration_in_fractions_of_a_millisecond_keeps_its_difference() -> None:
    times_ps = []
    for time_us in ("276", "316.000001"):
        document, _ = read_document("run.yaml", RECORDS.replace("12.5", time_us))
        assert document is not None
        times_ps.append(16 * document.value.records[0].duration_ps)
    assert times_ps == [4_416_000_000, 5_056_000_016]


def test_c67_a_duration_as_text_is_told_the_number_to_write() -> None:
    (finding,) = read_document("run.yaml", RECORDS.replace("12.5", "0.276 ms"))[1]
    assert (finding.rule.code, finding.place.line) == ("SCH-05", 11)
    assert finding.message == "found '0.276 ms', write the number alone; the key holds the unit (microseconds): write 276"


def test_c67_a_fraction_of_a_picosecond_is_refused_and_never_rounded() -> None:
    (finding,) = read_document("run.yaml", RECORDS.replace("12.5", "0.2765432"))[1]
    assert finding.message == "found 0.2765432, expected at most 6 decimal places of microseconds"


def test_c75_a_bandwidth_without_its_unit_is_asked_which_was_meant() -> None:
    (finding,) = device_findings("hbm_peak_bytes_per_s: 3.9")
    assert finding.rule.code == "SCH-05"
    assert finding.message == ("found 3.9, expected a whole number of bytes per second; 3.9 TB/s is 3900000000000, 3.9 GB/s is 3900000000")


def test_c75_a_bandwidth_key_without_a_unit_is_told_the_keys_with_one() -> None:
    unknown = next(finding for finding in device_findings("hbm_bandwidth: 3.9") if finding.rule.code == "SCH-01")
    assert "bandwidths are in bytes per second here" in unknown.message
    assert "'hbm_peak_bytes_per_s'" in unknown.message


@pytest.mark.parametrize("key", ["hbm_peak_bits_per_s", "hbm_peak_gb_s", "hbm_peak_gbps", "hbm_peak_tb_per_s", "hbm_peak_gbit_s"])
def test_c75_bits_and_other_units_in_a_key_are_told_bytes_per_second(key: str) -> None:
    (finding,) = device_findings(f"{key}: 3900")
    assert finding.rule.code == "SCH-01"
    assert finding.message == (
        f"unknown key '{key}'; bandwidths are in bytes per second here (8 bits are 1 byte): write 'hbm_peak_bytes_per_s'"
    )


@pytest.mark.parametrize(("written", "number"), [("400 Gb/s", "50000000000"), ("3.9 TB/s", "3900000000000"), ("2 GiB/s", "2147483648")])
def test_c75_a_bandwidth_as_text_is_converted_exactly(written: str, number: str) -> None:
    (finding,) = device_findings(f"hbm_peak_bytes_per_s: {written}")
    assert finding.message.endswith(f": write {number}")


@pytest.mark.parametrize("number", ["99999999999", "20000000000001", "3900"])
def test_c75_the_peak_bandwidth_of_one_gpu_is_between_a_tenth_and_twenty_terabytes(number: str) -> None:
    findings = device_findings(f"hbm_peak_bytes_per_s: {number}")
    assert codes(findings) == ["SCH-04"]
    assert "expected 100,000,000,000 to 20,000,000,000,000 bytes per second (0.1 to 20 TB/s)" in findings[0].message


@pytest.mark.parametrize("number", ["100000000000", "20000000000000", "3.9e12"])
def test_c75_bandwidths_within_the_range_are_read_exactly(number: str) -> None:
    document, findings = read_document("device.yaml", DEVICE.replace(PEAK, f"hbm_peak_bytes_per_s: {number}"))
    assert findings == ()
    assert document is not None
    assert document.value.hbm_peak_bytes_per_s == int(float(number))
