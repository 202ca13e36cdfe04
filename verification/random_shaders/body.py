"""The text of one random function body: arithmetic, control flow, and the values in scope."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump

_UNARY = ("fneg", "fabs", "fsat", "fsin", "mov", "fneg")
_BINARY = ("fadd", "fmul", "fadd", "fmul", "fmax", "fmin", "fsub")
_HALF_BINARY = ("fadd", "fmul", "fmax", "fmin")
_INTEGER_BINARY = ("iadd", "iand", "ixor", "imul", "umax", "ishl")

Code = Callable[[], int | None]


def parsed(texts: Iterable[str]) -> list[Shader]:
    """Parse dumps, which must be readable."""
    shaders = [parse_dump(text.encode()) for text in texts]
    for shader in shaders:
        assert not shader.unreadable, shader.unreadable
    return shaders


class Body:
    """A function body that is written from top to bottom; the result depends on the seed only.

    The pools hold values that dominate the current block: `floats`, `halves` and `ints` of the invocation
    (32, 16 and 32 bits), and `even`, floats that are equal in all invocations.
    """

    def __init__(self, seed: random.Random, stage: str) -> None:
        self.random = seed
        self.stage = stage
        self.lines: list[str] = []
        self.sizes: list[str] = []
        self.block = 0
        self._blocks = 1
        self.floats: list[int] = []
        self.halves: list[int] = []
        self.ints: list[int] = []
        self.zero = self.int_constant(0)
        self.constants = [self.float_constant(value) for value in (0.0, 1.0, 0.5, -2.0)]
        self.even = list(self.constants)

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    # Lines

    def line(self, text: str) -> None:
        self.lines.append(f"    {text}")

    def define(self, size: str, text: str) -> int:
        """Write an instruction with a def; returns its number."""
        number = len(self.sizes)
        self.sizes.append(size)
        self.line(f"{size} %{number} = {text}")
        return number

    def int_constant(self, value: int) -> int:
        return self.define("32", f"load_const (0x{value:08x})")

    def float_constant(self, value: float) -> int:
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        return self.define("32", f"load_const (0x{bits:08x} = {value:f})")

    def barrier(self, modes: str) -> None:
        """Wait for the other invocations; accesses of these kinds of memory stay on their side."""
        self.line(
            "@barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL,"
            f" mem_modes={modes})"
        )

    def store_memory(self, value: int, offset: int) -> None:
        """Store a value in buffer 0."""
        self.line(
            f"@store_ssbo (%{value}, %{self.zero}, %{offset})"
            " (wrmask=x, access=none, align_mul=4, align_offset=0)"
        )

    def lanes(self, vector: int, letters: str) -> list[int]:
        """The components of a vector as scalars."""
        return [self.define("32", f"mov %{vector}.{lane}") for lane in letters]

    def uniform(self, name: str) -> list[int]:
        """Load the first three components of a uniform vec4."""
        pointer = self.define("32", f"deref_var &{name} (uniform vec4)")
        return self.lanes(self.define("32x4", f"@load_deref (%{pointer}) (access=none)"), "xyz")

    # Values

    def value(self) -> int:
        """A float, mostly one of the invocation."""
        return self.random.choice(self.floats if self.floats and self.chance(0.8) else self.even)

    def even_value(self) -> int:
        return self.random.choice(self.even)

    def half(self) -> int:
        if not self.halves or self.chance(0.4):
            self.halves.append(self.define("16", f"f2f16 %{self.value()}"))
        return self.random.choice(self.halves)

    def integer(self) -> int:
        return self.random.choice(self.ints or [self.zero])

    def test(self, *, even: bool = False) -> int:
        """A boolean that compares two floats or, where there are ints, two of these."""
        if self.ints and not even and self.chance(0.5):
            word = self.random.choice(("ieq", "ult", "ige"))
            return self.define("1", f"{word} %{self.integer()}, %{self.integer()}")
        pick = self.even_value if even else self.value
        return self.define("1", f"{self.random.choice(('flt!', 'fge!'))} %{pick()}, %{pick()}")

    def small_number(self, count: int) -> int:
        """An int in 0 .. count - 1 that is not a constant."""
        between = self.define("32", f"fsat! %{self.value()}")
        scaled = self.define("32", f"fmul! %{between}, %{self.float_constant(count - 0.25)}")
        return self.define("32", f"f2i32 %{scaled}")

    def take(self, value: int) -> None:
        """Let later code read a float of 32 or 16 bits; the latter often widened as well."""
        if self.sizes[value] == "32":
            self.floats.append(value)
            return
        self.halves.append(value)
        if self.chance(0.7):
            self.floats.append(self.define("32", f"f2f32 %{value}"))

    def compute(self, count: int, *, even: bool = False) -> None:
        """Random arithmetic; with `even` only on values that are equal in all invocations."""
        pool, pick = (self.even, self.even_value) if even else (self.floats, self.value)
        for _ in range(count):
            if not even and self.halves and self.chance(0.25):
                op = self.random.choice(_HALF_BINARY)
                self.take(self.define("16", f"{op} %{self.half()}, %{self.half()}"))
            elif not even and self.ints and self.chance(0.25):
                self._compute_ints()
            else:
                pool.append(self._float(pick))

    def _float(self, pick: Callable[[], int]) -> int:
        mark = "! " if self.chance(0.1) else " "
        kind = self.random.random()
        if kind < 0.2:
            return self.define("32", f"{self.random.choice(_UNARY)}{mark}%{pick()}")
        if kind < 0.75:
            return self.define("32", f"{self.random.choice(_BINARY)}{mark}%{pick()}, %{pick()}")
        if kind < 0.9:
            return self.define("32", f"ffma{mark}%{pick()}, %{pick()}, %{pick()}")
        test = self.define("1", f"flt! %{pick()}, %{pick()}")
        return self.define("32", f"bcsel %{test}, %{pick()}, %{pick()}")

    def _compute_ints(self) -> None:
        kind = self.random.random()
        if kind < 0.4:
            self.ints.append(self.define("32", f"f2i32 %{self.value()}"))
        elif kind < 0.8:
            op = self.random.choice(_INTEGER_BINARY)
            self.ints.append(self.define("32", f"{op} %{self.integer()}, %{self.integer()}"))
        else:
            self.floats.append(self.define("32", f"u2f32 %{self.integer()}"))

    # Control flow

    def branch(self, test: int, then: Code, otherwise: Code | None = None) -> int | None:
        """Write an if; returns the phi of what both branches return, None if one returns None."""
        ends = []
        self.line(f"if %{test} {{")
        for position, code in enumerate((then, otherwise)):
            if position:
                self.line("} else {")
            with self._nested():
                self._open_block()
                made = None if code is None else code()
                ends.append((self.block, made))
        self.line("}")
        self._open_block()
        sources = [f"b{block}: %{made}" for block, made in ends if made is not None]
        if len(sources) < len(ends):
            return None
        return self.define(self.sizes[ends[0][1] or 0], f"phi {', '.join(sources)}")

    def loop(
        self, last: int, each_turn: Callable[[int], int], late: Callable[[int], object] = lambda _: None
    ) -> int:
        """Write a loop over 0 .. `last`, at least once; returns the sum of what `each_turn` returns.

        `each_turn` gets the counter. `late` writes what follows the exit in a turn, with what `each_turn`
        returned.
        """
        before, start = self.block, self.constants[0]
        one = self.int_constant(1)
        self.line("loop {")
        with self._nested():
            header, place = self._open_block(), len(self.lines)
            counter, total = self.define("32", ""), self.define("32", "")
            made = each_turn(counter)
            self.line(f"if %{self.define('1', f'ige %{counter}, %{last}')} {{")
            self._open_block()
            self.line("break")
            self.line("} else {")
            self._open_block()
            self.line("}")
            self._open_block()
            late(made)
            following = self.define("32", f"iadd %{counter}, %{one}")
            sum_ = self.define("32", f"fadd! %{total}, %{made}")
            assert header > before
            for line, first, then in ((place, self.zero, following), (place + 1, start, sum_)):
                self.lines[line] += f"phi b{before}: %{first}, b{self.block}: %{then}"
        self.line("}")
        self._open_block()
        return total

    def _open_block(self) -> int:
        self.block = self._blocks
        self._blocks += 1
        self.line(f"block b{self.block}:  // preds:")
        return self.block

    @contextmanager
    def _nested(self) -> Iterator[None]:
        """Values that are made inside cannot be read behind it."""
        pools = (self.floats, self.halves, self.ints, self.even)
        self.floats, self.halves, self.ints, self.even = map(list, pools)
        yield
        self.floats, self.halves, self.ints, self.even = pools

    def text(self, header: Sequence[str]) -> str:
        """The dump; `header` has the lines between the stage and the function."""
        fields = "".join(f"{line}\n" for line in header)
        body = "\n".join(self.lines)
        return (
            f"shader: MESA_SHADER_{self.stage}\n{fields}decl_function main () (entrypoint)\n\n"
            f"impl main {{\n    block b0:  // preds:\n{body}\n    // succs: b{self._blocks}\n"
            f"    block b{self._blocks}:\n}}\n"
        )
