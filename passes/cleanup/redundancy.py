"""Redundant code as findings: dead values, common subexpressions, constants that are computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.float_controls import FloatControls
from nirls.ir.model.instructions import DerefInstr, Instr, IntrinsicInstr, LoadConstInstr, UndefInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.passes.cleanup.codes import CLEAN_UP, COMMON_SUBEXPRESSION, DEAD_VALUE, FOLDABLE_CONSTANT
from nirls.passes.cleanup.opt_constant_folding import fold, folded_value, opt_constant_folding
from nirls.passes.cleanup.opt_cse import common_subexpressions, merge_into, opt_cse
from nirls.passes.cleanup.opt_dce import dead_instrs, opt_dce
from nirls.passes.dead_code import remove_with_its_sources
from nirls.passes.finding import Change, Finding, FindingCode, Fix, Place, Related

# Every dump has several of each; their repetition costs nothing.
_FREE = (LoadConstInstr, UndefInstr, DerefInstr)


def redundancies(shader: Shader) -> Iterator[Finding]:
    """One finding for each instruction that clean-up could do without; the shader is not changed.

    An instruction that is dead is reported as nothing else. Constants, undefined values and derefs are
    reported only as dead.
    """
    controls = FloatControls.of(shader)
    for impl in shader.impls():
        dead = set(dead_instrs(impl))
        for instr in impl.instrs():
            if instr in dead and instr.span is not None:
                yield _dead_value(shader, instr, instr.span)
        yield from _common_subexpressions(shader, impl, dead)
        for instr in impl.instrs():
            if instr in dead or instr.span is None:
                continue
            if folded_value(instr, controls) is not None:
                yield _foldable_constant(shader, instr, instr.span)


def _dead_value(shader: Shader, instr: Instr, span: Span) -> Finding:
    return _finding(
        shader,
        DEAD_VALUE,
        span,
        f"nothing needs {_name(instr)}",
        (),
        _fixes(
            shader, DEAD_VALUE, span, f"Remove {_name(instr)}", _remove, "Remove all dead values", opt_dce
        ),
    )


def _common_subexpressions(shader: Shader, impl: FunctionImpl, dead: set[Instr]) -> Iterator[Finding]:
    for instr, equal in common_subexpressions(impl):
        if isinstance(instr, _FREE) or instr in dead or instr.span is None:
            continue
        related: tuple[Related, ...] = ()
        if equal.span is not None:
            related = (Related(Place(shader, equal.span), f"{_name(equal)} is the same"),)
        yield _finding(
            shader,
            COMMON_SUBEXPRESSION,
            instr.span,
            f"{_name(instr)} is the same as {_name(equal)}",
            related,
            _fixes(
                shader,
                COMMON_SUBEXPRESSION,
                instr.span,
                f"Use {_name(equal)} for {_name(instr)}",
                _merge,
                "Merge all common subexpressions",
                opt_cse,
            ),
        )


def _foldable_constant(shader: Shader, instr: Instr, span: Span) -> Finding:
    what = instr.name if isinstance(instr, IntrinsicInstr) else getattr(instr, "op", instr.kind)
    return _finding(
        shader,
        FOLDABLE_CONSTANT,
        span,
        f"{_name(instr)} is a constant: all that this {what} reads is",
        (),
        _fixes(
            shader,
            FOLDABLE_CONSTANT,
            span,
            f"Replace {_name(instr)} by its value",
            _fold,
            "Fold all constants",
            opt_constant_folding,
        ),
    )


def _finding(
    shader: Shader,
    code: FindingCode,
    span: Span,
    message: str,
    related: tuple[Related, ...],
    fixes: tuple[Fix, ...],
) -> Finding:
    return Finding(code, Place(shader, span), message, CLEAN_UP, related=related, fixes=fixes)


def _fixes(
    shader: Shader,
    code: FindingCode,
    span: Span,
    title: str,
    change_one: Callable[[FunctionImpl, Instr], bool],
    title_of_all: str,
    change_all: Callable[[Shader], bool],
) -> tuple[Fix, ...]:
    def compute_one() -> list[Change]:
        after = clone_shader(shader)
        for impl in after.impls():
            for instr in impl.instrs():
                if instr.span == span:
                    return [Change(shader, after)] if change_one(impl, instr) else []
        return []

    def compute_all() -> list[Change]:
        after = clone_shader(shader)
        return [Change(shader, after)] if change_all(after) else []

    return (
        Fix(title, f"{code.code}:{span.start}", compute_one, preferred=True),
        Fix(title_of_all, f"{code.code}:all", compute_all, "all"),
    )


def _remove(impl: FunctionImpl, instr: Instr) -> bool:
    if instr not in dead_instrs(impl):
        return False
    _remove_dead(impl, instr)
    return True


def _remove_dead(impl: FunctionImpl, instr: Instr) -> None:
    """Remove a dead instruction; what reads it is dead too and goes with it."""
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


def _merge(impl: FunctionImpl, instr: Instr) -> bool:
    for one, equal in common_subexpressions(impl):
        if one is instr:
            merge_into(one, equal)
            return True
    return False


def _fold(impl: FunctionImpl, instr: Instr) -> bool:
    return fold(instr)


def _name(instr: Instr) -> str:
    return "this" if instr.def_ is None else f"%{instr.def_.index}"
