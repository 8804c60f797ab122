"""Random words of the command line: what the commands know by themselves, what people mistype, and what nobody means."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import click

from megasolve.cli.app import program
from tests.fuzz.drawn.odd_values import odd_number, odd_text
from tests.fuzz.drawn.random_models import Files
from tests.fuzz.drawn.studies import small_study
from tests.fuzz.drawn.tree_mutations import OPERATIONS

PATHS = ("spec.yaml", "h100.yaml", "contracts/talker.yaml", "contracts", ".", "trace.json", "records.yaml", "none.yaml", "-", "")
NUMBERS = ("1", "1", "1", "0", "-1", "2", "132", "999999999999", "1.5", "")
VALUES = ("P", "m:P@serial", "h100", "h100.yaml", "whole", "period:auto", "marks:*", "talker", "88/44", "bf16", "P:admission=names:*", "B")
# No word leaves the folder of an input: what a command may write is named by these alone.
WRITTEN = ("out.json", "out.yaml", "out.jsonl", "spec.yaml", "none/out.json", ".", "contracts", "", "made.yaml", "x" * 300 + ".yaml", "-")
LIKELY = {
    "output": WRITTEN,
    "folder": WRITTEN,
    "spec": ("spec.yaml", "spec.yaml", "spec.yaml", "-", "made.yaml", "trace.json"),
    "paths": ("spec.yaml", ".", "contracts", "h100.yaml", "records.yaml", "contracts/talker.yaml"),
    "files": ("trace.json", "trace.json", "spec.yaml", "none.json"),
    "profiles": ("trace.json", "trace.json", "records.yaml"),
    "more": ("trace.json", "h100.yaml"),
    "candidate_id": ("m:P@serial", "c:P@serial", "m:P", "serial"),
    "candidates": ("m:P@serial", "c:P@serial", "m:P", "serial"),
    "name": ("worked_example", "nh_tts", "nope"),
    "device": ("h100.yaml", "h100_nvl", "h100", "none"),
    "steps": ("whole", "period:auto", "period:2", "marks:*", "often"),
    "groups": ("P", "P:admission=names:*", "A=ranges:Pro*", "B:consumer"),
    "entries": ("talker", "none"),
    "splits": ("88/44", "132/0", "1"),
}


def study_and_trace(random: Random) -> Files:
    """Return the files that the words may name."""
    from tests.fuzz.drawn.profiles import kineto

    trace = kineto(random)
    return {**small_study(random), "trace.json": trace.get("trace.json", {})}


def drawn_words(random: Random) -> tuple[str, ...]:
    """Return the words of one command, perhaps misspelt, doubled, left out or exchanged."""
    command = random.choice([*program.commands])
    words = [command, *_arguments(random, program.commands[command])]
    for _ in range(random.choice((0, 0, 0, 0, 1, 2, 4))):
        words = _mistyped(random, words)
    if random.random() < 0.1:
        words = words[1:]
    # Whatever else it is asked for, nothing is compiled and launched here.
    return tuple([*words, "--dry-run"] if "measure" in words else words)


def _arguments(random: Random, command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            for _ in range(random.choice((1, 1, 1, 0, 2)) if parameter.nargs == -1 else 1):
                yield _value(random, parameter)
        elif random.random() < (0.9 if parameter.required else 0.15):
            yield from _option(random, parameter)


def _option(random: Random, option: click.Parameter) -> Iterator[str]:
    name = random.choice([*option.opts, *option.secondary_opts])
    if isinstance(option, click.Option) and (option.is_flag or option.count):
        yield name
    elif name.startswith("--") and random.random() < 0.3:
        yield f"{name}={_value(random, option)}"
    else:
        yield from (name, _value(random, option))


def _value(random: Random, parameter: click.Parameter) -> str:
    draw = random.random()
    if draw < 0.1:
        return _harmless(random)
    if isinstance(parameter.type, click.Choice):
        return str(random.choice([*parameter.type.choices]))
    if draw < 0.8:
        return random.choice(LIKELY.get(parameter.name or "", NUMBERS if isinstance(parameter.type, click.types.IntParamType) else VALUES))
    return random.choice((*PATHS, *VALUES, *NUMBERS))


def _mistyped(random: Random, words: list[str]) -> list[str]:
    index = random.randrange(len(words) + 1)
    before, after = words[:index], words[index:]
    draw = random.randrange(6)
    if not after or draw == 0:
        return [*before, _harmless(random), *after]
    match draw:
        case 1:
            return [*before, *after[1:]]
        case 2:
            return [*before, after[0], *after]
        case 3:
            return random.sample(words, len(words))
        case 4:
            return [
                *before,
                random.choice(("--help", "-h", "--", "--version", "--debug", "--color", "-o", "--format", "-x", "--nope")),
                *after,
            ]
    changed = OPERATIONS["respell"]([after[0]], random)
    assert isinstance(changed, list)
    slip = str(changed[0])
    return [*before, _without_ways_out(slip), *after[1:]]


def _harmless(random: Random) -> str:
    return _without_ways_out(odd_text(random) if random.random() < 0.7 else str(odd_number(random))[:400])


def _without_ways_out(word: str) -> str:
    """Return *word* as a command line can hold it, and as no path that leads out of the folder."""
    word = word.replace("\x00", "0").encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
    return word.replace("..", "_").lstrip("/")
