"""The text of one function of a random patch, with a cursor in nested control flow."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tools.random_shaders.lines import Lines

_UNARY = ("fneg", "fabs", "fsat", "ffloor", "mov")
_BINARY = ("fadd", "fmul", "fadd", "fmul", "fmax", "fmin")


class Scope:
    """The values that can be read at a point: those of an invocation, and those that a whole patch shares."""

    def __init__(self, own: Sequence[int], even: Sequence[int]) -> None:
        self.own = list(own)
        self.even = list(even)


class PatchBody(Lines):
    """The lines of one function, with a cursor in nested control flow."""

    def __init__(self, seed: random.Random, stage: str) -> None:
        super().__init__(seed, stage)
        self.blocks = 1
        self.block = 0
        self.scope = Scope((), ())
        self.zero = self.define("32", "load_const (0x00000000)")
        self.scope.even += [self.float_constant(value) for value in (1.0, 0.5, -2.0, 3.0)]

    def int_constant(self, value: int) -> int:
        return self.define("32", f"load_const (0x{value:08x})")

    def own(self) -> int:
        """Any value of the invocation."""
        return self.random.choice(self.scope.own + self.scope.even[-4:])

    def even(self) -> int:
        """A value that all invocations of a patch have the same."""
        return self.random.choice(self.scope.even)

    def compute(self, count: int, even: bool = False) -> None:
        """Some arithmetic on values of the invocation, or of the patch alone."""
        pick = self.even if even else self.own
        pool = self.scope.even if even else self.scope.own
        for _ in range(count):
            kind = self.random.random()
            if kind < 0.2:
                pool.append(self.define("32", f"{self.random.choice(_UNARY)} %{pick()}"))
            elif kind < 0.75:
                pool.append(self.define("32", f"{self.random.choice(_BINARY)} %{pick()}, %{pick()}"))
            elif kind < 0.9:
                pool.append(self.define("32", f"ffma %{pick()}, %{pick()}, %{pick()}"))
            else:
                test = self.define("1", f"flt! %{pick()}, %{pick()}")
                pool.append(self.define("32", f"bcsel %{test}, %{pick()}, %{pick()}"))

    def uniforms(self) -> None:
        """Values from uniforms of the stage, uniforms that the stages share, and a uniform buffer."""
        for name in (f"{self.stage[:1].lower()}_u", "common"):
            pointer = self.define("32", f"deref_var &{name} (uniform vec4)")
            vector = self.define("32x4", f"@load_deref (%{pointer}) (access=none)")
            self.scope.even += [self.define("32", f"mov %{vector}.{lane}") for lane in "xyz"]
        block = self.int_constant(self.random.randrange(3))
        offset = self.int_constant(16 * self.random.randrange(4))
        vector = self.define(
            "32x4",
            f"@load_ubo (%{block}, %{offset}) (access=none, align_mul=16, align_offset=0,"
            " range_base=0, range=64)",
        )
        self.scope.even += [self.define("32", f"mov %{vector}.{lane}") for lane in "xw"]

    def branch(
        self, test: int, then: Callable[[], None], otherwise: Callable[[], None] | None = None
    ) -> None:
        """An if; a value that each branch ends with may be merged behind it."""
        outer = self.scope
        first, second, after = self.blocks, self.blocks + 1, self.blocks + 2
        self.blocks += 3
        ends = []
        self.line(f"if %{test} {{")
        for index, fill in ((first, then), (second, otherwise)):
            self.block = index
            self.line(f"block b{index}:  // preds:")
            self.scope = Scope(outer.own, outer.even)
            if fill is not None:
                fill()
            ends.append((self.block, self.own()))
            self.line("} else {" if index == first else "}")
        self.block, self.scope = after, outer
        self.line(f"block b{after}:  // preds:")
        if self.chance(0.6):
            sources = ", ".join(f"b{block}: %{value}" for block, value in ends)
            self.scope.own.append(self.define("32", f"phi {sources}"))

    def loop(self, rounds: int, fill: Callable[[int], None]) -> None:
        """A loop with a counter from 0 to `rounds` - 1, which `fill` gets."""
        before, header, leave, stay, after = self.block, *range(self.blocks, self.blocks + 4)
        self.blocks += 4
        outer = self.scope
        end, one = self.int_constant(rounds), self.int_constant(1)
        counter = self.number
        self.number += 1
        self.line("loop {")
        self.line(f"block b{header}:  // preds:")
        place = len(self.lines)
        self.scope = Scope(outer.own, outer.even)
        done = self.define("1", f"ige %{counter}, %{end}")
        self.line(f"if %{done} {{")
        self.line(f"block b{leave}:  // preds:")
        self.line("break")
        self.line("} else {")
        empty = self.blocks
        self.blocks += 1
        self.line(f"block b{empty}:  // preds:")
        self.line("}")
        self.block = stay
        self.line(f"block b{stay}:  // preds:")
        fill(counter)
        following = self.define("32", f"iadd %{counter}, %{one}")
        self.lines.insert(
            place, f"    32 %{counter} = phi b{before}: %{self.zero}, b{self.block}: %{following}"
        )
        self.line("}")
        self.block, self.scope = after, outer
        self.line(f"block b{after}:  // preds:")

    def text(self, header: str, declarations: str) -> str:
        body = "\n".join(self.lines)
        return (
            f"shader: MESA_SHADER_{self.stage}\n{header}{declarations}decl_function main () (entrypoint)\n\n"
            f"impl main {{\n    block b0:  // preds:\n{body}\n"
            f"    block b{self.blocks}:\n}}\n"
        )
