"""Derived service times: what a call takes by the program in its contract, for where nobody timed it (paper, section IV-B)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from megasolve.contracts import Contract, Device, JsonObject, MegasolveError, Spec, Study
from megasolve.contracts.model.programs.operators import OpaqueOperator, Operator, ShapedOperator
from megasolve.contracts.sizes.symbols import symbol_values
from megasolve.simulate.expand.expansion import expand
from megasolve.simulate.expand.geometry import choose_geometry
from megasolve.simulate.expand.setup import Mechanisms, device_rates, tile_machine
from megasolve.simulate.tiles.bounds import LowerBounds, bounds_of, queued_bytes
from megasolve.simulate.tiles.machine import TileMachine
from megasolve.simulate.tiles.outcome import TileDeadlock
from megasolve.simulate.tiles.program import TileProgram, scaled
from megasolve.simulate.tiles.scheduler import schedule_tables
from megasolve.simulate.tiles.tables.tables import tables_of

from .cache import digest
from .derived import Derived, NotDerived
from .facts import exactly, fractions, text, texts, whole

Factors = Mapping[str, Fraction]

# What the expansion and the scheduler never look at; everything else decides a derived time.
_IRRELEVANT_TO_PROGRAMS = frozenset(
    {"title", "notes", "ignore", "order", "implementation", "dispatch", "policies", "partition", "placement", "build", "source"}
)
_IRRELEVANT_TO_TILES = frozenset({"name", "title", "ignore", "sources", "launch", "partition", "clusters"})


@dataclass(frozen=True, slots=True, eq=False)
class Same:
    """A model that is equal to no other one, so that it can be looked up without comparing all that it holds."""

    model: Contract | Device

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.model is other.model

    def __hash__(self) -> int:
        return id(self.model)


# A contract is asked for at each of its budgets and batches.
@lru_cache(maxsize=512)
def _dumped(one: Same, irrelevant: frozenset[str]) -> JsonObject:
    return one.model.model_dump(mode="json", by_alias=True, exclude=set(irrelevant))


# Without slots, so that its digest is computed once.
@dataclass(frozen=True)
class TiledCall:
    """One call of *group* in *contract* by *workers* CTAs; *symbols* has the sizes of every member that has a program."""

    contract: Contract
    device: Device
    group: str
    workers: int
    symbols: Mapping[str, Mapping[str, int]]

    @cached_property
    def tiles(self) -> str:
        """The digest of everything that decides its tiles: all but how many workers it has, unless an operator looks at them."""
        operators = (operator for block in self.contract.programs.get(self.group, ()) for operator in block.operators)
        return digest(
            {
                "contract": _dumped(Same(self.contract), _IRRELEVANT_TO_PROGRAMS),
                "device": _dumped(Same(self.device), _IRRELEVANT_TO_TILES),
                "group": self.group,
                "workers": self.workers if any(map(_counts_workers, operators)) else None,
                "symbols": {member: dict(values) for member, values in self.symbols.items()},
            }
        )


def _counts_workers(operator: Operator) -> bool:
    """Return whether the tiles of *operator* are others on other workers: opaque ones slow by waves, and a library fills the device."""
    return isinstance(operator, OpaqueOperator) or (isinstance(operator, ShapedOperator) and operator.library)


def call_of(study: Study, contract: Contract, group: str, *, budget_ctas: int, batch: int, shapes: Mapping[str, int]) -> TiledCall:
    """Return the call of *group* with *shapes* in *contract*; kernels of the conventional backend fill their SMs."""
    device = study.device.value
    workers = budget_ctas if contract.backend == "megakernel" else budget_ctas * contract.launch.ctas_per_sm
    # Two groups of one region share its geometry, so the sizes of all members count.
    symbols = {member: dict(_symbols(study.spec.value, member, batch)) for member in contract.programs}
    return TiledCall(contract, device, group, workers, {**symbols, group: {**symbols.get(group, {}), **shapes}})


def _symbols(spec: Spec, member: str, batch: int) -> dict[str, int]:
    window = next((group.left_context_frames for group in spec.groups if group.name == member), None)
    frames = spec.stream.first_chunk if spec.stream and window is not None else None
    return symbol_values(spec, member, batch, frames)


def derive(call: TiledCall, mechanisms: Mechanisms | None = None, factors: Factors | None = None) -> Derived | NotDerived:
    """Return what *call* takes by its program, or why that cannot be said.

    Parameters
    ----------
    mechanisms
        The mechanisms of paper, Table I, that are on; all by default.
    factors
        By operator, what its compute times are multiplied by (see `calibrate`).
    """
    enabled = Mechanisms() if mechanisms is None else mechanisms
    try:
        program = program_of(call, enabled, factors or {})
    except MegasolveError as error:
        return NotDerived(str(error))
    return timed(program, machine_of(call, enabled), factors or {})


def machine_of(call: TiledCall, mechanisms: Mechanisms) -> TileMachine:
    """Return what the tiles of *call* run on."""
    return tile_machine(call.contract, call.device, call.workers, mechanisms)


def program_of(call: TiledCall, mechanisms: Mechanisms, factors: Factors) -> TileProgram:
    """Return the tiles of *call*; *factors* scale what a tile computes, not what it pays for waiting.

    Raises
    ------
    MegasolveError
        The program cannot be expanded.
    """
    program = _expanded(_Expansion(call.tiles, mechanisms, call))
    return scaled(program, factors) if factors else program


@dataclass(frozen=True, slots=True)
class _Expansion:
    """What is expanded: the same as another one where all that decides the tiles is the same."""

    tiles: str
    mechanisms: Mechanisms
    call: TiledCall = field(compare=False)


# The budgets of an entry follow each other.
@lru_cache(maxsize=1)
def _expanded(asked: _Expansion) -> TileProgram:
    call, mechanisms = asked.call, asked.mechanisms
    rates = device_rates(call.contract, call.device, call.workers)
    geometry = choose_geometry(call.contract, call.symbols, rates, mechanisms)
    return expand(call.contract, call.group, call.symbols[call.group], rates, mechanisms, geometry=geometry, members=call.symbols)


def timed(program: TileProgram, machine: TileMachine, factors: Factors) -> Derived | NotDerived:
    """Return what *program* takes on *machine*."""
    tables = tables_of(program, machine)
    schedule = schedule_tables(tables)
    if isinstance(schedule, TileDeadlock):
        return NotDerived(f"its tile schedule stops: {schedule.waiting[0]}")
    if not schedule.makespan_ps:
        return NotDerived("its program takes no time at all: no operator computes or moves anything")
    hbm_bytes = queued_bytes(program)
    used = {name for section, _ in program.sections for name in section.operators} & set(factors)
    return Derived(
        duration_ps=schedule.makespan_ps,
        hbm_bytes=hbm_bytes,
        bounds=bounds_of(tables, hbm_bytes),
        tiles=program.tile_count,
        workers=machine.workers,
        folded=schedule.folded,
        never_staged=schedule.never_staged,
        factors=tuple((operator, factors[operator]) for operator in sorted(used)),
    )


def derived_facts(derived: Derived | NotDerived) -> JsonObject:
    """Return *derived* as plain values, for the cache."""
    if isinstance(derived, NotDerived):
        return asdict(derived)
    return {**asdict(derived), "factors": {operator: str(factor) for operator, factor in derived.factors}}


def derived_from(facts: JsonObject) -> Derived | NotDerived:
    """Return what `derived_facts` wrote.

    Raises
    ------
    ValueError
        These are no such facts.
    """
    if "reason" in facts:
        return NotDerived(text(exactly(facts, _names(NotDerived))["reason"]))
    exactly(facts, _names(Derived))
    bounds = exactly(facts["bounds"], _names(LowerBounds))
    return Derived(
        duration_ps=whole(facts["duration_ps"], 1),
        hbm_bytes=whole(facts["hbm_bytes"]),
        bounds=LowerBounds(**{name: whole(bound) for name, bound in bounds.items()}),
        tiles=whole(facts["tiles"], 1),
        workers=whole(facts["workers"], 1),
        folded=whole(facts["folded"]),
        never_staged=texts(facts["never_staged"]),
        factors=fractions(facts["factors"]),
    )


def _names(kind: type[Any]) -> list[str]:
    return [one.name for one in fields(kind)]
