"""The kinds of files: the first key of each says which model it must fit."""

from __future__ import annotations

from collections.abc import Mapping

from ...model.base import Frozen
from ...model.closest import closest
from ...model.compiled import Compiled
from ...model.contract import Assumptions, Contract
from ...model.device import Device
from ...model.findings import Fault
from ...model.measured import Measured, MeasuredRun
from ...model.record import Record, Records
from ...model.rules import Rule
from ...model.spec import Spec
from ...model.wording import kind_shown, one_of, shown
from ..yaml.foreign import is_like_a_kind
from .shape import field_keys

KINDS: dict[str, type[Frozen]] = {
    "assume/v1": Assumptions,
    "compiled/v1": Compiled,
    "contract/v1": Contract,
    "device/v1": Device,
    "measured/v1": Measured,
    "records/v1": Records,
    "spec/v1": Spec,
}

# Lists whose entries are judged one by one: that there is no such entry is never a fault.
FREE_ENTRIES: dict[type[Frozen], str] = {Measured: "runs", Records: "records"}

MISSING_KIND = Rule("SCH-06", "missing-kind", "A file is a mapping that starts with its kind: `megasolve: contract/v1`.")
UNKNOWN_KIND = Rule("SCH-07", "unknown-kind", "The kind of a file is one that this version reads.")

_KEY = "megasolve"
_LINES: dict[str, tuple[str, type[Frozen]]] = {"measured/v1": ("runs", MeasuredRun), "records/v1": ("records", Record)}
_TELLING_KEYS = 2


def kind_of(model: type[Frozen]) -> str:
    """Return the kind that a file of *model* names."""
    return next(kind for kind, known in KINDS.items() if known is model)


def kind_fault(tree: object) -> Fault | None:
    """Return what is wrong with the kind of a file that holds *tree*, or None."""
    if not isinstance(tree, dict):
        return Fault(MISSING_KIND, (), f"found {kind_shown(tree)}, expected a mapping that starts with '{_KEY}: KIND/v1'")
    if _KEY not in tree:
        return _missing(tree)
    kind = tree[_KEY]
    return None if isinstance(kind, str) and kind in KINDS else _unknown(kind)


def _named_kind(head: object) -> str:
    kind = head.get(_KEY) if isinstance(head, dict) else None
    return kind if isinstance(kind, str) else ""


def lines_key(head: object) -> str:
    """Return the key that the lines behind *head*, the first line of a JSON lines file, stand under."""
    key, _ = _LINES.get(_named_kind(head), _LINES["records/v1"])
    return key


def head_fault(head: object) -> Fault | None:
    """Return what is wrong with the first line of a JSON lines file, or None."""
    if _named_kind(head) in _LINES:
        return None
    rule, found = MISSING_KIND, f"missing key '{_KEY}'"
    if isinstance(head, dict) and _KEY in head:
        kind = head[_KEY]
        rule, found = UNKNOWN_KIND, f"found the kind {shown(kind) if _is_quotable(kind) else kind_shown(kind)}"
    heads = " or ".join(f'{{"{_KEY}": "{kind}"}}' for kind in _LINES)
    return Fault(rule, (), f"{found}; the first line of a JSON lines file is {heads}")


def looks_like_ours(tree: object, *, is_lines: bool) -> bool:
    """Whether a file that names no kind is one of ours all the same, and not of another tool.

    It has a near-miss of the key `megasolve`, or two or more keys of one kind of file. The first line of a JSON lines file may
    also have two keys of a line.
    """
    if not isinstance(tree, dict):
        return False
    keys = tree.keys() - {lines_key(tree)} if is_lines else tree.keys()
    models = [model for kind, (_, line) in _LINES.items() for model in (KINDS[kind], line)] if is_lines else list(KINDS.values())
    return _near_miss(tree) is not None or any(len(field_keys(model).keys() & keys) >= _TELLING_KEYS for model in models)


def _near_miss(tree: Mapping[str, object]) -> str | None:
    return closest(_KEY, tree, cutoff=0.8)


def _missing(tree: Mapping[str, object]) -> Fault:
    if close := _near_miss(tree):
        return Fault(MISSING_KIND, (close,), f"unknown key {close!r}; did you mean '{_KEY}'?", at_key=True)
    likely = max(KINDS, key=lambda kind: len(field_keys(KINDS[kind]).keys() & tree.keys()))
    is_likely = bool(field_keys(KINDS[likely]).keys() & tree.keys())
    repair = f"write '{_KEY}: {likely}' first" if is_likely else f"the kinds are {one_of(KINDS)}"
    return Fault(MISSING_KIND, (), f"missing key '{_KEY}', which says what kind of file this is; {repair}")


def _unknown(kind: object) -> Fault:
    if not isinstance(kind, str) or not _is_quotable(kind):
        return Fault(UNKNOWN_KIND, (_KEY,), f"found {kind_shown(kind)}, expected a kind: {one_of(KINDS)}")
    names = {known.partition("/")[0]: known for known in KINDS}
    name = kind.partition("/")[0]
    if name in names:
        return Fault(UNKNOWN_KIND, (_KEY,), f"found {shown(kind)}; this version of megasolve reads {names[name]!r}")
    close = closest(name, names)
    repair = f"did you mean {names[close]!r}?" if close else f"the kinds are {one_of(KINDS)}"
    return Fault(UNKNOWN_KIND, (_KEY,), f"unknown kind {shown(kind)}; {repair}")


def _is_quotable(kind: object) -> bool:
    """Whether *kind* is written like one, or nearly is one; anything else may be a secret of a file that is none of ours."""
    names = [known.partition("/")[0] for known in KINDS]
    return is_like_a_kind(kind) or (isinstance(kind, str) and closest(kind.partition("/")[0], names) is not None)
