"""What a profile has and a plan does not, as a spec says it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from ..model.spec import OutsideTime
from ..model.wording import counted
from ..observe.observation import Observation, ObservedGroup, Outside
from ..profiles.wording import shortened
from .runs import typical


def outside_times(observation: Observation, blocks: Sequence[str], step_ps: int, batch: int | None = None) -> Iterator[OutsideTime]:
    """Yield all that *observation* has and a plan, whose step takes *step_ps* with the repeats of *blocks*, does not.

    *batch* is said with each where a study has several, as each has a profile of its own.
    """
    of = "" if batch is None else f"batch {batch:,}: "
    beside = (_beside_time(group) for group in observation.groups if group.beside)
    beyond = _beyond_time(blocks, step_ps, typical(observation.span_samples_ps))
    for one in (*map(_outside_time, observation.outside), *beside, *beyond):
        yield one.model_copy(update={"what": f"{of}{one.what}"})


def _outside_time(waits: Outside) -> OutsideTime:
    """Return the entry of a spec for *waits*: the time of one, and how many there were."""
    several = "" if len(waits.times_ps) == 1 else f" ({counted(len(waits.times_ps), 'time')} in the profile, the lower median)"
    draft = {
        "what": f"a wait before '{shortened(waits.before, 60)}' that no launch costs{several}",
        "time_us": Decimal(waits.usual_ps).scaleb(-6),
        "because": waits.because,
    }
    return OutsideTime.model_validate(draft, by_alias=True, by_name=False)


def _beyond_time(blocks: Sequence[str], step_ps: int, span_ps: int) -> Iterator[OutsideTime]:
    """Yield what the repeats of *blocks* took in the profile beyond what a plan takes for them, if it is more."""
    if blocks and span_ps > step_ps:
        draft = {
            "what": f"what single repeats of {', '.join(blocks)} took beyond the usual one",
            "time_us": Decimal(span_ps - step_ps).scaleb(-6),
            "because": "each kernel of a repeat counts with its lower median over the repeats, and so does the gap before it",
        }
        yield OutsideTime.model_validate(draft, by_alias=True, by_name=False)


def _beside_time(group: ObservedGroup) -> OutsideTime:
    """Return the entry of a spec for a *group* that has no standalone time: what it took beside others."""
    others = ", ".join(group.beside)
    draft = {
        "what": f"group {group.group}, which ran only beside {others}",
        "time_us": Decimal(typical(group.samples_ps)).scaleb(-6),
        "because": f"none of its time is standalone, so it has no record: record {group.group} alone",
    }
    return OutsideTime.model_validate(draft, by_alias=True, by_name=False)
