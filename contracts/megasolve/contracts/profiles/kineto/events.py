"""The events of a Kineto trace, taken one by one as they are read; what no import needs is forgotten at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from ..execution import Dim3, Interval, Span
from .calls import CAPTURE_MARKS, CallRole, RuntimeCall, role_of
from .fields import NegativeDuration, arguments, dim3, interval_ps, name_of, positive, whole
from .operators import MODULE_MARK, Operators, external_id
from .vendor import Vendor, vendor_of_arguments, vendor_of_call

STEP_MARK = "ProfilerStep#"

NOT_COLLECTED = "kernels not collected (start and duration 0)"
NOT_COMPLETE = "kernel events other than complete ones (ph X)"
COPIES = "memory copies and sets"
UNFINISHED = "annotations and overheads of negative duration"

Event = Mapping[str, Any]


class Spliced(Exception):
    """An event shows that the traces of two processes were written into one file; the message says which and why."""


class Form(NamedTuple):
    """What a kernel was launched as, as the event says it."""

    name: str
    grid: Dim3 | None
    block: Dim3 | None
    registers: int | None
    shared_bytes: int | None


class Queue(NamedTuple):
    """Where a kernel ran: a stream of a context of a device."""

    device: int | None
    context: int | None
    stream: int | None


class Ran(NamedTuple):
    """One kernel event; equal forms and queues are one object."""

    row: int
    form: Form
    queue: Queue
    start_ps: int
    duration_ps: int
    correlation: int | None
    graph: int | None
    node: int | None
    external: int | None = None


class DeviceRange(NamedTuple):
    """The mirror of a host annotation on one stream: from the first to the last kernel that was launched in it there."""

    name: str
    external: int | None
    stream: tuple[int | None, int | None]
    start_ps: int
    end_ps: int


class TraceEvents:
    """Everything that was taken so far. A trace is of one process, so correlation numbers need no process beside them."""

    def __init__(self) -> None:
        self.kernels: list[Ran] = []
        self.calls: dict[int, RuntimeCall] = {}
        self.capture_marks: list[RuntimeCall] = []
        self.conditional_row: int | None = None
        self.annotations: list[Span] = []
        self.annotation_ids: dict[tuple[str, int], Span] = {}
        self.device_ranges: list[DeviceRange] = []
        self.overheads: list[Span] = []
        self.windows_ps: list[tuple[int, int]] = []
        self.process: int | None = None
        self.ends_ps = 0
        self.rows = 0
        self.categories: set[str] = set()
        self.vendors: set[Vendor] = set()
        self.dropped: Counter[str] = Counter()
        self.copies: list[Interval] = []
        self.synchronizations: list[Interval] = []
        self.operators = Operators()
        self._process_row = 0
        self._forms: dict[Form, Form] = {}
        self._queues: dict[Queue, Queue] = {}
        self._takers = self._by_category()

    def take(self, event: object) -> None:
        """Take one more event.

        Raises
        ------
        ValueError
            The event is none, or a field that matters is missing or of no known form.
        Spliced
            It is of another process than the events before it.
        """
        self.rows += 1
        if not isinstance(event, dict):
            raise ValueError("is no object")
        category = event.get("cat")
        if not isinstance(category, str):
            return
        self.categories.add(category)
        taker = self._takers.get(category)
        if taker is None:
            return
        if event.get("ph") == "X":
            taker(event)
        elif taker == self._take_kernel:
            self.dropped[NOT_COMPLETE] += 1

    def call_of(self, kernel: Ran) -> RuntimeCall | None:
        """Return the call that launched *kernel*, where it is in the file."""
        return None if kernel.correlation is None else self.calls.get(kernel.correlation)

    def _by_category(self) -> dict[str, Callable[[Event], None]]:
        """Return who takes events of which category, over all ages of the format."""
        return {
            **dict.fromkeys(("kernel", "Kernel"), self._take_kernel),
            **dict.fromkeys(("gpu_memcpy", "gpu_memset", "Memcpy", "Memset"), self._take_copy),
            **dict.fromkeys(("cuda_runtime", "cuda_driver", "Runtime"), self._take_call),
            **dict.fromkeys(("xpu_runtime", "xpu_driver", "privateuse1_runtime", "privateuse1_driver"), self._take_call),
            **dict.fromkeys(("cpu_op", "Operator"), self._take_operator),
            "python_function": self._take_function,
            "user_annotation": self._take_annotation,
            "gpu_user_annotation": self._take_device_range,
            "overhead": self._take_overhead,
            "Trace": self._take_window,
        }

    def _take_kernel(self, event: Event) -> None:
        start_ps, duration_ps = interval_ps(event)
        if start_ps == duration_ps == 0:
            self.dropped[NOT_COLLECTED] += 1
            return
        details = arguments(event)
        self._note_vendor(vendor_of_arguments(details))
        ran = Ran(
            self.rows,
            self._form(event, details),
            self._queue(event, details),
            start_ps,
            duration_ps,
            positive(details.get("correlation")),
            positive(details.get("graph id")),
            positive(details.get("graph node id")),
            external_id(details),
        )
        self.kernels.append(ran)
        self._note_end(start_ps + duration_ps)

    def _form(self, event: Event, details: Event) -> Form:
        form = Form(
            name_of(event),
            dim3(details.get("grid"), "grid"),
            dim3(details.get("block"), "block"),
            positive(details.get("registers per thread")),
            whole(details.get("shared memory")),
        )
        return self._forms.setdefault(form, form)

    def _queue(self, event: Event, details: Event) -> Queue:
        device, stream = whole(details.get("device")), whole(details.get("stream"))
        queue = Queue(
            whole(event.get("pid")) if device is None else device,
            whole(details.get("context")),
            whole(event.get("tid")) if stream is None else stream,
        )
        return self._queues.setdefault(queue, queue)

    def _take_copy(self, event: Event) -> None:
        self.dropped[COPIES] += 1
        # No kernel: one whose time cannot be read is only not known to have filled an idle time.
        with suppress(ValueError):
            start_ps, duration_ps = interval_ps(event)
            self.copies.append(Interval(start_ps, start_ps + duration_ps, self._queue(event, arguments(event)).device))

    def _take_call(self, event: Event) -> None:
        self._require_process(event)
        name = name_of(event)
        self._note_vendor(vendor_of_call(name))
        role = role_of(name)
        if role is CallRole.SILENT:
            return
        if role is CallRole.SYNCHRONIZATION:
            with suppress(ValueError):
                start_ps, duration_ps = interval_ps(event)
                self.synchronizations.append(Interval(start_ps, start_ps + duration_ps))
            return
        start_ps, duration_ps = interval_ps(event)
        details = arguments(event)
        kernel = details.get("kernel") if isinstance(details.get("kernel"), str) else None
        call = RuntimeCall(self.rows, start_ps, start_ps + duration_ps, whole(event.get("tid")), role, external_id(details), kernel)
        self._note_end(call.end_ps)
        if role is CallRole.CONDITIONAL and self.conditional_row is None:
            self.conditional_row = self.rows
        if role in CAPTURE_MARKS:
            self.capture_marks.append(call)
        elif (correlation := positive(details.get("correlation"))) is not None:
            self._keep_call(correlation, call)

    def _note_vendor(self, vendor: Vendor | None) -> None:
        if vendor is not None:
            self.vendors.add(vendor)

    def _note_end(self, end_ps: int) -> None:
        if end_ps > self.ends_ps:
            self.ends_ps = end_ps

    def _keep_call(self, correlation: int, call: RuntimeCall) -> None:
        earlier = self.calls.setdefault(correlation, call)
        is_nested = earlier.thread == call.thread and earlier.start_ps <= call.end_ps and call.start_ps <= earlier.end_ps
        if not is_nested:
            raise Spliced(f"has the correlation {correlation} of event {earlier.row:,}, a call at another time")

    def _take_operator(self, event: Event) -> None:
        self._require_process(event)
        # In 2021 the marks of steps were operators.
        if str(event.get("name")).startswith(STEP_MARK):
            self._take_annotation(event)
        else:
            self.operators.take(event)

    def _take_function(self, event: Event) -> None:
        if str(event.get("name")).startswith(MODULE_MARK) and (span := self._span(event)) is not None:
            self.operators.modules.append(span._replace(name=span.name.removeprefix(MODULE_MARK)))

    def _require_process(self, event: Event) -> None:
        process = whole(event.get("pid"))
        if self.process is None:
            self.process, self._process_row = process, self.rows
        elif process not in {None, self.process}:
            raise Spliced(f"is of process {process}, event {self._process_row:,} of process {self.process}")

    def _take_annotation(self, event: Event) -> None:
        span = self._span(event)
        if span is None:
            return
        self.annotations.append(span)
        external = whole(arguments(event).get("External id"))
        if external is not None:
            self.annotation_ids[span.name, external] = span

    def _take_device_range(self, event: Event) -> None:
        span = self._span(event)
        if span is not None:
            external = whole(arguments(event).get("External id"))
            self.device_ranges.append(DeviceRange(span.name, external, (span.process, span.thread), span.start_ps, span.end_ps))

    def _take_overhead(self, event: Event) -> None:
        span = self._span(event)
        if span is not None:
            self.overheads.append(span)

    def _span(self, event: Event) -> Span | None:
        try:
            start_ps, duration_ps = interval_ps(event)
        except NegativeDuration:
            # PyTorch writes -1 for what was still open when the trace stopped: not worth the whole trace.
            self.dropped[UNFINISHED] += 1
            return None
        return Span(name_of(event), start_ps, start_ps + duration_ps, whole(event.get("pid")), whole(event.get("tid")))

    def _take_window(self, event: Event) -> None:
        start_ps, duration_ps = interval_ps(event)
        self.windows_ps.append((start_ps, start_ps + duration_ps))
