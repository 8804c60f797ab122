"""Rules for the second stream of a spec, and for the threads of the host that issue launches."""

from __future__ import annotations

from collections.abc import Iterator

from ....graph.dependences import dependences_of
from ....model.closest import nearest
from ....model.findings import Fault
from ....model.rules import rule
from ....model.spec import GroupRole, Spec
from ...subjects import SPEC
from ..walking import repeats
from ..wording import listed, repeated

_SIDES: tuple[GroupRole, ...] = ("producer", "consumer")


@rule("SPC-20", "streams-unlisted", "What a second stream is like is said where the policy `streams` is listed.", on=SPEC)
def streams_unlisted(spec: Spec) -> Iterator[Fault]:
    """The policy is off unless it is listed, each way of waiting is tried once, and two streams inside of a role need two groups apart."""
    if "streams" in spec.model_fields_set and "streams" not in spec.policies:
        message = "streams without the policy; add 'streams' to policies, which is off by default, or remove the key"
        yield Fault(streams_unlisted, ("streams",), message, at_key=True)
    for index, first in repeats(spec.streams.waits_for):
        yield Fault(streams_unlisted, ("streams", "waits_for", index), repeated(f"'{spec.streams.waits_for[index]}'", first))
    depends = dependences_of(spec)
    if spec.streams.inside and not any(map(depends.apart, range(len(depends.groups)))):
        message = (
            "of any two groups of one role one runs before the other, so nothing can fork; add edges that leave two apart, or say false"
        )
        yield Fault(streams_unlisted, ("streams", "inside"), message)


@rule("SPC-21", "host-threads", "One thread of the host issues each group, and one each side.", on=SPEC)
def host_threads(spec: Spec) -> Iterator[Fault]:
    """A thread issues whole sides: what is handed from thread to thread inside a step is not modelled."""
    names = [group.name for group in spec.groups]
    issued: dict[str, str] = {}
    for host, groups in spec.hosts.items():
        for index, group in enumerate(groups):
            path = ("hosts", host, index)
            if group not in names:
                yield Fault(host_threads, path, f"'{group}' is no group of this spec{nearest(group, names)}")
            elif group in issued:
                yield Fault(host_threads, path, f"'{group}' is issued by '{issued[group]}' already; one thread issues a group: remove one")
            issued.setdefault(group, host)
    missing = [name for name in names if name not in issued]
    if spec.hosts and missing:
        yield Fault(
            host_threads, ("hosts",), f"no thread issues {listed(missing)}; add each to one of {listed(list(spec.hosts))}", at_key=True
        )
    for role in _SIDES:
        threads = dict.fromkeys(issued[group.name] for group in spec.groups_of(role) if group.name in issued)
        if len(threads) > 1:
            message = f"the {role} groups are issued by {listed(list(threads))}; let one thread issue all of a side"
            yield Fault(host_threads, ("hosts",), message, at_key=True)
