"""From a composition to its event graph (paper, section IV-C; design: *Event graph*).

COMPACT lowering folds every stretch that has nothing beside it into one node: all before step r, and what is left of the
longer side after the shorter one has ended. FULL lowering has a node per kernel, launch and step, for timelines and tests.
Both give the same score.

What folding rests on: at most two memory tasks run at once, each demands at most B, so no task is slowed more than
twofold; whatever starts later than twice the other side's standalone time after both have begun runs alone.
"""

from __future__ import annotations

from ...events.graph import EventGraph
from ...plan.sharing import Sharing
from ..composition import Composition
from ..occurrences import publication_blocks
from .beside import lower_partition
from .inside import lower_inside
from .splits import lower_dynamic, lower_fixed
from .streams import lower_streams
from .writer import Ahead, Detail, Writer


def lower(
    composition: Composition, *, detail: Detail = Detail.COMPACT, serialized: bool = False, ahead: Ahead | None = None, load_steps: int = 0
) -> EventGraph:
    """Return the event graph of the first publication; *serialized* chains all nodes in program order (`no_overlap`).

    With *ahead*, a split begins when host and device are free at these times, whatever ran before it. The producers go on for *load_steps*
    steps behind step h, if two sides run beside each other: load that nothing waits for.
    """
    writer = Writer(composition, detail=detail, serialized=serialized, ahead=ahead)
    if composition.sharing is Sharing.SERIAL:
        return writer.build(_lower_serial(writer))
    if composition.sharing is Sharing.INSIDE:
        return writer.build(lower_inside(writer))
    lowerings = {Sharing.FIXED: lower_fixed, Sharing.DYNAMIC: lower_dynamic, Sharing.PARTITION: lower_partition}
    lowerings[Sharing.STREAMS] = lower_streams
    return writer.build(lowerings[composition.sharing](writer, load_steps))


def _lower_serial(writer: Writer) -> int:
    writer.serial(publication_blocks(writer.composition))
    return writer.publish(*writer.device)
