"""The registry of rules: it finds all of them where they stand, and nothing loads them before one is asked for."""

from __future__ import annotations

import ast
import copy
import importlib
import os
import pickle
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts import RULES, Rule, RuleKind
from megasolve.contracts.check import rules, subjects
from megasolve.contracts.check.registry import checks_on
from megasolve.contracts.check.rules.record.records import fake_measurement
from megasolve.contracts.model.rules import Check, CheckedRule, Subject
from megasolve.simulate.plan.cause import EXCLUSION_RULES, NO_RECORD
from megasolve.solver.select.stream.findings import PLAN_RULES

PACKAGES = tuple(Path(__file__).parents[3] / root for root in ("contracts", "simulate", "solver", "gpu"))
ROOTS = os.pathsep.join(map(str, PACKAGES))
MAKERS = {"rule", "Rule"}
REPORT = Path(__file__).parents[3] / "solver/megasolve/report"
EXAMPLES = (REPORT / "shapes", REPORT / "properties/table.py")
"""Where the schemas of results and of files show a code as an example."""
SUBJECTS: list[Subject[..., Any]] = [value for value in vars(subjects).values() if isinstance(value, Subject)]


def loaded_by(program: str) -> set[str]:
    """Return the modules that a new Python has after *program*."""
    listing = f"{program}\nimport sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", listing], check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ROOTS}
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "program",
    [
        "from megasolve.contracts import load_spec; load_spec('specs/worked_example.yaml')",
        "import megasolve.solver",
        "import megasolve.cli.app",
    ],
)
def test_whoever_only_reads_or_imports_loads_no_rule(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[3])
    assert {name for name in loaded_by(program) if name.startswith("megasolve.contracts.check.rules")} == set()


def test_a_check_loads_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[3])
    loaded = loaded_by("from megasolve.contracts import check_paths; check_paths(['specs/worked_example.yaml'])")
    assert {one.name for one in pkgutil.walk_packages(rules.__path__, f"{rules.__name__}.")} <= loaded


def test_each_check_is_found_once_under_what_it_looks_at() -> None:
    families = [importlib.import_module(one.name) for one in pkgutil.walk_packages(rules.__path__, f"{rules.__name__}.")]
    stated = {id(value) for family in families for value in vars(family).values() if isinstance(value, Check)}
    found = [id(one) for subject in SUBJECTS for one in checks_on(subject)]
    assert len(found) == len(set(found))
    assert set(found) == stated


def test_the_rules_of_one_code_prefix_stand_in_one_module_or_folder() -> None:
    homes: dict[str, set[str]] = {}
    for rule in RULES:
        if isinstance(rule, CheckedRule) and rule.find.__module__.startswith(rules.__name__):
            homes.setdefault(rule.code[:3], set()).add(rule.find.__module__.removeprefix(rules.__name__).split(".")[1])
    assert {prefix: sorted(found) for prefix, found in homes.items() if len(found) > 1} == {}
    assert len({home for found in homes.values() for home in found}) == len(homes)


def test_a_rule_goes_by_the_name_of_its_function() -> None:
    for subject in SUBJECTS:
        for one in checks_on(subject):
            if isinstance(one, CheckedRule):
                assert one in RULES
                assert vars(importlib.import_module(one.find.__module__))[one.find.__name__] is one


def test_codes_and_names_are_those_of_one_rule_each_also_beside_those_of_plans() -> None:
    every = (*RULES, *EXCLUSION_RULES, *PLAN_RULES)
    assert len({rule.code for rule in every}) == len({rule.name for rule in every}) == len(every)


def texts_beside_rules(path: Path) -> Iterator[str]:
    """Yield every text in the code of *path* but those of which a rule is made."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    made = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAKERS]
    stated = {id(argument) for call in made for argument in call.args}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in stated:
            yield node.value


def test_rules_are_compared_as_values_and_never_by_their_code_or_its_beginning() -> None:
    codes = {rule.code for rule in (*RULES, *EXCLUSION_RULES, *PLAN_RULES)}
    families = {code[:4] for code in codes}
    paths = [path for root in PACKAGES for path in root.rglob("*.py") if not any(map(path.is_relative_to, EXAMPLES))]
    named = {path: {*texts_beside_rules(path)} & (codes | families) for path in paths}
    assert {path: found for path, found in named.items() if found} == {}


def test_rules_are_equal_by_their_code() -> None:
    assert Rule("REC-05", "other-name", "Another sentence.", RuleKind.LIMIT) == fake_measurement
    assert fake_measurement != NO_RECORD
    assert fake_measurement != "REC-05"


@pytest.mark.parametrize("rule", [fake_measurement, NO_RECORD], ids=lambda rule: rule.code)
def test_a_rule_stays_the_same_in_another_process(rule: Rule) -> None:
    for other in (pickle.loads(pickle.dumps(rule)), copy.deepcopy(rule)):
        assert other == rule
        assert {other} == {rule}
        assert (other.name, other.summary, other.kind) == (rule.name, rule.summary, rule.kind)


def test_rules_are_sorted_by_their_codes() -> None:
    every = (*RULES, *EXCLUSION_RULES, *PLAN_RULES)
    assert [rule.code for rule in sorted({*every})] == sorted(rule.code for rule in every)


def test_a_rule_names_its_page() -> None:
    assert fake_measurement.page == "docs/rules/REC-05.md"


def test_the_front_door_offers_no_other_names() -> None:
    door = importlib.import_module("megasolve.contracts")
    with pytest.raises(AttributeError, match="has no attribute 'RULE'"):
        door.RULE  # noqa: B018
