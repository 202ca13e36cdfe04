"""Validation of a shader: all checks in one walk."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from nirls.ir.finding import Finding, Severity
from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import (
    REGISTER_INTRINSICS,
    AluInstr,
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    PhiInstr,
    TexInstr,
)
from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.ir.tables import intrinsic, opcode
from nirls.ir.validation.alu import check_alu
from nirls.ir.validation.declarations import (
    check_call,
    check_header,
    check_text,
    check_variables,
    parameter_sizes,
)
from nirls.ir.validation.derefs import check_declared, check_deref, check_deref_access
from nirls.ir.validation.indices import check_function_parameter
from nirls.ir.validation.intrinsics import check_intrinsic
from nirls.ir.validation.outputs import check_overlapping_outputs
from nirls.ir.validation.registers import check_register_accesses, check_register_intrinsic
from nirls.ir.validation.reporter import Reporter
from nirls.ir.validation.ssa import check_definitions, check_phi, check_uses
from nirls.ir.validation.structure import JumpContext, check_edges, check_jump, check_structure
from nirls.ir.validation.textures import check_texture, is_known_texture_op

_DEREF_ACCESSES = frozenset(("load_deref", "store_deref", "copy_deref"))
# Warnings with these codes are about what passes and the evaluator rely on.
_DEFECT_CODES = frozenset(
    (
        "bad-control-flow",
        *("bad-source-count", "bad-component-count", "bad-bit-size", "bad-write-mask"),
        *("missing-destination", "unexpected-destination", "wrong-stage"),
    )
)
_VALUE = re.compile(r"%\d|\b(?:ssa_|r)\d+\b")
_OUTSIDE_OF_BODIES = JumpContext(False, False, True)


def validate(shader: Shader) -> list[Finding]:
    """Return the errors and warnings of a shader in source order (Mesa: `nir_validate_shader`).

    Never raises. Values of unknown size match everything, and consequences of a reported error are not
    reported again. O(n log n) for n instructions.
    """
    problems = _problems(shader)
    shader.defect = _defect(shader, problems)
    return problems


def errors_of(shader: Shader) -> list[Finding]:
    """Return the findings of a shader that passes cannot work with, in source order.

    These are the errors, and the warnings about missing blocks, and about operands and stages that no known
    release has.
    """
    return [problem for problem in validate(shader) if _is_defect(problem)]


def new_errors(before: Sequence[Shader], after: Sequence[Shader]) -> list[Finding]:
    """Return the errors in excess of those before, counted by code; the last ones of each code.

    The numbers of values and blocks may change, so single errors cannot be matched.
    """
    excess: list[Finding] = []
    for old, new in zip(before, after, strict=True):
        errors = errors_of(new)
        if not errors:
            continue
        allowed = Counter(problem.code for problem in errors_of(old))
        for problem in errors:
            allowed[problem.code] -= 1
            if allowed[problem.code] < 0:
                excess.append(problem)
    return excess


def defect_of(shader: Shader) -> str:
    """Return why no pass runs on a shader and nothing links it, "" if nothing is wrong with it.

    Passes take IR for valid, and for all code that reads its values. An unreadable line without a value is
    no defect, since it may be the remark of a driver; each pass decides what it may assume about it.
    """
    if shader.defect is None:
        validate(shader)
    return shader.defect or ""


def _defect(shader: Shader, problems: Sequence[Finding]) -> str:
    if shader.is_excerpt:
        return "it is an excerpt of a dump"
    for problem in problems:
        if _is_defect(problem) and problem.code != "syntax":
            return problem.message
    for line in shader.unreadable:
        if _VALUE.search(line.text):
            return "a line with values cannot be read"
    # Mesa's rules allow this in blocks that cannot be reached.
    return "a value is read above its definition" if shader.has_early_reads else ""


_NEED_THE_WHOLE = frozenset(
    (
        "bad-control-flow",
        "bad-jump",
        "bad-register",
        "dominance",
        "phi-position",
        "phi-sources",
        "stale-predecessors",
        "stale-successors",
        "undeclared-variable",
        "undefined-value",
        "unknown-function",
    )
)
"""Codes that mean nothing in an excerpt: what is missing may be in the rest of the dump."""


def _is_defect(problem: Finding) -> bool:
    return problem.severity is Severity.ERROR or problem.code in _DEFECT_CODES


def _problems(shader: Shader) -> list[Finding]:
    reporter = Reporter(shader)
    if shader.damage is not None:
        damage = shader.damage
        related = [(damage.opened, "it begins here")]
        reporter.report("damaged-dump", damage.reason, damage.span, related=related)
        return reporter.problems
    check_text(reporter)
    check_header(reporter)
    check_variables(reporter)
    check_declared(reporter)
    check_overlapping_outputs(reporter)
    unknown: set[tuple[str, str]] = set()
    for impl in shader.impls():
        _FunctionValidator(impl, reporter, unknown).check()
    if shader.is_excerpt:
        reporter.problems = [problem for problem in reporter.problems if problem.code not in _NEED_THE_WHOLE]
    for omitted in shader.omitted[:1]:
        message = "lines are left out here: what depends on them is not checked"
        reporter.report("omitted-lines", message, omitted)
    reporter.problems.sort(key=lambda problem: (problem.place.start, problem.place.end))
    return reporter.problems


class _FunctionValidator:
    """Validation of one function; `unknown` are the unknown names reported so far in the dump."""

    def __init__(self, impl: FunctionImpl, reporter: Reporter, unknown: set[tuple[str, str]]) -> None:
        self.impl = impl
        self.reporter = reporter
        self.unknown = unknown
        self.params = parameter_sizes(impl.function)

    def check(self) -> None:
        blocks = self.impl.blocks()
        contexts = check_structure(self.impl, blocks, self.reporter)
        check_edges(self.impl, blocks, self.reporter)
        check_definitions(blocks, self.reporter)
        check_uses(self.impl, blocks, self.reporter)
        for block in blocks:
            context = contexts.get(block, _OUTSIDE_OF_BODIES)
            for instr in block:
                self.check_instr(instr, block, context)

    def check_instr(self, instr: Instr, block: Block, context: JumpContext) -> None:
        if isinstance(instr, AluInstr):
            if opcode(instr.op) is not None:
                check_alu(instr, self.reporter)
            else:
                self._warn_unknown("unknown-opcode", "opcode", instr.op, instr.span)
        elif isinstance(instr, IntrinsicInstr):
            self._check_intrinsic(instr, block)
        elif isinstance(instr, DerefInstr):
            check_deref(instr, self.reporter)
        elif isinstance(instr, PhiInstr):
            check_phi(instr, block, self.reporter)
        elif isinstance(instr, TexInstr):
            if is_known_texture_op(instr.op):
                check_texture(instr, self.reporter)
            else:
                self._warn_unknown("unknown-opcode", "texture operation", instr.op, instr.span)
        elif isinstance(instr, JumpInstr):
            check_jump(instr, context, self.reporter)
        elif isinstance(instr, CallInstr):
            check_call(instr, self.reporter)
        check_register_accesses(instr, self.reporter)

    def _check_intrinsic(self, instr: IntrinsicInstr, block: Block) -> None:
        entry = intrinsic(instr.name)
        if entry is None:
            self._warn_unknown("unknown-intrinsic", "intrinsic", instr.name, instr.span)
            return
        check_intrinsic(instr, self.reporter)
        if instr.name in _DEREF_ACCESSES:
            check_deref_access(instr, self.reporter)
        elif instr.name in REGISTER_INTRINSICS:
            check_register_intrinsic(instr, self.impl, block, self.reporter)
        elif instr.name == "load_param" and self.params is not None:
            check_function_parameter(instr, self.params, self.reporter)

    def _warn_unknown(self, code: str, what: str, name: str, span: Span | None) -> None:
        if (code, name) in self.unknown:
            return
        self.unknown.add((code, name))
        place = self.reporter.place_of_name(span, name)
        self.reporter.report(code, f"no Mesa release that is known has the {what} {name}", place)
