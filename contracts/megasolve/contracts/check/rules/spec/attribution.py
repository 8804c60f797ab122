"""Rules for how a spec tells the kernels of its profiles apart."""

from __future__ import annotations

from collections.abc import Iterator

from ....model.closest import nearest
from ....model.findings import Fault
from ....model.rules import rule
from ....model.spec import Spec
from ...subjects import SPEC
from ..walking import one_by_one, repeats


@rule("SPC-17", "attribution-unclear", "Attribution names groups of the spec, each once; at most one takes the rest.", on=SPEC)
def attribution_unclear(spec: Spec) -> Iterator[Fault]:
    """A kernel belongs to one group; what no pattern claims can go to one group only."""
    declared = () if spec.attribution is None else spec.attribution.groups
    names = [group.name for group in spec.groups]
    for index, one in one_by_one(declared):
        if one.group not in names:
            message = f"'{one.group}' is no group of spec '{spec.name}'{nearest(one.group, names)}"
            yield Fault(attribution_unclear, ("attribution", "groups", index, "group"), message)
    for index, first in repeats(declared, lambda one: one.group):
        message = f"'{declared[index].group}' is number {first + 1} of the list already; write its patterns together"
        yield Fault(attribution_unclear, ("attribution", "groups", index, "group"), message)
    rests = [index for index, one in enumerate(declared) if not (one.ranges or one.names or one.part or one.at)]
    for index in rests[1:]:
        message = (
            f"'{declared[index].group}' has no pattern, as '{declared[rests[0]].group}', which takes what is left; give one of the two "
            "ranges or names"
        )
        yield Fault(attribution_unclear, ("attribution", "groups", index), message)
