"""The pass `clean_up`: the clean-up passes up to a fixed point, and findings for what they would remove."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from nirls.ir.finding import Finding, FindingCode, Place, Related, Severity
from nirls.ir.model.float_controls import FloatControls
from nirls.ir.model.instructions import DerefInstr, Instr, LoadConstInstr, UndefInstr, operation_name
from nirls.ir.model.shader import Shader
from nirls.passes.cleanup.copy_prop import copy_prop
from nirls.passes.cleanup.opt_algebraic import opt_algebraic
from nirls.passes.cleanup.opt_constant_folding import fold, folded_value, opt_constant_folding
from nirls.passes.cleanup.opt_cse import common_subexpressions, merge_into, opt_cse
from nirls.passes.cleanup.opt_dce import dead_instrs, opt_dce
from nirls.passes.cleanup.opt_dead_cf import opt_dead_cf
from nirls.passes.cleanup.opt_remove_phis import opt_remove_phis
from nirls.passes.cleanup.opt_undef import opt_undef
from nirls.passes.dead_code import remove_with_its_sources
from nirls.passes.declaration import Pass, Site, SiteFix

DEAD_VALUE = FindingCode("dead-value", "Unused value", Severity.HINT, unnecessary=True)
COMMON_SUBEXPRESSION = FindingCode("common-subexpression", "Repeated computation", Severity.HINT)
FOLDABLE_CONSTANT = FindingCode("foldable-constant", "Value that can be folded to a constant", Severity.HINT)

# Duplicates of these cost nothing, and occur in every dump.
_FREE = (LoadConstInstr, UndefInstr, DerefInstr)


class _Redundancies:
    """Search for the redundant instructions of a shader."""

    def __init__(self, shader: Shader, dump: int) -> None:
        self.shader = shader
        self.dump = dump
        self.controls = FloatControls.of(shader)

    def sites(self) -> Iterable[Site]:
        """Yield a site for each redundant instruction.

        A dead instruction has no other one. Constants, undefined values and derefs are reported only as dead.
        """
        for impl in self.shader.impls():
            dead = set(dead_instrs(impl))
            for instr in impl.instrs():
                if instr in dead:
                    yield self._dead(instr)
            for instr, equal in common_subexpressions(impl):
                if not isinstance(instr, _FREE) and instr not in dead:
                    yield self._common(instr, equal)
            for instr in impl.instrs():
                if instr not in dead and folded_value(instr, self.controls) is not None:
                    yield self._foldable(instr)

    def _dead(self, instr: Instr) -> Site:
        name = _name(instr)
        finding = DEAD_VALUE.at(self._place(instr), f"{name} is unused")
        fix = SiteFix(f"Remove {name}", partial(self._apply, partial(_remove, instr)))
        return self._site(finding, fix, opt_dce, "Remove all unused values")

    def _common(self, instr: Instr, equal: Instr) -> Site:
        name, other = _name(instr), _name(equal)
        related = Related(self._place(equal), f"{other} is computed here")
        finding = COMMON_SUBEXPRESSION.at(
            self._place(instr),
            f"{name} computes the same value as {other}",
            related=(related,) if related.place.is_in_text else (),
        )
        fix = SiteFix(f"Replace {name} by {other}", partial(self._apply, partial(merge_into, instr, equal)))
        return self._site(finding, fix, opt_cse, "Merge all common subexpressions")

    def _foldable(self, instr: Instr) -> Site:
        name = _name(instr)
        message = f"{name} can be folded: all sources of this {operation_name(instr)} are constant"
        fix = SiteFix(f"Fold {name} to a constant", partial(self._apply, partial(fold, instr, self.controls)))
        finding = FOLDABLE_CONSTANT.at(self._place(instr), message)
        return self._site(finding, fix, opt_constant_folding, "Fold all constants")

    def _place(self, instr: Instr) -> Place:
        return Place.of(instr.span, self.dump)

    def _site(self, finding: Finding, fix: SiteFix, run: Callable[[Shader], object], title: str) -> Site:
        every = SiteFix(title, partial(self._apply, partial(run, self.shader)))
        return Site(finding, (fix,), every)

    def _apply(self, change: Callable[[], object]) -> list[Shader]:
        change()
        return [self.shader]


def _remove(instr: Instr) -> None:
    """Remove a dead instruction together with its users, which are dead too."""
    gone: dict[Instr, None] = {}
    work = [instr]
    while work:
        dead = work.pop()
        if dead in gone:
            continue
        gone[dead] = None
        if dead.def_ is not None:
            work += [user for user in dead.def_.users() if isinstance(user, Instr)]
    for dead in reversed(gone):
        if dead.block is not None:
            remove_with_its_sources(dead)


def _name(instr: Instr) -> str:
    return "this" if instr.def_ is None else f"%{instr.def_.index}"


SHADER_PASSES: tuple[Callable[[Shader], bool], ...] = (
    copy_prop,
    opt_remove_phis,
    opt_dce,
    opt_dead_cf,
    opt_cse,
    opt_constant_folding,
    opt_algebraic,
    opt_undef,
)
"""In the order in which Mesa's drivers run them."""


@dataclass(frozen=True)
class CleanUp(Pass):
    """Run the clean-up passes up to a fixed point."""

    name = "clean_up"
    codes = (DEAD_VALUE, COMMON_SUBEXPRESSION, FOLDABLE_CONSTANT)
    default = False

    def apply(self, shader: Shader) -> bool:
        return clean_up(shader)

    def sites(self, shaders: Sequence[Shader]) -> Iterable[Site]:
        for dump, shader in enumerate(shaders):
            yield from _Redundancies(shader, dump).sites()


def clean_up(shader: Shader, passes: Sequence[Callable[[Shader], bool]] = SHADER_PASSES) -> bool:
    """Run passes in turn up to a fixed point; return whether any changed the shader.

    Terminates because each pass reduces the number of instructions, or their cost at the same number.
    """
    progress = False
    unchanged = 0
    position = 0
    while unchanged < len(passes):
        if passes[position % len(passes)](shader):
            progress, unchanged = True, 0
        else:
            unchanged += 1
        position += 1
    return progress
