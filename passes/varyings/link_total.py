"""The varyings and ALU instructions of a whole pipeline before and after `opt_varyings`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from nirls.ir.finding import counted
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.accesses import Unlinkable
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.packings import packing_table


@dataclass(frozen=True, slots=True)
class StageSize:
    """The ALU instructions of a stage, before and after."""

    stage: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class LinkTotal:
    """What `opt_varyings` saves in a pipeline: pairs of numbers before and after, summed over its interfaces.

    `varyings` are scalars, `slots` the vec4 slots that they occupy.
    """

    varyings: tuple[int, int]
    slots: tuple[int, int]
    stages: tuple[StageSize, ...]

    @property
    def text(self) -> str:
        """The numbers, with the stages whose size changes.

        >>> LinkTotal((27, 4), (7, 1), (StageSize("VS", 9, 9), StageSize("FS", 168, 151))).text
        '27 varyings in 7 slots -> 4 in 1, FS 168 -> 151 ALU'
        """
        varyings = f"{counted(self.varyings[0], 'varying')} in {counted(self.slots[0], 'slot')}"
        sizes = [
            f"{size.stage} {size.before} -> {size.after}" for size in self.stages if size.before != size.after
        ]
        alu = f", {', '.join(sizes)} ALU" if sizes else ""
        return f"{varyings} -> {self.varyings[1]} in {self.slots[1]}{alu}"

    @property
    def saved(self) -> int:
        """The number of varyings saved."""
        return self.varyings[0] - self.varyings[1]


def link_total(shaders: Sequence[Shader], options: OptVaryings) -> LinkTotal | None:
    """Return what the pass saves, run on copies; None if it sends and computes as much as before."""
    copies = [clone_shader(shader) for shader in shaders]
    before = _sent(copies, options)
    options.run(copies)
    after = _sent(copies, options)
    stages = tuple(
        StageSize("?" if shader.stage is None else shader.stage.abbreviation, _alu(shader), _alu(copy))
        for shader, copy in zip(shaders, copies, strict=True)
    )
    if before == after and all(size.before == size.after for size in stages):
        return None
    return LinkTotal((before[0], after[0]), (before[1], after[1]), stages)


def _sent(shaders: Sequence[Shader], options: OptVaryings) -> tuple[int, int]:
    """Return the numbers of scalars and of vec4 slots that all stages send to the next one."""
    tables = [packing_table(*pair, options) for pair in pairwise(shaders)]
    linked = [table for table in tables if not isinstance(table, Unlinkable)]
    return sum(table.scalars for table in linked), sum(table.slots for table in linked)


def _alu(shader: Shader) -> int:
    return sum(isinstance(instr, AluInstr) for instr in shader.instrs())
