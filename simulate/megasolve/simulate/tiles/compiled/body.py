"""The body of one function in the assembly language of LLVM: instructions in blocks, each of which ends where it jumps."""

from __future__ import annotations

NUMBER = "i64"
OUTCOME = "{ i64, i1 }"
"""What a function returns that may fail: its number, and whether it did."""


class Body:
    """Instructions in order. What would stand behind the end of a block is never reached and left out.

    Numbers have 64 bits, tests one. Each variable has a cell of its own, from which LLVM takes it into a register.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._cells: dict[str, str] = {}
        self._count = 0
        self._is_open = True

    def lines(self) -> list[str]:
        """Return the instructions, those first that make the cells of variables."""
        return [*(f"  {cell} = alloca {NUMBER}" for cell in self._cells.values()), *self._lines]

    def do(self, instruction: str) -> None:
        """Add an *instruction* that has no value."""
        if self._is_open:
            self._lines.append("  " + instruction)

    def value(self, instruction: str) -> str:
        """Return what *instruction* comes to."""
        self._count += 1
        self.do(f"%v{self._count} = {instruction}")
        return f"%v{self._count}"

    def label(self) -> str:
        """Return the name of a block that may begin later."""
        self._count += 1
        return f"b{self._count}"

    def begin(self, label: str) -> None:
        """Begin the block *label*; what came before goes on with it."""
        self.jump(label)
        self._lines.append(f"{label}:")
        self._is_open = True

    def jump(self, label: str) -> None:
        """End the block with a jump to *label*."""
        self.end(f"br label %{label}")

    def split(self, test: str, yes: str, no: str) -> None:
        """End the block with a jump to *yes* or *no*, as *test* says."""
        self.end(f"br i1 {test}, label %{yes}, label %{no}")

    def end(self, instruction: str) -> None:
        """End the block with *instruction*."""
        self.do(instruction)
        self._is_open = False

    def read(self, variable: str) -> str:
        """Return the number in *variable*."""
        return self.value(f"load {NUMBER}, ptr {self._cell(variable)}")

    def write(self, variable: str, number: str) -> None:
        """Put *number* into *variable*."""
        self.do(f"store {NUMBER} {number}, ptr {self._cell(variable)}")

    def spare(self) -> str:
        """Return a variable that nothing else has."""
        self._count += 1
        return f"spare.{self._count}"

    def _cell(self, variable: str) -> str:
        return self._cells.setdefault(variable, f"%x.{variable}")
