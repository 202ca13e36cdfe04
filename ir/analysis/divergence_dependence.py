"""Dependence of an instruction's divergence on its sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from nirls.ir.analysis.divergence_options import DivergenceOptions, Release
from nirls.ir.analysis.divergence_rules import (
    OTHER_STORES,
    UNIFORM_MODES,
    IntrinsicRule,
    Tearing,
    rule_of,
    system_value_rule,
)
from nirls.ir.effects import can_reorder
from nirls.ir.model.access import NON_UNIFORM, NON_WRITEABLE
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import AluInstr, CallInstr, DerefInstr, Instr, IntrinsicInstr, TexInstr
from nirls.ir.model.shader import Variable
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Src

_TEXTURE_KINDS = frozenset({"texture_deref", "texture_handle", "texture_offset"})
_SAMPLER_KINDS = frozenset({"sampler_deref", "sampler_handle", "sampler_offset"})
_READS_OF_PATCH = frozenset({"load_per_vertex_input", "load_output", "load_per_vertex_output"})


class Dependence(NamedTuple):
    """Conditions for a value to be divergent.

    `because` is not empty for a value that is divergent whatever its sources are, and completes a
    sentence about its instruction. Otherwise one divergent source of `sources` is enough, or all of
    them must diverge with `all_needed`. Irrelevant sources are left out.
    """

    because: str
    sources: Sequence[Src] = ()
    all_needed: bool = False


NOTHING = Dependence("")


class Dependences:
    """The dependence of each instruction of one function body, for one driver."""

    __slots__ = ("_impl", "_options", "_stage")

    def __init__(self, impl: FunctionImpl, stage: Stage | None, options: DivergenceOptions) -> None:
        self._impl = impl
        self._stage = stage
        self._options = options

    def of(self, instr: Instr) -> Dependence:
        """Return the dependence of an instruction.

        Not for phis, whose value depends on control flow, and parallel copies, whose values each depend on
        their own source.
        """
        if isinstance(instr, AluInstr):
            return Dependence("", instr.sources)
        if isinstance(instr, IntrinsicInstr):
            return self._of_intrinsic(instr)
        if isinstance(instr, TexInstr):
            return Dependence("", _counted_tex_sources(instr))
        if isinstance(instr, DerefInstr):
            return self._of_deref(instr)
        if isinstance(instr, CallInstr):
            return Dependence("is a call, which is not looked into")
        return NOTHING

    def rule(self, instr: IntrinsicInstr) -> IntrinsicRule:
        """Return the convergence rule of an intrinsic."""
        return rule_of(instr, self._options.release)

    def _of_intrinsic(self, instr: IntrinsicInstr) -> Dependence:
        if instr.name == "load_param" and self._is_uniform_param(instr):
            return NOTHING
        if self._options.patch and self._stage is Stage.TESS_CTRL and instr.name in _READS_OF_PATCH:
            return Dependence("", instr.sources)
        rule = self.rule(instr)
        if rule.is_same_in_primitive(self._stage, self._options):
            # Mesa ignores the sources here: an input of a patch is uniform over its vertices, but with an
            # indirect offset only if all vertices read the same element.
            return Dependence("", [instr.sources[number] for number in rule.sources or ()])
        if rule.is_divergent_itself(self._stage, self._options):
            return Dependence(rule.why_divergent_itself(self._stage))
        if rule.tearing is not Tearing.NO and self._may_tear(instr, rule.tearing):
            return Dependence(OTHER_STORES)
        if rule.sources is None:
            return Dependence("", instr.sources)
        counted = [instr.sources[number] for number in rule.sources if number < len(instr.sources)]
        if instr.int_index("access") & NON_UNIFORM and rule.resource is not None:
            counted += instr.sources[rule.resource : rule.resource + 1]
        return Dependence("", counted, rule.all_must_diverge)

    def _may_tear(self, instr: IntrinsicInstr, tearing: Tearing) -> bool:
        if self._options.memory_may_change:
            return not can_reorder(instr)
        if not self._options.uniform_load_tears:
            return False
        return tearing is Tearing.YES or not instr.int_index("access") & NON_WRITEABLE

    def _is_uniform_param(self, instr: IntrinsicInstr) -> bool:
        params = self._impl.function.params
        number = instr.int_index("param_idx", -1)
        if not 0 <= number < len(params) or self._options.release is Release.MESA_22_3:
            return False
        # Dumps do not print which parameters are uniform, but `con` and `div` at the load show it.
        is_printed = instr.def_ is not None and instr.def_.divergent is False and not self._options.vertex
        return is_printed or "uniform" in params[number].text.split()

    def _of_deref(self, deref: DerefInstr) -> Dependence:
        if deref.deref_kind == "var":
            return Dependence(self._why_variable_diverges(deref))
        if deref.deref_kind == "cast":
            # Mesa reads the mode of the cast's variable, which a cast does not have, and gets none
            # of the uniform modes, in all releases so far.
            return Dependence("is a cast pointer, of which nothing is known")
        return Dependence("", deref.srcs())

    def _why_variable_diverges(self, deref: DerefInstr) -> str:
        mode = deref.mode if deref.var is None else deref.var.mode
        if mode in UNIFORM_MODES:
            return ""
        if mode == "system" and self._options.release is not Release.MESA_22_3:
            rule = system_value_rule(None if deref.var is None else deref.var.location, self._options.release)
            is_divergent = rule.is_divergent_itself(self._stage, self._options)
            return rule.why_divergent_itself(self._stage) if is_divergent else ""
        if deref.var is not None and self._is_shared_by_subgroup(deref.var):
            return ""
        return f"names a variable of mode {mode}, of which every invocation has its own"

    def _is_shared_by_subgroup(self, variable: Variable) -> bool:
        options = self._options
        if self._stage is Stage.FRAGMENT:
            is_flat = variable.interpolation == "INTERP_MODE_FLAT"
            return options.single_prim_per_subgroup and variable.mode == "shader_in" and is_flat
        if self._stage is Stage.TESS_CTRL:
            if self._options.patch and variable.mode in ("shader_in", "shader_out"):
                return True
            is_patch_output = variable.mode == "shader_out" and "patch" in variable.qualifiers
            return options.single_patch_per_tcs_subgroup and is_patch_output
        if self._stage is Stage.TESS_EVAL:
            is_patch_input = variable.mode == "shader_in" and "patch" in variable.qualifiers
            return options.single_patch_per_tes_subgroup and is_patch_input
        return False


def _counted_tex_sources(tex: TexInstr) -> Sequence[Src]:
    """Return the sources of a texture instruction; texture and sampler only if they may diverge.

    Without the `non-uniform` flag they are uniform by definition.
    """
    left_out: frozenset[str] = frozenset()
    if "texture non-uniform" not in tex.flags:
        left_out |= _TEXTURE_KINDS
    if "sampler non-uniform" not in tex.flags:
        left_out |= _SAMPLER_KINDS
    return [src for src in tex.sources if src.kind not in left_out]
