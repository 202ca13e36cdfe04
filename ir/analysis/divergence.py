"""Divergence: which values may differ between the invocations of a subgroup, or the vertices of a primitive.

The facts come from `divergence_rules`, the propagation from `divergence_walk`, the explanations from
`divergence_reasons`. A shader need not be in loop-closed SSA: see `DivergenceInfo.is_divergent`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nirls.ir.analysis.divergence_options import DivergenceOptions, Release
from nirls.ir.analysis.divergence_reasons import Explainer, Reason
from nirls.ir.analysis.divergence_walk import BodyDivergence
from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def, PhiSrc, Register, Src

__all__ = [
    "Agreement",
    "DivergenceInfo",
    "DivergenceOptions",
    "Reason",
    "Release",
    "agreement",
    "divergence",
    "patch_divergence",
    "vertex_divergence",
]


class DivergenceInfo:
    """What the analysis found out about a shader, a snapshot.

    `bodies` are the results of the single functions, each analysed by itself.
    """

    __slots__ = ("_body_of", "_explainers", "_shader", "bodies", "options")

    def __init__(self, shader: Shader, options: DivergenceOptions) -> None:
        self.options = options
        self._shader = shader
        self.bodies = [BodyDivergence(impl, shader.stage, options) for impl in shader.impls()]
        self._body_of = {block: body for body in self.bodies for block in body.block_flags}
        self._explainers: dict[FunctionImpl, Explainer] = {}

    def is_divergent(self, value: Def) -> bool:
        """Whether a value may differ between invocations at the point where it is defined.

        A convergent value of a loop that invocations leave in different turns is still divergent for a
        use behind the loop (temporal divergence); ask `is_use_divergent` for that. In loop-closed SSA
        such a use is a phi, and divergent itself. A number that is defined nowhere counts as divergent,
        and a value of another shader as convergent.
        """
        body = self._body(value)
        if body is None:
            return any(value in body.divergent for body in self.bodies)
        return value in body.divergent

    def is_use_divergent(self, src: Src) -> bool:
        """Whether what a source slot reads may differ between invocations at the point of the use.

        A phi source is read at the end of its predecessor. Mesa: `nir_src_is_divergent`.
        """
        owner = src.owner
        if isinstance(src, PhiSrc):
            block: Block | None = src.pred
        elif isinstance(owner, If):
            block = BodyDivergence.block_in(owner)
        else:
            block = None if owner is None else owner.block
        body = self._body_of.get(block) if block is not None else None
        if body is None:
            return src.def_ is not None and self.is_divergent(src.def_)
        return body.is_source_divergent(src, block)

    def is_register_divergent(self, register: Register) -> bool:
        """Whether a register of register-form NIR may differ between invocations.

        It does if any write of it is divergent, or stands under divergent control flow.
        """
        return any(register in body.registers for body in self.bodies)

    def is_block_divergent(self, block: Block) -> bool | None:
        """Whether some invocations of the innermost loop may be elsewhere while others run the block.

        That is what dumps print as `con block` or `div block`; None for an end block, for which they
        print neither. A block of a loop is judged from within the loop: that the loop stands under a
        divergent if does not count.
        """
        body = self._body_of.get(block)
        return None if body is None else body.block_flags[block]

    def is_loop_divergent(self, loop: Loop) -> bool:
        """Whether some invocations leave the loop, or go on to its next turn, before the others."""
        return self.has_divergent_break(loop) or self.has_divergent_continue(loop)

    def has_divergent_break(self, loop: Loop) -> bool:
        """Whether invocations may leave the loop in different turns."""
        return any(loop in body.broken_loops for body in self.bodies)

    def has_divergent_continue(self, loop: Loop) -> bool:
        """Whether invocations may go on to the next turn at different points."""
        return any(loop in body.continued_loops for body in self.bodies)

    def divergent_values(self) -> Iterator[Def]:
        """Every divergent value that is defined, in printed order."""
        for body in self.bodies:
            for value in body.impl.defs():
                if value in body.divergent:
                    yield value

    def reasons(self, value: Def) -> list[Reason]:
        """Why a value is divergent: from the value itself to the root cause, the shortest such chain.

        Empty for a convergent value.
        """
        explainer = self._explainer(value)
        return [] if explainer is None else explainer.shortest_chain(value)

    def all_reasons(self, value: Def) -> list[list[Reason]]:
        """For each direct cause the shortest chain that begins with it, the shortest of them first."""
        explainer = self._explainer(value)
        return [] if explainer is None else explainer.chains(value)

    def why_convergent(self, value: Def) -> str:
        """A sentence that says why a value is convergent; empty for a divergent one."""
        explainer = self._explainer(value)
        return "" if explainer is None else explainer.why_convergent(value)

    def _body(self, value: Def) -> BodyDivergence | None:
        block = None if value.instr is None else value.instr.block
        return None if block is None else self._body_of.get(block)

    def _explainer(self, value: Def) -> Explainer | None:
        body = self._body(value)
        if body is None:
            body = next((body for body in self.bodies if value in body.divergent), None)
        if body is None:
            return None
        if body.impl not in self._explainers:
            self._explainers[body.impl] = Explainer(body, self._shader)
        return self._explainers[body.impl]


def divergence(shader: Shader, options: DivergenceOptions | None = None) -> DivergenceInfo:
    """Which values differ between the invocations of a subgroup (Mesa: `nir_divergence_analysis`).

    Without options: those of a driver that promises nothing, by the rules of Mesa 25.0. Each function is
    analysed by itself; parameters are divergent unless declared uniform. Never raises, and reads no
    printed `con` or `div`.
    """
    return DivergenceInfo(shader, DivergenceOptions() if options is None else options)


def vertex_divergence(shader: Shader, options: DivergenceOptions | None = None) -> DivergenceInfo:
    """Which values differ between the vertices of one primitive (Mesa: `nir_vertex_divergence_analysis`).

    Meant for the stages before the fragment shader.
    """
    return divergence(shader, (DivergenceOptions() if options is None else options).for_vertices())


def patch_divergence(shader: Shader) -> DivergenceInfo:
    """Which values of a control shader differ between the invocations of one patch.

    Loads of memory that others may write count as divergent, and the current release's rules hold: this is
    for passes that must not err, not for comparison with what dumps print.
    """
    return divergence(shader, DivergenceOptions().for_patch())


@dataclass(frozen=True, slots=True)
class Agreement:
    """How much of what a dump prints as `con` or `div` the analysis finds too.

    `flags` counts blocks and loops. The differing values and blocks or loops are listed in order.
    """

    values: int
    values_equal: int
    flags: int
    flags_equal: int
    differing_values: tuple[Def, ...] = ()
    differing_flags: tuple[Block | Loop, ...] = ()


def agreement(shader: Shader, options: DivergenceOptions | None = None, *, vertex: bool = False) -> Agreement:
    """Compare the analysis with what the dump prints; all counts are 0 for a dump that prints neither.

    `vertex` compares with vertex divergence. Without options, the rules are those of the release and the
    driver that printed the dump, as far as its text tells.
    """
    if options is None:
        options = DivergenceOptions.of_dump(shader)
    info = divergence(shader, options.for_vertices() if vertex else options)
    values, flags = 0, 0
    differing_values: list[Def] = []
    differing_flags: list[Block | Loop] = []
    for impl in shader.impls():
        for value in impl.defs():
            if value.divergent is None:
                continue
            values += 1
            if value.divergent != info.is_divergent(value):
                differing_values.append(value)
        for node in impl.cf_nodes():
            if isinstance(node, Block | Loop) and node.divergent is not None:
                flags += 1
                found = (
                    info.is_block_divergent(node) if isinstance(node, Block) else info.is_loop_divergent(node)
                )
                if node.divergent != found:
                    differing_flags.append(node)
    return Agreement(
        values,
        values - len(differing_values),
        flags,
        flags - len(differing_flags),
        tuple(differing_values),
        tuple(differing_flags),
    )
