"""One shader prepared for proofs: what does not depend on the shader that it is compared with."""

from __future__ import annotations

from functools import cache, cached_property

from nirls.ir.analysis.dominance import def_dominates_use, dominance, instr_order
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import AluInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def, Src
from nirls.verification.proof.alu import AluPlan
from nirls.verification.proof.chains import ChainFlow
from nirls.verification.proof.inlined_calls import with_inlined_calls
from nirls.verification.proof.private_variables import PrivateVariables
from nirls.verification.proof.surroundings import Surroundings


class Prepared:
    """A shader that does not change any more, which may take part in several proofs."""

    def __init__(self, shader: Shader) -> None:
        self.shader = shader
        self._plans: dict[AluInstr, AluPlan] = {}
        self.private = cache(self._private)
        self.flow = cache(self._flow)
        self.dominates_uses = cache(_dominates_uses)

    @cached_property
    def surroundings(self) -> Surroundings:
        """What must be the same outside of the bodies."""
        return Surroundings.of(self.shader)

    @cached_property
    def inlined(self) -> Prepared:
        """The shader before a pass with functions in place of their calls; itself if that is not possible."""
        inlined = with_inlined_calls(self.shader)
        return self if inlined is None else Prepared(inlined)

    def plan(self, instr: AluInstr, value: Def) -> AluPlan:
        """Return what an ALU instruction of the shader does."""
        plan = self._plans.get(instr)
        if plan is None:
            plan = self._plans[instr] = AluPlan.of(instr, value)
        return plan

    @cached_property
    def operations(self) -> frozenset[tuple[int, str]]:
        """The printed numbers of ALU results, with the opcodes."""
        made = ((instr.def_, instr.op) for instr in self.shader.instrs() if isinstance(instr, AluInstr))
        return frozenset((value.index, op) for value, op in made if value is not None)

    @cached_property
    def constant_operands(self) -> int:
        """How many components of ALU results are computed of a constant."""
        makers = (instr for instr in self.shader.instrs() if isinstance(instr, AluInstr))
        return sum(
            instr.def_.num_components
            for instr in makers
            if instr.def_ is not None and any(map(_is_constant, instr.sources))
        )

    def _private(self, impl: FunctionImpl, is_alone: bool, ambiguous: frozenset[str]) -> PrivateVariables:
        return PrivateVariables(self.shader, impl, shader_temps=is_alone, ambiguous=ambiguous)

    def _flow(self, impl: FunctionImpl, private: PrivateVariables, flattens: bool) -> ChainFlow:
        return ChainFlow(impl, private, flattens)


def prepared(shader: Shader | Prepared) -> Prepared:
    """Prepare a shader, unless it is."""
    return shader if isinstance(shader, Prepared) else Prepared(shader)


def _is_constant(src: Src) -> bool:
    return isinstance(src.def_instr, LoadConstInstr)


def _dominates_uses(impl: FunctionImpl) -> bool:
    """Whether every def dominates its uses."""
    tree, order = dominance(impl), instr_order(impl)
    return all(def_dominates_use(tree, order, value, src) for value in impl.defs() for src in value.uses)
