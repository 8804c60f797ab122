"""Odd values: what nobody writes on purpose, and what a program must still answer in one clear line."""

from __future__ import annotations

from random import Random

from tests.fuzz.drawn.trees import Tree

NUMBERS: tuple[Tree, ...] = (
    0, 1, 2, -1, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 10**12, 10**18, 10**30,
    10**400, -(2**63), -(10**30), 0.0, -0.0, 0.5, 1.5, 0.000001, 0.0000001, 1e-12, 1e-320, 1e12, 1e15, 1e22, 1e308, float("inf"),
    float("-inf"), float("nan"), 12.3456789, 132.0,
)  # fmt: skip
TEXTS: tuple[str, ...] = (
    "", " ", "0", "1", "-1", "1e9", "1_000", "0x10", "007", "12 us", "0.276 ms", "3.9 TB/s", "240 KiB", "true", "null", "~", "nan",
    ".inf", "P",
    "*", "**/*", "../*", "/", ".", "..", "a/b", "a\nb", "a\tb", "a\x00b", "a\x1b[31mb", "\ufeff", "\u202egnp", "é", "日本", "🚀", "\ud800",
    "{}", "[]", "{{", "%s", "%(x)s", "$HOME", "`id`", "=1+1", "-o", "--help", "batch", "layers // 0", "2 ** 99999", "min()", "(" * 60,
    "1 + " * 80 + "1", "x" * 65, "x" * 300, "y" * 20000, "m:P@serial", "2026-13-40", "2026-10-19",
    "kernel<int, (anonymous namespace)::f>(int)",
    "spec/v1", "contract/v2", "h100", "bf16", "9.0", "<<", "!!python/object:os.system", "&a", "*a", "a: b", "# c", "'", '"', "\\", "\\x00",
)  # fmt: skip
OTHERS: tuple[Tree, ...] = (None, True, False, [], {}, [[]], [None], {"": None}, {"a": {"a": {"a": 1}}}, ["a", "a"], [1, 1], ["P", 1, None])


def odd_number(random: Random) -> Tree:
    """Return a number at the end of some range."""
    if random.random() < 0.2:
        return random.choice((1, -1)) * random.randrange(10 ** random.randint(1, 40))
    return random.choice(NUMBERS)


def odd_text(random: Random) -> str:
    """Return a text that some reader takes for something else."""
    return random.choice(TEXTS)


def odd_value(random: Random) -> Tree:
    """Return any odd value."""
    draw = random.random()
    return odd_number(random) if draw < 0.4 else odd_text(random) if draw < 0.75 else random.choice(OTHERS)
