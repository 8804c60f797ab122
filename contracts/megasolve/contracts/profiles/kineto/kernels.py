"""Kernels in order of start out of the events of a Kineto trace, with all that the rest of the trace says about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..execution import Dim3, GraphNode, Kernel, KernelShape, LaunchCall, Site
from .calls import CallRole, RuntimeCall
from .events import Form, Queue, Ran, TraceEvents
from .ranges import Ranges


class _Builder:
    """The shapes, sites and graph nodes of one trace, one object for equal ones."""

    def __init__(self, trace: TraceEvents) -> None:
        self._trace = trace
        self._launched = Counter(kernel.correlation for kernel in trace.kernels)
        self._shapes: dict[tuple[Form, bool], KernelShape] = {}
        self._sites: dict[Queue, Site] = {}
        self._nodes: dict[tuple[int | None, int | None], GraphNode] = {}
        self._calls: dict[int, LaunchCall] = {}

    def kernel(self, ran: Ran, ranges: Ranges, modules: tuple[str, ...]) -> Kernel:
        call = self._trace.call_of(ran)
        node = self._node(ran, call)
        return Kernel(
            self._shape(ran.form, in_work_items=call is not None and call.role is CallRole.LAUNCH_IN_WORK_ITEMS),
            self._site(ran.queue),
            ran.start_ps,
            ran.duration_ps,
            ran.row,
            ran.correlation,
            node,
            ranges,
            call=None if call is None else self._calls.setdefault(call.row, LaunchCall(call.start_ps, call.end_ps)),
            # A replay is called for by one operator, which is none of those that were captured.
            operator=None if node is not None else self._trace.operators.of(ran.external),
            modules=modules,
        )

    def _shape(self, form: Form, *, in_work_items: bool) -> KernelShape:
        shape = self._shapes.get((form, in_work_items))
        if shape is None:
            shape = self._shapes[form, in_work_items] = KernelShape(
                name=form.name,
                grid=_in_blocks(form.grid, form.block) if in_work_items else form.grid,
                block=form.block,
                registers=form.registers,
                shared_bytes=form.shared_bytes,
            )
        return shape

    def _site(self, queue: Queue) -> Site:
        site = self._sites.get(queue)
        if site is None:
            site = self._sites[queue] = Site(queue.device, queue.context, queue.stream, self._trace.process)
        return site

    def _node(self, ran: Ran, call: RuntimeCall | None) -> GraphNode | None:
        if ran.graph is None and ran.node is None and not self._is_of_graph(ran, call):
            return None
        key = ran.graph, ran.node
        return self._nodes.setdefault(key, GraphNode(*key))

    def _is_of_graph(self, ran: Ran, call: RuntimeCall | None) -> bool:
        """Tell by the launch call; where the file lacks it, several kernels of one launch can only be of a graph."""
        if call is not None:
            return call.role is CallRole.GRAPH_LAUNCH
        return ran.correlation is not None and self._launched[ran.correlation] > 1


def kernels_of(trace: TraceEvents, ranges: Sequence[Ranges], modules: Sequence[tuple[str, ...]]) -> tuple[Kernel, ...]:
    """Return the kernels of *trace* in order of start, equal starts in the order of the file."""
    builder = _Builder(trace)
    kernels = [builder.kernel(*ran) for ran in zip(trace.kernels, ranges, modules, strict=True)]
    return tuple(sorted(kernels, key=lambda kernel: kernel.start_ps or 0))


def _in_blocks(items: Dim3 | None, block: Dim3 | None) -> Dim3 | None:
    """Return the thread blocks of a grid that counts work items; unknown without the size of a block."""
    if items is None or block is None:
        return None
    x, y, z = (-(-size // of) for size, of in zip(items, block, strict=True))
    return x, y, z
