"""The text of one random function body, and the values that its current block can read."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tools.random_shaders.lines import Lines

_UNARY = ("fneg", "fabs", "fsin", "mov", "fneg", "fsat")
_BINARY = ("fadd", "fmul", "fadd", "fmul", "fmax", "fsub")
_HALF_BINARY = ("fadd", "fmul", "fmax", "fmin")

Numbers = dict[int, int]


class Body(Lines):
    """Lines of a block structure that grows downwards. `floats` and `halves` are values of 32 and 16 bits."""

    def __init__(self, seed: random.Random, stage: str) -> None:
        super().__init__(seed, stage)
        self.block = 1
        self.floats: list[int] = []
        self.halves: list[int] = []
        self.zero = self.define("32", "load_const (0x00000000)")
        self.constants = [self.float_constant(value, shown=True) for value in (0.0, 1.0, 0.5, -2.0)]
        self.scales = {count: self.float_constant(count - 0.25, shown=True) for count in (2, 4)}
        self._ints: Numbers = {0: self.zero}

    def int_constant(self, value: int) -> int:
        """Only for the first block: constants of later ones may not be in scope."""
        if value not in self._ints:
            self._ints[value] = self.define("32", f"load_const (0x{value:08x})")
        return self._ints[value]

    def uniforms(self) -> None:
        """Some uniforms and a load of a uniform block, as values."""
        base = self.define("32", "deref_var &u (uniform vec4)")
        vector = self.define("32x4", f"@load_deref (%{base}) (access=none)")
        self.floats += [self.define("32", f"mov %{vector}.{lane}") for lane in "xyz"]
        block = self.define("32", "deref_var &b (ubo vec4[4])")
        element = self.define("32", f"deref_array &(*%{block})[2] (ubo vec4)")
        vector = self.define("32x4", f"@load_deref (%{element}) (access=none)")
        self.floats.append(self.define("32", f"mov %{vector}.w"))

    def small_number(self, count: int) -> int:
        """A value in 0 .. count - 1 that is not constant; `count` is 2 or 4."""
        between = self.define("32", f"fsat! %{self.value()}")
        scaled = self.define("32", f"fmul! %{between}, %{self.scales[count]}")
        return self.define("32", f"f2i32 %{scaled}")

    def value(self) -> int:
        pool = self.floats if self.random.random() < 0.8 else self.constants
        return self.random.choice(pool or self.constants)

    def half(self) -> int:
        """A value of 16 bits."""
        if not self.halves or self.random.random() < 0.4:
            self.halves.append(self.define("16", f"f2f16 %{self.value()}"))
        return self.random.choice(self.halves)

    def take(self, value: int, bits: int) -> None:
        """Let later code read a value, one of 16 bits as it is or widened."""
        if bits == 32:
            self.floats.append(value)
            return
        self.halves.append(value)
        if self.random.random() < 0.7:
            self.floats.append(self.define("32", f"f2f32 %{value}"))

    def compute(self, count: int) -> None:
        """Random arithmetic."""
        for _ in range(count):
            mark = "! " if self.random.random() < 0.1 else " "
            kind = self.random.random()
            if self.halves and self.random.random() < 0.25:
                op = self.random.choice(_HALF_BINARY)
                self.take(self.define("16", f"{op}{mark}%{self.half()}, %{self.half()}"), 16)
                continue
            if kind < 0.2:
                made = self.define("32", f"{self.random.choice(_UNARY)}{mark}%{self.value()}")
            elif kind < 0.75:
                op = self.random.choice(_BINARY)
                made = self.define("32", f"{op}{mark}%{self.value()}, %{self.value()}")
            elif kind < 0.9:
                operands = ", ".join(f"%{self.value()}" for _ in range(3))
                made = self.define("32", f"ffma{mark}{operands}")
            else:
                test = self.define("1", f"flt! %{self.value()}, %{self.value()}")
                made = self.define("32", f"bcsel %{test}, %{self.value()}, %{self.value()}")
            self.floats.append(made)

    def branch(self, inside: Sequence[Sequence[str]], test: int | None = None) -> None:
        """An if whose two branches hold the given lines."""
        if test is None:
            test = self.define("1", f"flt! %{self.value()}, %{self.value()}")
        self.line(f"// succs: b{self.block} b{self.block + 1}")
        self.line(f"if %{test} {{")
        for position, stores in enumerate(inside):
            self.line(f"    block b{self.block + position}:  // preds:")
            self.lines += [f"        {store}" for store in stores]
            self.line("} else {" if position == 0 else "}")
        self.line(f"block b{self.block + 2}:  // preds:")
        self.block += 3

    def loop(self, turns: int, each_turn: Callable[[int], int], late: Callable[[int], None]) -> int:
        """A loop that adds up what `each_turn` makes of the number of the turn, from 0; returns the sum.

        `turns` is the value with how many there are at most. `late` writes what follows the exit in a turn,
        with what was made before it. Neither may leave values behind for later blocks.
        """
        one = self.int_constant(1)
        start = self.constants[0]
        before, header, after = self.block - 1, self.block, self.block + 4
        floats, halves = list(self.floats), list(self.halves)
        self.line(f"// succs: b{header}")
        self.line("loop {")
        self.line(f"    block b{header}:  // preds: b{before} b{header + 3}")
        place = len(self.lines)
        counter, total = self.define("32", ""), self.define("32", "")
        made = each_turn(counter)
        past = self.define("1", f"ige %{counter}, %{turns}")
        self.line(f"    if %{past} {{")
        self.line(f"        block b{header + 1}:  // preds: b{header}")
        self.line("        break")
        self.line("    } else {")
        self.line(f"        block b{header + 2}:  // preds: b{header}")
        self.line("    }")
        self.line(f"    block b{header + 3}:  // preds: b{header + 2}")
        late(made)
        following = self.define("32", f"iadd %{counter}, %{one}")
        sum_ = self.define("32", f"fadd! %{total}, %{made}")
        self.line("}")
        self.line(f"block b{after}:  // preds: b{header + 1}")
        self.block += 5
        phis = (place, counter, self.zero, following), (place + 1, total, start, sum_)
        for line, value, first, then in phis:
            self.lines[line] = f"    32 %{value} = phi b{before}: %{first}, b{header + 3}: %{then}"
        self.floats, self.halves = floats, halves
        return total

    def text(self, header: Sequence[str]) -> str:
        """The dump. `header` are lines between the stage and the variables."""
        fields = "".join(f"{line}\n" for line in header)
        declarations = (
            "decl_var uniform INTERP_MODE_NONE none vec4 u (0, 0, 0)\n"
            "decl_var ubo INTERP_MODE_NONE none vec4[4] b (0, 0, 0)\n"
        )
        body = "\n".join(self.lines)
        return (
            f"shader: MESA_SHADER_{self.stage}\n{fields}{declarations}decl_function main () (entrypoint)\n\n"
            f"impl main {{\n    block b0:  // preds:\n{body}\n    // succs: b{self.block}\n"
            f"    block b{self.block}:\n}}\n"
        )
