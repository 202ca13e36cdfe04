"""Divergence: values that may differ between the invocations of a subgroup, or the vertices of a primitive.

The facts come from `divergence_rules`, the propagation from `divergence_walk`, the explanations from
`divergence_reasons`. A shader need not be in loop-closed SSA: see `DivergenceInfo.is_divergent`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nirls.ir.analysis.analysis_cache import cached_analysis
from nirls.ir.analysis.divergence_options import DivergenceOptions, Release
from nirls.ir.analysis.divergence_reasons import Explainer, Reason
from nirls.ir.analysis.divergence_walk import BodyDivergence
from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.instructions import LoadConstInstr, UndefInstr
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
    """Divergence results for a shader, a snapshot.

    `bodies` are the results of the functions, each analysed separately.
    """

    __slots__ = ("_body_of", "_explainers", "_shader", "bodies", "options")

    def __init__(self, shader: Shader, options: DivergenceOptions) -> None:
        self.options = options
        self._shader = shader
        self.bodies = [BodyDivergence(impl, shader.stage, options) for impl in shader.impls()]
        self._body_of = {block: body for body in self.bodies for block in body.block_flags}
        self._explainers: dict[FunctionImpl, Explainer] = {}

    def is_divergent(self, value: Def) -> bool:
        """Return whether a value may differ between invocations at its definition.

        A convergent value of a loop that invocations leave in different iterations is still divergent for
        a use after the loop (temporal divergence), see `is_use_divergent`. In loop-closed SSA
        such a use is a phi, and divergent itself. A number without a definition counts as divergent,
        and a value of another shader as convergent.
        """
        body = self._body(value)
        if body is None:
            return any(value in body.divergent for body in self.bodies)
        return value in body.divergent

    def is_use_divergent(self, src: Src) -> bool:
        """Return whether the value of a src may differ between invocations at the point of the use.

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
        """Return whether a register of register-form NIR may differ between invocations.

        It does if any write is divergent, or is under divergent control flow.
        """
        return any(register in body.registers for body in self.bodies)

    def is_block_divergent(self, block: Block) -> bool | None:
        """Return whether only some of the innermost loop's active invocations may run the block.

        Dumps print this as `con block` or `div block`; None for an end block, which has neither. Only
        control flow within the innermost loop counts, not a divergent if around it.
        """
        body = self._body_of.get(block)
        return None if body is None else body.block_flags[block]

    def is_loop_divergent(self, loop: Loop) -> bool:
        """Return whether some invocations leave or continue the loop before others."""
        return self.has_divergent_break(loop) or self.has_divergent_continue(loop)

    def has_divergent_break(self, loop: Loop) -> bool:
        """Return whether invocations may leave the loop in different iterations."""
        return any(loop in body.broken_loops for body in self.bodies)

    def has_divergent_continue(self, loop: Loop) -> bool:
        """Return whether invocations may continue the loop at different points."""
        return any(loop in body.continued_loops for body in self.bodies)

    def divergent_values(self) -> Iterator[Def]:
        """Yield every divergent def in printed order."""
        for body in self.bodies:
            for value in body.impl.defs():
                if value in body.divergent:
                    yield value

    def reasons(self, value: Def) -> list[Reason]:
        """Return the shortest chain of reasons from a divergent value to its root cause.

        Empty for a convergent value.
        """
        explainer = self._explainer(value)
        return [] if explainer is None else explainer.shortest_chain(value)

    def all_reasons(self, value: Def) -> list[list[Reason]]:
        """Return the shortest chain for each direct cause, in order of length."""
        explainer = self._explainer(value)
        return [] if explainer is None else explainer.chains(value)

    def why_convergent(self, value: Def) -> str:
        """Explain in a sentence why a value is convergent; empty for a divergent one."""
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
    """Analyse divergence between the invocations of a subgroup (Mesa: `nir_divergence_analysis`).

    Default options: all driver guarantees off, rules of Mesa 25.0. Each function is analysed separately;
    parameters are divergent unless declared uniform. Never raises, and ignores printed `con` and `div`.
    """
    return _divergence(shader, DivergenceOptions() if options is None else options)


@cached_analysis
def _divergence(shader: Shader, options: DivergenceOptions) -> DivergenceInfo:
    return DivergenceInfo(shader, options)


def vertex_divergence(shader: Shader, options: DivergenceOptions | None = None) -> DivergenceInfo:
    """Analyse divergence between the vertices of a primitive (Mesa: `nir_vertex_divergence_analysis`).

    Meant for the stages before the fragment shader.
    """
    return divergence(shader, (DivergenceOptions() if options is None else options).for_vertices())


def patch_divergence(shader: Shader) -> DivergenceInfo:
    """Analyse divergence between the invocations of one patch of a control shader.

    Loads of memory that others may write count as divergent, and the current release's rules apply: this is
    conservative, for passes, not for comparison with dumps.
    """
    return divergence(shader, DivergenceOptions().for_patch())


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of the analysis with the `con` and `div` of a dump.

    `flags` counts blocks and loops. The differing values and blocks or loops are listed in order.
    """

    values: int
    values_equal: int
    flags: int
    flags_equal: int
    differing_values: tuple[Def, ...] = ()
    differing_flags: tuple[Block | Loop, ...] = ()


_CONSTANTS = (LoadConstInstr, UndefInstr)


def agreement(shader: Shader, *, vertex: bool = False) -> Agreement:
    """Compare the analysis with what the dump prints; all counts are 0 for a dump that prints neither.

    `vertex` compares with vertex divergence. The rules are those of the release and the driver that printed
    the dump, as far as known from its text.
    """
    options = DivergenceOptions.of_dump(shader)
    info = divergence(shader, options.for_vertices() if vertex else options)
    values, flags = 0, 0
    differing_values: list[Def] = []
    differing_flags: list[Block | Loop] = []
    for impl in shader.impls():
        for value in impl.defs():
            # A new def is divergent until it is analyzed (Mesa: nir_def_init), and no analysis makes a
            # constant divergent: a pass behind the analysis has made it.
            if value.divergent is None or (value.divergent and isinstance(value.instr, _CONSTANTS)):
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
