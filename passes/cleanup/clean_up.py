"""The pass `clean_up`: the clean-up passes up to a fixed point, and findings for what they would remove."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from nirls.ir.finding import Finding, FindingCode, Fix, Place, Related, Severity
from nirls.ir.model.control_flow import FunctionImpl
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
from nirls.passes.declaration import Change, Pass, changes

DEAD_VALUE = FindingCode("dead-value", "Unused value", Severity.HINT, unnecessary=True)
COMMON_SUBEXPRESSION = FindingCode("common-subexpression", "Repeated computation", Severity.HINT)
FOLDABLE_CONSTANT = FindingCode("foldable-constant", "Value that can be folded to a constant", Severity.HINT)

# Duplicates of these cost nothing, and occur in every dump.
_FREE = (LoadConstInstr, UndefInstr, DerefInstr)


def redundancies(shader: Shader, dump: int = 0) -> Iterator[Finding]:
    """Yield a finding for each redundant instruction; the shader is not changed.

    A dead instruction has no other finding. Constants, undefined values and derefs are reported only as
    dead.
    """
    controls = FloatControls.of(shader)
    for impl in shader.impls():
        dead = set(dead_instrs(impl))
        for instr in impl.instrs():
            if instr in dead and instr.span is not None:
                place, name = Place.of(instr.span, dump), _name(instr)
                yield _finding(DEAD_VALUE, place, f"{name} is unused", f"Remove {name}")
        for instr, equal in common_subexpressions(impl):
            if isinstance(instr, _FREE) or instr in dead or instr.span is None:
                continue
            name, other = _name(instr), _name(equal)
            related = (
                ()
                if equal.span is None
                else (Related(Place.of(equal.span, dump), f"{other} is computed here"),)
            )
            place = Place.of(instr.span, dump)
            message = f"{name} computes the same value as {other}"
            yield _finding(COMMON_SUBEXPRESSION, place, message, f"Replace {name} by {other}", related)
        for instr in impl.instrs():
            if instr in dead or instr.span is None:
                continue
            if folded_value(instr, controls) is not None:
                name = _name(instr)
                message = f"{name} can be folded: all sources of this {operation_name(instr)} are constant"
                place = Place.of(instr.span, dump)
                yield _finding(FOLDABLE_CONSTANT, place, message, f"Fold {name} to a constant")


def remove_redundancy(shader: Shader, key: str) -> bool:
    """Apply in place the fix of a finding of `redundancies`; return whether the shader changed."""
    code, _, start = key.partition(":")
    if code not in _REMOVALS:
        return False
    removal = _REMOVALS[code]
    if start == "all":
        return removal.every(shader)
    for impl in shader.impls():
        for instr in impl.instrs():
            if instr.span is not None and str(instr.span.start) == start:
                return removal.one(impl, instr)
    return False


def _finding(
    code: FindingCode, place: Place, message: str, title: str, related: tuple[Related, ...] = ()
) -> Finding:
    fixes = (
        Fix(title, f"{code.code}:{place.start}", preferred=True),
        Fix(_REMOVALS[code.code].title, f"{code.code}:all", "all"),
    )
    return code.at(place, message, related=related, fixes=fixes)


def _remove(impl: FunctionImpl, instr: Instr) -> bool:
    """Remove a dead instruction together with its users, which are dead too."""
    if instr not in dead_instrs(impl):
        return False
    gone: dict[Instr, None] = {}
    work = [instr]
    while work:
        one = work.pop()
        if one in gone:
            continue
        gone[one] = None
        if one.def_ is not None:
            work += [user for user in one.def_.users() if isinstance(user, Instr)]
    for one in reversed(gone):
        if one.block is not None:
            remove_with_its_sources(one)
    return True


def _merge(impl: FunctionImpl, instr: Instr) -> bool:
    for one, equal in common_subexpressions(impl):
        if one is instr:
            merge_into(one, equal)
            return True
    return False


def _fold(impl: FunctionImpl, instr: Instr) -> bool:
    return fold(instr)


@dataclass(frozen=True, slots=True)
class _Removal:
    """The fixes of a finding code: for one instruction, and for all of a shader with their title."""

    one: Callable[[FunctionImpl, Instr], bool]
    every: Callable[[Shader], bool]
    title: str


_REMOVALS = {
    DEAD_VALUE.code: _Removal(_remove, opt_dce, "Remove all unused values"),
    COMMON_SUBEXPRESSION.code: _Removal(_merge, opt_cse, "Merge all common subexpressions"),
    FOLDABLE_CONSTANT.code: _Removal(_fold, opt_constant_folding, "Fold all constants"),
}


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

    def find(self, shaders: Sequence[Shader]) -> Iterable[Finding]:
        for dump, shader in enumerate(shaders):
            yield from redundancies(shader, dump)

    def fix(self, shaders: Sequence[Shader], key: str) -> list[Change]:
        return changes(shaders, lambda copies: [one for one in copies if remove_redundancy(one, key)])


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
