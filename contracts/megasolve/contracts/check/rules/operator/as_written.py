"""Rules for the operators of a contract as they are written: names, dependencies, keys of shapes and tiles, times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....files.study import Study
from ....model.closest import nearest
from ....model.contract import Contract
from ....model.findings import Fault
from ....model.programs.operators import Block, Dependency, ExplicitOperator, OpaqueOperator, ShapedOperator
from ....model.programs.symbols import BATCH, ExpressionError, is_symbol_name, names_in, parsed
from ....model.rules import rule
from ....model.spec import Spec
from ....model.wording import KeyPath, shown
from ....operators.kinds import OPERATOR_KINDS
from ....sizes.symbols import symbols_of
from ...subjects import CONTRACT, SPEC, STUDY, Placed
from ..walking import repeats
from ..wording import listed, repeated
from .paths import dependencies_of, each_dependency, each_operator, extents_of, operators_of


@rule("OPR-01", "expression-unreadable", "A size is a whole number, or a whole-number expression over symbols.", on=CONTRACT)
def expression_unreadable(contract: Contract) -> Iterator[Fault]:
    """Sizes are exact: no fractions, no powers, nothing that is looked up elsewhere."""
    for group in contract.programs:
        for path, extent in extents_of(contract, group):
            try:
                parsed(str(extent))
            except ExpressionError as error:
                yield Fault(expression_unreadable, path, f"{shown(extent)}: {error}")


@rule("OPR-02", "symbol-unknown", "Expressions use the symbols of the spec, `batch`, and the shapes of their group.", on=STUDY)
def symbol_unknown(study: Study) -> Iterator[Placed]:
    """A symbol without a value leaves the size of an operator open."""
    for contract in study.contracts:
        for group in contract.value.programs:
            known = symbols_of(study.spec.value, group)
            for path, extent in extents_of(contract.value, group):
                for name in _readable_names(extent):
                    if name not in known:
                        message = f"'{name}' is no symbol of spec '{study.spec.value.name}'{nearest(name, known)}"
                        yield contract, Fault(symbol_unknown, path, message)


def _readable_names(extent: int | str) -> tuple[str, ...]:
    try:
        return names_in(extent)
    except ExpressionError:
        return ()


@rule("OPR-03", "symbol-reserved", "A symbol has a name that an expression can use and that is not taken.", on=SPEC)
def symbol_reserved(spec: Spec) -> Iterator[Fault]:
    """Expressions know `batch` and their functions by name already."""
    for name in spec.symbols:
        if not is_symbol_name(name):
            why = f"'{name}' is the planned batch" if name == BATCH else f"'{name}' is no name for a symbol"
            message = f"{why}; use letters, digits and '_', and none of batch, ceil_div, min, max"
            yield Fault(symbol_reserved, ("symbols", name), message, at_key=True)


@rule("OPR-04", "shape-keys", "A shape has the sizes of its kind, and no others.", on=CONTRACT)
def shape_keys(contract: Contract) -> Iterator[Fault]:
    """Bytes and flops follow from the shape, so none of its sizes may be missing or misspelt."""
    for path, operator in _shaped(contract):
        kind = OPERATOR_KINDS[operator.kind]
        unknown = [key for key in operator.shape if key not in kind.known]
        for key in unknown:
            message = f"'{key}' is no size of kind {operator.kind}{nearest(key, kind.known)}"
            yield Fault(shape_keys, (*path, "shape", key), message, at_key=True)
        missing = [key for key in kind.required if key not in operator.shape]
        # An unknown key is as a rule the misspelling of a missing one: one repair, one fault.
        if len(missing) > len(unknown):
            message = f"a shape of kind {operator.kind} lacks {listed(missing)}; it has {listed(kind.required)}"
            yield Fault(shape_keys, (*path, "shape"), message, at_key=True)


@rule("OPR-05", "tile-keys", "Each geometry names sizes that its kind can be cut along, and stands once.", on=CONTRACT)
def tile_keys(contract: Contract) -> Iterator[Fault]:
    """A size that a tile does not name is not cut; one that cannot be cut must not be named."""
    for path, operator in _shaped(contract):
        keys = OPERATOR_KINDS[operator.kind].tile
        for index, geometry in enumerate(operator.tile):
            for key in geometry:
                if key not in keys:
                    message = f"kind {operator.kind} is not cut along '{key}'{nearest(key, keys)}"
                    yield Fault(tile_keys, (*path, "tile", index, key), message, at_key=True)
        for index, first in repeats(operator.tile, lambda geometry: tuple(sorted(geometry.items()))):
            yield Fault(tile_keys, (*path, "tile", index), repeated("this geometry", first))


@rule("OPR-06", "operator-repeated", "Operator names are unique in a program.", on=CONTRACT)
def operator_repeated(contract: Contract) -> Iterator[Fault]:
    """Dependencies name operators, so one name is one operator."""
    for group in contract.programs:
        placed = list(operators_of(contract, group))
        for index, first in repeats(placed, lambda one: one[1].name):
            path, operator = placed[index]
            message = f"'{operator.name}' is operator {first + 1} of program '{group}' already; rename one of the two"
            yield Fault(operator_repeated, (*path, "name"), message)


@rule("OPR-07", "operator-unknown", "Operators wait for operators of their own program.", on=CONTRACT)
def operator_unknown(contract: Contract) -> Iterator[Fault]:
    """A dependency on an operator of another program is an edge between groups, and belongs to the spec."""
    for group in contract.programs:
        names = dict.fromkeys(operator.name for _, operator in operators_of(contract, group))
        for path, dependency in each_dependency(contract, group):
            if dependency.operator not in names:
                message = f"'{dependency.operator}' is no operator of program '{group}'{nearest(dependency.operator, names)}"
                yield Fault(operator_unknown, (*path, "operator"), message)


@rule("OPR-08", "operator-cycle", "Within one repeat no operator waits for itself.", on=CONTRACT)
def operator_cycle(contract: Contract) -> Iterator[Fault]:
    """Operators that wait for each other never start."""
    for path, dependency, waiting, way in _backward(contract):
        if way:
            message = (
                f"cycle {' -> '.join((*way, waiting))} within one repeat; "
                f"say previous: true if '{waiting}' needs '{dependency.operator}' of the repeat before"
            )
            yield Fault(operator_cycle, path, message)


@rule("OPR-09", "operator-order", "An operator stands after those that it waits for.", on=CONTRACT)
def operator_order(contract: Contract) -> Iterator[Fault]:
    """The list is the program order in which ready tiles start: it follows the dependencies."""
    for path, dependency, waiting, way in _backward(contract):
        if not way:
            message = (
                f"'{waiting}' waits for '{dependency.operator}', which stands after it; "
                "list operators in the order in which they run, or say previous: true for the repeat before"
            )
            yield Fault(operator_order, path, message)


@rule("OPR-10", "previous-elsewhere", "Only an operator of the same block has a previous repeat.", on=CONTRACT)
def previous_elsewhere(contract: Contract) -> Iterator[Fault]:
    """Another block has all its repeats before or after; there is no repeat before this one in it."""
    for group, program in contract.programs.items():
        # Sets, made once: a task graph may have tens of thousands of operators.
        owned = [{operator.name for operator in block.operators} for block in program]
        names = set().union(*owned)
        for path, dependency, block in dependencies_of(contract, group):
            if dependency.previous and dependency.operator in names and dependency.operator not in owned[block]:
                message = (
                    f"'{dependency.operator}' is in another block, which has no repeat before this one; "
                    "remove previous to wait for its last repeat"
                )
                yield Fault(previous_elsewhere, (*path, "previous"), message, at_key=True)


@rule("OPR-11", "compute-time-unclear", "The compute time of a tile is stated in one way.", on=CONTRACT)
def time_unclear(contract: Contract) -> Iterator[Fault]:
    """Two statements of one time would contradict each other sooner or later."""
    for group in contract.programs:
        for path, operator in each_operator(contract, group):
            given = [key for key in ("compute_us", "compute_at", "efficiency") if _field(key) in operator.model_fields_set]
            if len(given) > 1:
                message = f"{' and '.join(given)} both state the compute time of a tile; keep one of them"
                yield Fault(time_unclear, (*path, given[1]), message, at_key=True)
            if isinstance(operator, ExplicitOperator) and not given:
                message = "stated tiles without a compute time; add compute_us, 0 if they only move bytes"
                yield Fault(time_unclear, path, message)
            if not isinstance(operator, OpaqueOperator):
                for index, first in repeats(operator.compute_at, lambda time: time.registers):
                    value = f"the time at {operator.compute_at[index].registers} registers"
                    yield Fault(time_unclear, (*path, "compute_at", index), repeated(value, first))


@rule("OPR-12", "forwarded-outside", "A forwarded tensor is produced and read by tiles of one program.", on=CONTRACT)
def forwarded_outside(contract: Contract) -> Iterator[Fault]:
    """Only tiles of the same launch can read what was never stored."""
    every = [operator.name for group in contract.programs for _, operator in operators_of(contract, group)]
    for group in contract.programs:
        placed = list(operators_of(contract, group))
        for path, operator in placed:
            if operator.forwarded and isinstance(operator, OpaqueOperator):
                message = f"'{operator.name}' is opaque and stores its output to memory; remove forwarded"
                yield Fault(forwarded_outside, (*path, "forwarded"), message)
            elif operator.forwarded:
                readers = [other for _, other in placed if operator.name in [dependency.operator for dependency in other.after]]
                yield from _unread(path, operator.name, group, readers)
    for index, name in enumerate(contract.storage.forwarded if contract.storage and contract.programs else ()):
        if name not in every:
            message = f"'{name}' is forwarded, but no operator of this entry's programs{nearest(name, every)}"
            yield Fault(forwarded_outside, ("storage", "forwarded", index), message)


def _unread(path: KeyPath, name: str, group: str, readers: Sequence[ShapedOperator | ExplicitOperator | OpaqueOperator]) -> Iterator[Fault]:
    opaque = [reader.name for reader in readers if isinstance(reader, OpaqueOperator)]
    if not readers:
        message = f"'{name}' is forwarded, but no operator of program '{group}' waits for it; remove forwarded, or add the dependency"
    elif opaque:
        message = f"'{name}' is forwarded, but '{opaque[0]}' is opaque and reads it from memory; remove forwarded"
    else:
        return
    yield Fault(forwarded_outside, (*path, "forwarded"), message)


@rule("OPR-13", "program-outside-members", "Programs belong to members of the entry.", on=CONTRACT)
def program_outside(contract: Contract) -> Iterator[Fault]:
    """An entry executes its members only."""
    for group in contract.programs:
        if group not in contract.members:
            message = f"a program for '{group}', which is no member of '{contract.entry}'{nearest(group, contract.members)}"
            yield Fault(program_outside, ("programs", group), message, at_key=True)


def _field(key: str) -> str:
    return "compute_ps" if key == "compute_us" else key


def _shaped(contract: Contract) -> Iterator[tuple[KeyPath, ShapedOperator]]:
    for group in contract.programs:
        for path, operator in each_operator(contract, group):
            if isinstance(operator, ShapedOperator):
                yield path, operator


def _backward(contract: Contract) -> Iterator[tuple[KeyPath, Dependency, str, tuple[str, ...]]]:
    """Yield dependencies on an operator that does not stand before, who waits, and the way from one to the other, if any."""
    for group, program in contract.programs.items():
        rank = {operator.name: number for number, (_, operator) in enumerate(operators_of(contract, group))}
        for path, dependency, number in dependencies_of(contract, group):
            waiting = program[number].operators[int(path[4])].name
            if not dependency.previous and rank.get(dependency.operator, -1) >= rank[waiting]:
                yield path, dependency, waiting, _way(program, waiting, dependency.operator)


def _way(program: Sequence[Block], start: str, goal: str) -> tuple[str, ...]:
    """Return the operators of a shortest way from *start* to *goal* along dependencies within one repeat."""
    waiting: dict[str, list[str]] = {}
    for block in program:
        for operator in block.operators:
            for dependency in operator.after:
                if not dependency.previous:
                    waiting.setdefault(dependency.operator, []).append(operator.name)
    ways: list[tuple[str, ...]] = [(start,)]
    seen = {start}
    for way in ways:
        if way[-1] == goal:
            return way
        onward = [name for name in dict.fromkeys(waiting.get(way[-1], ())) if name not in seen]
        seen.update(onward)
        ways.extend((*way, name) for name in onward)
    return ()
