"""Random programs on shared memory and on a patch's outputs: a barrier too few makes something undefined."""

from __future__ import annotations

import random

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.passes.barriers.opt_barriers import opt_barriers
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.barriers.bodies import compute, control

_RUNS = VerificationOptions(runs=2, most_runs=2, lanes=16)
_PREFIX = "32 %5 = load_const (0x00000007)\n32 %6 = load_const (0x00000002)\n"


class _Program:
    """Stores and loads at the own place, the next one's and a fixed one, with barriers strewn in."""

    def __init__(self, number: int, *, patch: bool) -> None:
        self.random = random.Random(number)
        self.patch = patch
        self.lines: list[str] = []
        self.value = 20
        self.sum = "%1" if patch else "%2"

    def define(self, text: str) -> str:
        self.value += 1
        self.lines.append(f"32 %{self.value} = {text}")
        return f"%{self.value}"

    def place(self) -> str:
        """A vertex, or an offset of shared memory."""
        kind = self.random.random()
        own = "%1" if self.patch else "%3"
        if kind < 0.45:
            return own
        if kind < 0.7:
            return "%0"
        if self.patch:
            following = self.define("iadd %1, %6")
            return self.define(f"umod {following}, %7")
        number = self.define("iadd %2, %6")
        wrapped = self.define(f"iand {number}, %5")
        return self.define(f"ishl {wrapped}, %1")

    def slot(self) -> str:
        return self.random.choice(("VAR0.x", "VAR0.y", "VAR1.x"))

    def step(self) -> None:
        place = self.place()
        if self.random.random() < 0.5:
            text = f"out {self.slot()} [{place}] = {self.sum}" if self.patch else f"sst {self.sum} [{place}]"
            self.lines.append(text)
            return
        self.value += 1
        loaded = f"%{self.value}"
        text = f"{loaded} = load {self.slot()} [{place}]" if self.patch else f"{loaded} = sld [{place}]"
        self.lines.append(text)
        self.sum = self.define(f"iadd {self.sum}, {loaded}")

    def fence(self) -> None:
        kinds = ("barrier",) if self.patch else ("wait shared", "wait shared", "fence shared\nwait shared")
        for _ in range(self.random.choice((0, 1, 1, 1, 2))):
            self.lines.append(self.random.choice(kinds))

    def shader(self) -> Shader:
        for _ in range(self.random.randint(2, 7)):
            self.step()
            self.fence()
        if self.patch:
            return control(
                "32 %6 = load_const (0x00000001)\n32 %7 = load_const (0x00000003)\n"
                "out VAR0.x [%1] = %1\nout VAR0.y [%1] = %1\nout VAR1.x [%1] = %1\nbarrier\n"
                + "\n".join(self.lines)
                + f"\nout VAR5.x [%1] = {self.sum}"
            )
        offset = self.define("ishl %2, %1")
        store = f"@store_ssbo ({self.sum}, %0, {offset}) (wrmask=x, access=none, align_mul=4, align_offset=0)"
        return compute(_PREFIX + "\n".join([*self.lines, store]))


@pytest.mark.parametrize("patch", [True, False])
def test_results_stay_the_same(patch: bool) -> None:
    removed = equal = 0
    for number in range(60):
        before = _Program(number, patch=patch).shader()
        after = clone_shader(before)
        gone = len(opt_barriers(after))
        if not gone:
            continue
        verdict = verify_shaders(before, after, _RUNS)
        assert not isinstance(verdict, Different), f"{number}: {verdict}"
        removed += gone
        equal += isinstance(verdict, Equivalent)
    assert removed > 20
    assert equal > 10
