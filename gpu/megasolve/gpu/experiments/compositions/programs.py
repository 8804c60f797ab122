"""The programs of a launch plan, verified before anything is launched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from megasolve.contracts import Contract, Study
from megasolve.simulate.tiles.program import TileProgram

from ...errors import GpuError
from ...programs.executions import tile_programs
from ...programs.group_calls import Streams
from ...programs.instructions import InstructionProgram
from ...programs.operands import entry_operations
from ...programs.verify import ProgramGrid, faults
from ...workloads.streamlet.model import Model
from ...workloads.streamlet.persistent import compile_program
from .candidates import contracts_of
from .launch_plan import PlannedLaunch

_MOST_NAMED = 3


class NotSound(GpuError):
    """A composition that must not be launched; the message names the first faults."""


def compiled_programs(study: Study, model: Model, plan: Sequence[PlannedLaunch]) -> dict[Streams, InstructionProgram]:
    """Return the program of every persistent launch by its streams; launches that are pools of the same streams share one.

    Raises
    ------
    GpuError
        A call has no program, or the model has no room for it.
    """
    made: dict[Streams, InstructionProgram] = {}
    for streams, launches in _by_streams(plan).items():
        tiles: dict[str, TileProgram] = {}
        for launch in launches:
            # A persistent region is one entry.
            (contract,) = contracts_of(study, launch.region)
            found = tile_programs(study, contract, model.sizes.batch, launch.ctas)
            tiles |= {call.group: found[call.group] for call in launch.calls}
        made[streams] = compile_program(model, study.spec.value, tiles, streams)
    return made


def require_sound(
    study: Study, model: Model, plan: Sequence[PlannedLaunch], programs: Mapping[Streams, InstructionProgram], resident: Mapping[str, int]
) -> None:
    """Prove that every program of *plan* finishes and that no tiles of it race.

    Parameters
    ----------
    resident
        By entry, how many of its CTAs the device holds at once.

    Raises
    ------
    NotSound
        Something of it does not hold.
    """
    for streams, launches in _by_streams(plan).items():
        contracts = [contract for launch in launches for contract in contracts_of(study, launch.region)]
        operations = frozenset().union(*(entry_operations(contract) for contract in contracts))
        grid = _grid(launches, contracts, resident)
        found = [str(fault) for fault in faults(programs[streams], model.layout, grid, operations)]
        if found:
            more = f"; and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
            raise NotSound(f"{' beside '.join(map(str, launches))} must not be launched: {'; '.join(found[:_MOST_NAMED])}{more}")


def _by_streams(plan: Sequence[PlannedLaunch]) -> dict[Streams, list[PlannedLaunch]]:
    found: dict[Streams, list[PlannedLaunch]] = {}
    for launch in _persistent(plan):
        found.setdefault(launch.streams, []).append(launch)
    return found


def _persistent(plan: Sequence[PlannedLaunch]) -> Iterator[PlannedLaunch]:
    return (launch for launch in plan if launch.region.is_persistent)


def _grid(launches: Sequence[PlannedLaunch], contracts: Sequence[Contract], resident: Mapping[str, int]) -> ProgramGrid:
    """Return the grid of one launch; of two beside each other the one that they make up, as both are resident as a whole."""
    cooperative = all(contract.launch.cooperative for contract in contracts)
    if len(launches) == 1:
        (launch,) = launches
        x_ctas = launch.ctas if launch.pool == "x" else launch.x_ctas
        return ProgramGrid(launch.ctas, resident[contracts[0].entry], x_ctas, cooperative=cooperative)
    both = sum(launch.ctas for launch in launches)
    return ProgramGrid(both, both, next(launch.ctas for launch in launches if launch.pool == "x"), cooperative=cooperative)
