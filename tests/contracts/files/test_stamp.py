"""The stamp of a result: every file that it was made of, by its hash."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from megasolve.contracts import inputs_of, load_spec
from tests.support.command import CHECKOUT

SPEC = CHECKOUT / "specs/streamlet.yaml"


def test_the_spec_stands_first_and_each_file_once_with_the_hash_of_its_bytes() -> None:
    inputs = inputs_of(load_spec(SPEC))
    assert inputs[0].path == str(SPEC)
    assert len({one.path for one in inputs}) == len(inputs) > 10
    assert all(one.sha256 == sha256(Path(one.path).read_bytes()).hexdigest() for one in inputs)


def test_devices_tables_and_manifests_are_inputs_too() -> None:
    names = {Path(one.path).name for one in inputs_of(load_spec(SPEC))}
    assert {"compiled.yaml", "sources.sha256", "h200.yaml"} <= names


def test_a_spec_from_elsewhere_has_the_hash_of_what_was_read_and_not_of_the_file_that_it_names() -> None:
    text = SPEC.read_text() + "# changed\n"
    (spec, *_) = inputs_of(load_spec(SPEC, text=text))
    assert spec.sha256 == sha256(text.encode()).hexdigest()


def test_a_file_that_is_gone_has_no_hash(tmp_path: Path) -> None:
    for file in ("worked_example.yaml", *(f"worked_example/{one}" for one in ("records.yaml",))):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes((CHECKOUT / "specs" / file).read_bytes())
    (tmp_path / "worked_example/contracts").symlink_to(CHECKOUT / "specs/worked_example/contracts")
    study = load_spec(tmp_path / "worked_example.yaml", root="/")
    (tmp_path / "worked_example/records.yaml").unlink()
    assert [one.path for one in inputs_of(study) if one.sha256 is None] == [str(tmp_path / "worked_example/records.yaml")]
