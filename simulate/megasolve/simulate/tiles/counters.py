"""Which tiles are ready: the counters of the sections that are under way, and what each of their tiles still waits for."""

from __future__ import annotations

from collections.abc import Iterator

from .tables import Row, TileTables


class Frame:
    """One section under way: arrivals missing by counter, closed counters by row, and how many of its tiles are not done."""

    __slots__ = ("missing", "unfinished", "waits")

    def __init__(self, missing: list[int], waits: list[int], unfinished: int) -> None:
        self.missing = missing
        self.waits = waits
        self.unfinished = unfinished


class CounterFrames:
    """The frames of a schedule. Sections before *first_open* are done; the others without a frame are untouched."""

    def __init__(self, tables: TileTables) -> None:
        self.tables = tables
        self.stride = tables.stride
        self.dependencies = tables.dependencies
        self.frames: dict[int, Frame] = {}
        self.first_open = 0
        self._retire()

    def frame(self, section: int) -> Frame:
        """Return the frame of *section*, a new one if it is untouched."""
        frame = self.frames.get(section)
        if frame is None:
            dependencies = self.dependencies
            waits = dependencies.repeat_waits if 2 <= section <= self.tables.repeats else dependencies.waits
            frame = Frame(list(dependencies.targets), list(waits), len(self.tables.rows_of(section)))
            self.frames[section] = frame
        return frame

    def is_ready(self, tile: int) -> bool:
        """Whether *tile* waits for no counter any more."""
        section, row = divmod(tile, self.stride)
        return not self.frame(section).waits[row]

    def unconditional(self) -> Iterator[int]:
        """Yield the tiles that wait for nothing, in program order."""
        repeats = self.tables.repeats
        yield from self._waiting_for_nothing(range(1), self.dependencies.waits)
        yield from self._waiting_for_nothing(range(1, min(2, repeats + 1)), self.dependencies.waits)
        yield from self._waiting_for_nothing(range(2, repeats + 1), self.dependencies.repeat_waits)
        yield from self._waiting_for_nothing(range(repeats + 1, repeats + 2), self.dependencies.waits)

    def _waiting_for_nothing(self, sections: range, waits: tuple[int, ...]) -> Iterator[int]:
        """Yield those of *sections*, which have the same rows."""
        rows = [row for row in self.tables.rows_of(sections[0]) if not waits[row]] if sections else []
        if rows:
            yield from (section * self.stride + row for section in sections for row in rows)

    def arrive(self, tile: int, row: Row, released: list[int]) -> None:
        """Count the arrivals of *tile*, which is done, and append the tiles that they make ready to *released*."""
        section = tile // self.stride
        frame = self.frames.get(section) or self.frame(section)
        missing = frame.missing
        for counter in row.signals:
            left = missing[counter] = missing[counter] - 1
            if not left:
                self._open(section, frame, counter, released)
        frame.unfinished -= 1
        if not frame.unfinished:
            self._retire()

    def closed(self, section: int) -> dict[str, tuple[int, int]]:
        """Return the closed counters of *section*, each with its arrivals so far and its target."""
        if section < 0:
            return {}
        dependencies, kind = self.dependencies, self.tables.kind(section)
        missing = self._missing_when_done() if section < self.first_open else self.frame(section).missing
        return {
            dependencies.names[counter]: (dependencies.targets[counter] - missing[counter], dependencies.targets[counter])
            for counter in range(dependencies.firsts[kind], dependencies.firsts[kind + 1])
            if missing[counter] > 0
        }

    def _missing_when_done(self) -> list[int]:
        missing = list(self.dependencies.targets)
        for row in self.tables.rows:
            for counter in row.signals:
                missing[counter] -= 1
        return missing

    def unfinished(self) -> int:
        """Return how many tiles are not done."""
        sections = range(self.first_open, self.tables.repeats + 2)
        return sum(self.frames[section].unfinished if section in self.frames else len(self.tables.rows_of(section)) for section in sections)

    def relative(self, section: int) -> tuple[object, ...]:
        """Return the state relative to *section*."""
        frames = ((at - section, self.frames[at]) for at in sorted(self.frames))
        return self.first_open - section, tuple((at, tuple(frame.missing), tuple(frame.waits), frame.unfinished) for at, frame in frames)

    def shift(self, sections: int) -> None:
        """Move everything *sections* on."""
        self.frames = {section + sections: frame for section, frame in self.frames.items()}
        self.first_open += sections

    def _open(self, section: int, frame: Frame, counter: int, released: list[int]) -> None:
        dependencies, repeats = self.dependencies, self.tables.repeats
        _release(frame.waits, dependencies.waiters[counter], section * self.stride, released)
        follows = dependencies.next_repeat if section < repeats else dependencies.next_epilogue
        if follows[counter]:
            _release(self.frame(section + 1).waits, follows[counter], (section + 1) * self.stride, released)

    def _retire(self) -> None:
        """Drop the frames of the leading sections that are done, in order, so that what is not done has a frame or is untouched."""
        last = self.tables.repeats + 1
        while self.first_open <= last and not self.frame(self.first_open).unfinished:
            del self.frames[self.first_open]
            self.first_open += 1


def _release(waits: list[int], rows: tuple[int, ...], first: int, released: list[int]) -> None:
    for row in rows:
        left = waits[row] = waits[row] - 1
        if not left:
            released.append(first + row)
