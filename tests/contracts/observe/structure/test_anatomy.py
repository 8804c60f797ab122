"""What a trace is made of, where marks say it and where order alone does."""

from __future__ import annotations

from typing import Any

from megasolve.contracts.observe.observation import StepsBy
from megasolve.contracts.observe.structure.anatomy import Anatomy, anatomy
from megasolve.contracts.observe.structure.blocks import LayerBlock
from megasolve.contracts.observe.timelines.timeline import timeline
from megasolve.contracts.profiles import GraphNode, Kernel, LaunchCall
from tests.support.profiles.executions import execution, kernel, span

USUAL = StepsBy(is_usual=True)
LAYER = ["norm", "qkv", "attention", "mlp"]


def found(kernels: list[Kernel], steps: StepsBy = USUAL) -> Anatomy:
    """Return the anatomy of *kernels*."""
    of = execution(kernels)
    return anatomy(of, timeline(of), steps)


def launched(names: list[str], start_us: int = 0, **of_kernel: Any) -> list[Kernel]:
    return [kernel(name, start_us + 2 * place, 1, **of_kernel) for place, name in enumerate(names)]


def test_layers_repeat_in_a_step_that_a_mark_gives() -> None:
    mark = span("ProfilerStep#3", 0, 1000)
    kernels = [one._replace(ranges=(mark,)) for one in launched(["embed", *LAYER * 6, "head"])]
    ran = found(kernels)
    assert (ran.steps, ran.blocks, ran.before, ran.after) == (1, (LayerBlock(1, 4, 6),), 0, 0)


def test_steps_that_order_alone_tells_hold_layers() -> None:
    step = ["embed", *LAYER * 6, "head"]
    ran = found(launched(["encode", "prefill", "prefill_2", *step * 5, "decode", "write"]))
    assert (ran.steps_by.period, ran.steps, ran.before, ran.after) == (26, 5, 3, 2)
    assert ran.blocks == (LayerBlock(1, 4, 6),)


def test_replays_of_a_graph_are_steps_even_under_one_mark() -> None:
    mark = span("ProfilerStep#3", 0, 10_000)
    step = ["embed", *LAYER * 6, "head"]
    replays = [launched(step, 100 * (1 + number), graph=GraphNode(1), correlation=50 + number) for number in range(3)]
    kernels = [*launched(["encode", "text"]), *(one for replay in replays for one in replay), *launched(["decode"], 900)]
    ran = found([one._replace(ranges=(mark,)) for one in kernels])
    assert (ran.steps_by.replays, ran.steps, ran.before, ran.after) == (True, 3, 2, 1)


def test_a_layer_that_is_a_graph_of_its_own_is_no_step() -> None:
    layers = [launched(LAYER, 100 * number, graph=GraphNode(1), correlation=50 + number) for number in range(6)]
    ran = found([one for layer in layers for one in layer])
    assert (ran.steps_by.is_whole, ran.blocks) == (True, (LayerBlock(0, 4, 6),))


def test_what_repeats_alone_is_a_layer_and_no_step() -> None:
    ran = found(launched(["embed", *LAYER * 6, "head"]))
    assert (ran.steps_by.is_whole, ran.steps, ran.blocks) == (True, 1, (LayerBlock(1, 4, 6),))


def test_steps_that_are_stated_are_taken() -> None:
    ran = found(launched(LAYER * 6), StepsBy(period=4))
    assert (ran.steps, ran.blocks, ran.before, ran.after) == (6, (), 0, 0)


def two_streams(*, is_called: bool) -> list[Kernel]:
    """Return eight layers whose copy runs on a second stream: it starts before the attention, within it, or behind it."""
    kernels, at = [kernel("embed", 0, 5)], 6
    for layer in range(8):
        main = [("norm", at, 4), ("qkv", at + 5, 10), ("attention", at + 16, 8), ("mlp", at + 25, 7)]
        of_layer = [kernel(name, start, lasts) for name, start, lasts in main]
        of_layer.insert(2, kernel("copy", at + 15 + (0, 3, 9)[layer * layer % 7 % 3], 3, stream=13))
        kernels, at = [*kernels, *of_layer], at + 33
    kernels.append(kernel("head", at, 6))
    calls = [LaunchCall(number - 100, number - 99) for number in range(len(kernels))]
    return [one._replace(call=when) for one, when in zip(kernels, calls, strict=True)] if is_called else kernels


def test_layers_of_two_streams_repeat_in_the_order_in_which_the_host_called_for_them() -> None:
    ran = found(two_streams(is_called=True))
    assert ran.blocks == (LayerBlock(1, 5, 8),)
    assert ran.steps_by.order == "launch"
    assert [one.shape.name for one in ran.pattern[1:6]] == ["norm", "qkv", "copy", "attention", "mlp"]
    assert not ran.scattered


def test_what_breaks_the_layers_of_a_stream_is_named_where_nobody_knows_when_it_was_called_for() -> None:
    ran = found(two_streams(is_called=False))
    assert ran.steps_by.order == "start"
    assert "8 repeats of 4 kernels ('norm', 'qkv', 'attention', 'mlp'), and 'copy' of other streams start at another place" in ran.scattered


def test_the_nodes_of_a_graph_say_in_which_order_their_kernels_were_called_for() -> None:
    kernels = two_streams(is_called=False)
    call = LaunchCall(-10, -9)
    ran = found([one._replace(call=call, graph=GraphNode(1, number), correlation=5) for number, one in enumerate(kernels)])
    assert (ran.blocks, ran.steps_by.order) == ((LayerBlock(1, 5, 8),), "launch")


def test_one_stream_is_counted_as_its_kernels_start() -> None:
    ran = found([one for one in two_streams(is_called=True) if one.site.stream == 7])
    assert (ran.blocks, ran.steps_by.order) == ((LayerBlock(1, 4, 8),), "start")


def test_a_kernel_of_another_stream_that_breaks_up_few_layers_changes_no_order() -> None:
    kernels = [one for one in two_streams(is_called=True) if one.site.stream == 7]
    late = kernel("copy", 100, 1, stream=13, call=LaunchCall(-200, -199))
    ran = found(sorted([*kernels, late], key=lambda one: one.start_ps or 0))
    assert (ran.steps_by.order, ran.scattered) == ("start", "")
    assert sum(block.times for block in ran.blocks) >= 6
