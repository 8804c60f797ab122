"""What every test may use: golden files, and Hypothesis runs that repeat exactly."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from megasolve.simulate.tiles.compiled import loading

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that rewrites the golden files."""
    parser.addoption("--update-golden", action="store_true", help="write the golden files instead of comparing with them")


def pytest_configure() -> None:
    """Make Hypothesis draw the same examples in every run; `--hypothesis-profile=explore` draws new ones."""
    settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
    settings.register_profile("explore", deadline=None, max_examples=1000)
    settings.load_profile("repeatable")
    _hear_interrupts()


def _hear_interrupts() -> None:
    """Let children start as a person's commands do: a shell that runs the tests in the background has them ignore interrupts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def as_wide_as_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no table be cut to the terminal of whoever runs the tests."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True)
def forget_what_went_wrong_with_compiled_code() -> Iterator[None]:
    """Load compiled code anew behind a test in which that went wrong: a process loads it once, and says so to every command after."""
    yield
    if loading.loaded.cache_info().currsize and loading.loaded().warning:
        loading.loaded.cache_clear()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Return `golden(name, text)`, which compares *text* with the file tests/golden/*name*, or writes it on `--update-golden`."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        assert path.is_file(), f"tests/golden/{name} does not exist; write it with: pytest --update-golden"
        assert text == path.read_bytes().decode(), f"not what tests/golden/{name} says; if it is right, run: pytest --update-golden"

    return compare
