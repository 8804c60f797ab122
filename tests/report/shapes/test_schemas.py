"""Results have the shapes of their schemas, key by key, and every key is described."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Union

import pytest
from pydantic import TypeAdapter

from megasolve.report import schema_json
from megasolve.report.shapes.schemas import SHAPES
from tests.support.command import CHECKOUT, megasolve
from tests.support.disk.small_specs import write_small_spec

WORKED, GAPS, LLAMA = "specs/worked_example.yaml", "tests/cli/fixtures/gaps.yaml", "specs/llama_1b.yaml"


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("result", ("solve", WORKED)),
        ("result", ("solve", GAPS)),
        ("result", ("solve", WORKED, "--set", "stream.lookahead=0", "--where", "megakernels<=0")),
        ("result", ("solve", "specs/streamlet.yaml", "--pareto", "first_publication,producer_step")),
        ("explanation", ("explain", WORKED, "m:P/m:B+L/m:C@dynamic:88/44")),
        ("explanation", ("explain", GAPS, "c:B+C@serial", "--batch", "1")),
        ("explanation", ("explain", LLAMA, "c:P/c:D@serial", "--batch", "1")),
        ("explanation", ("explain", WORKED, "m:P@serial")),
        ("table", ("table", LLAMA, "--batch", "1")),
        ("table", ("table", GAPS)),
        ("profiles", ("import", "tests/fixtures/profiles/decode.json")),
        ("profiles", ("import", "tests/fixtures/profiles/decode.json", "--group", "D:producer")),
        ("check", ("check", "tests/cli/fixtures/faulty.yaml", "specs/streamlet.yaml")),
    ],
)
def test_a_result_has_the_keys_that_its_schema_describes_and_no_others(kind: str, words: tuple[str, ...]) -> None:
    printed = megasolve(*words, "--format", "json").stdout
    assert _validated(kind, printed).megasolve == f"{kind}/v1"


@pytest.mark.parametrize(("kind", "words"), [("measurement", ()), ("runs", ("--candidate", "m:P+B+L+C@serial", "--co-run", "4/2"))])
def test_what_would_be_measured_has_the_shape_of_its_schema(tmp_path: Path, kind: str, words: tuple[str, ...]) -> None:
    printed = megasolve("measure", str(write_small_spec(tmp_path)), "--dry-run", *words, "--format", "json").stdout
    assert _validated(kind, printed).dry_run is True


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    shapes: Any = Union[SHAPES[kind]]  # noqa: UP007
    return TypeAdapter(shapes)


def _validated(kind: str, printed: str) -> Any:
    return _adapter(kind).validate_json(printed)


@pytest.mark.parametrize("kind", SHAPES)
def test_every_key_of_a_result_is_described(kind: str) -> None:
    schema = json.loads(schema_json(kind))
    sections = {"": schema, **schema["$defs"]}
    lacking = [
        f"{name}.{key}" for name, one in sections.items() for key, value in one.get("properties", {}).items() if "description" not in value
    ]
    assert lacking == []


def test_a_result_may_have_further_keys() -> None:
    assert '"additionalProperties": false' not in schema_json("result")


@pytest.mark.parametrize(
    ("command", "kind"),
    [("solve", "result"), ("explain", "explanation"), ("evaluate", "evaluation"), ("import", "profiles"), ("measure", "measurement")],
)
def test_the_schema_of_a_result_goes_by_its_command_too(command: str, kind: str) -> None:
    assert megasolve("schema", command).stdout == megasolve("schema", kind).stdout
