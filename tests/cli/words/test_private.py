"""Environment, host, user and folders of a profile are in no output: not on a screen, not in a file, not in a message."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import megasolve
from tests.support.profiles.private import SECRETS, private_kineto, private_ncu, private_nsys


def outputs(folder: Path, profiles: list[str]) -> Iterator[str]:
    """Yield everything that the commands print and write about *profiles*."""
    spec, device = folder / "out" / "plan.yaml", ("--device", "h100_sxm")
    for words in (
        ("import", *profiles),
        ("import", *profiles, "--format", "json", "--group", "all"),
        ("import", *profiles, "-o", str(folder / "records.yaml"), *device),
        ("import", *profiles, "-o", str(folder / "records.jsonl"), *device),
        ("new", str(spec), "--from", *profiles, *device),
        ("check", str(spec), "--format", "json"),
        ("solve", str(spec), "--format", "json"),
        ("new", str(spec), "--from", *profiles, "--group", "none=names:none"),
    ):
        result = megasolve(*words)
        yield result.stdout + result.stderr
    written = [path for path in folder.rglob("*") if path.is_file() and path.suffix in {".yaml", ".jsonl"}]
    assert len(written) >= 5
    yield from (path.read_text() for path in written)


@pytest.mark.parametrize("kind", ["kineto", "nsys", "nsys and ncu"])
def test_nothing_private_of_a_profile_is_in_any_output(tmp_path: Path, kind: str) -> None:
    profiles = [str(private_kineto(tmp_path) if kind == "kineto" else private_nsys(tmp_path))]
    profiles += [str(private_ncu(tmp_path))] if kind.endswith("ncu") else []
    assert all(any(secret.encode() in Path(profile).read_bytes() for secret in SECRETS) for profile in profiles)
    everything = list(outputs(tmp_path, profiles))
    assert [secret for secret in SECRETS for output in everything if secret in output.replace(str(tmp_path), "")] == []


def test_a_refusal_says_nothing_private_either(tmp_path: Path) -> None:
    file = private_kineto(tmp_path)
    file.write_text(file.read_text()[:-25])
    result = megasolve("import", str(file))
    assert result.exit_code == 2
    assert not any(secret in result.stderr for secret in SECRETS)
