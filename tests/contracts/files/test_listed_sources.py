"""Hashes of sources in one manifest beside them: found like those that contracts state, and no less able to be stale."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from megasolve.contracts import Finding, check_paths, load_study
from tests.support.disk import one_entry

SPEC = one_entry.SPEC
CONTRACT = f"{one_entry.CONTRACT}source: {{file: ../kernels/s.cu, symbol: s}}\n"
CODE = "the code"
HASH, OTHER = sha256(CODE.encode()).hexdigest(), 64 * "b"


def write_study(folder: Path, manifest: str | None, contract: str = CONTRACT) -> Path:
    """Write a spec with one contract, its source, and a manifest beside the source."""
    for path, text in {"spec.yaml": SPEC, "contracts/S.yaml": contract, "kernels/s.cu": CODE, "kernels/sources.sha256": manifest}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if text is not None:
            (folder / path).write_text(text, encoding="utf-8")
    return folder / "spec.yaml"


def stated(spec: Path) -> str | None:
    """Return the hash that the contract has once its study is loaded."""
    study, _ = load_study(spec)
    assert study is not None
    source = study.contracts[0].value.source
    assert source is not None
    return source.sha256


def findings(spec: Path) -> list[tuple[str, int, str]]:
    def shown(one: Finding) -> tuple[str, int, str]:
        return one.rule.code, one.place.line, one.message

    return [shown(one) for one in check_paths([spec]).findings]


@pytest.mark.parametrize("line", [f"{HASH}  s.cu\n", f"{HASH} *s.cu\n", f"{HASH}  ./s.cu", f"{OTHER}  t.cu\n\n# a word\n{HASH}  s.cu\r\n"])
def test_a_source_has_the_hash_of_its_line(line: str, tmp_path: Path) -> None:
    spec = write_study(tmp_path, line)
    assert stated(spec) == HASH
    assert findings(spec) == []


def test_a_hash_in_the_contract_counts_alone(tmp_path: Path) -> None:
    spec = write_study(tmp_path, f"{OTHER}  s.cu\n", CONTRACT.replace("symbol: s", f"symbol: s, sha256: {HASH}"))
    assert stated(spec) == HASH
    assert findings(spec) == []


def test_a_line_that_the_source_has_left_behind_is_found_where_the_contract_names_it(tmp_path: Path) -> None:
    ((code, line, message),) = findings(write_study(tmp_path, f"{OTHER}  s.cu\n"))
    assert (code, line) == ("REF-09", 9)
    assert message.startswith(f"'../kernels/s.cu' has the hash {HASH[:12]}..., sources.sha256 beside it says {OTHER[:12]}...")


@pytest.mark.parametrize(
    ("manifest", "what"),
    [
        (None, "is not there"),
        ("", "does not list it once"),
        (f"{HASH}  other.cu\n", "does not list it once"),
        (f"{HASH}  s.cu\n{OTHER}  s.cu\n", "does not list it once"),
        (f"{HASH[:-1]}  s.cu\n", "does not list it once"),
        ("\0", "does not list it once"),
    ],
)
def test_a_source_without_a_hash_anywhere_is_a_warning(manifest: str | None, what: str, tmp_path: Path) -> None:
    spec = write_study(tmp_path, manifest)
    assert stated(spec) is None
    ((code, line, message),) = findings(spec)
    assert (code, line) == ("REF-14", 9)
    assert message.startswith(f"'../kernels/s.cu' has no sha256, and sources.sha256 beside it {what}")


def test_a_manifest_outside_of_the_project_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "sources.sha256").write_text(f"{HASH}  s.cu\n", encoding="utf-8")
    spec = write_study(tmp_path / "study", None, CONTRACT.replace("../kernels/s.cu", "../../s.cu"))
    assert stated(spec) is None
    assert findings(spec) == []


def test_a_source_that_is_not_there_is_no_fault(tmp_path: Path) -> None:
    spec = write_study(tmp_path, None, CONTRACT.replace("s.cu", "elsewhere.cu"))
    assert stated(spec) is None
    assert findings(spec) == []


def test_records_of_another_source_than_the_manifest_says_are_stale(tmp_path: Path) -> None:
    spec = write_study(tmp_path, f"{HASH}  s.cu\n")
    spec.write_text(SPEC.replace("records: []", "records: [records.yaml]"), encoding="utf-8")
    record = f"""megasolve: records/v1
records:
  - {{group: S, backend: megakernel, entries: [S], budget_ctas: 8, batch: 1, precision: bf16, device: h200,
      context: {{launch: {{threads: 64, registers: 32}}}}, duration_us: 5,
      provenance: {{kind: measured, source: bench, source_sha256: {OTHER}}}}}
"""
    (tmp_path / "records.yaml").write_text(record, encoding="utf-8")
    (message,) = (message for code, _, message in findings(spec) if code == "REC-20")
    assert f"taken from source {OTHER[:12]}..., the contract of 'S' names {HASH[:12]}..." in message
