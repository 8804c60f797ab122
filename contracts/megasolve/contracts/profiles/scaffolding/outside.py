"""What a profile has and a plan does not, as a spec says it."""

from __future__ import annotations

from decimal import Decimal

from ...spec import OutsideTime
from ..observing.observation import Outside
from ..wording import counted, shortened


def outside_time(waits: Outside) -> OutsideTime:
    """Return the entry of a spec for *waits*: the time of one, and how many there were."""
    several = "" if len(waits.times_ps) == 1 else f" ({counted(len(waits.times_ps), 'time')} in the profile, the lower median)"
    draft = {
        "what": f"a wait before '{shortened(waits.before, 60)}' that no launch costs{several}",
        "time_us": Decimal(waits.usual_ps).scaleb(-6),
        "because": waits.because,
    }
    return OutsideTime.model_validate(draft, by_alias=True, by_name=False)
