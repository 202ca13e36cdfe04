"""The pass `opt_algebraic`: algebraic simplification by rewrite rules (Mesa: nir_opt_algebraic).

The rules are in `algebraic_rules`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.float_controls import FloatControls
from nirls.ir.model.instructions import AluInstr, constant_of
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables import opcode
from nirls.ir.tables.families import MOVES
from nirls.passes.cleanup.algebraic_pattern import Pattern, PatternConstant, PatternOperation, PatternVariable
from nirls.passes.cleanup.algebraic_rules import Rule, rules_by_opcode
from nirls.passes.cleanup.constants import become_constant
from nirls.passes.cleanup.copies import is_copy
from nirls.passes.declaration import Pass

# Guarantees for the matched operation that may not hold for its replacement.
_PROMISES = frozenset(("nsw", "nuw"))

Read = tuple[Def, tuple[int, ...]]


@dataclass(frozen=True)
class OptAlgebraic(Pass):
    """Simplify arithmetic by algebraic identities."""

    name = "opt_algebraic"
    needs_structure = False

    def apply(self, shader: Shader) -> bool:
        return opt_algebraic(shader)


def opt_algebraic(shader: Shader) -> bool:
    """Replace operations by simpler ones with the same result.

    Inexact rules are not applied if a replaced operation is exact, has another float control flag, or if the
    float controls of the shader preserve infinities, NaNs or signs of zeros; where they flush denormals or
    specify rounding, no rule is applied to floats. Matching ignores moves between operations.
    """
    controls = FloatControls.of(shader)
    changed = [impl for impl in shader.impls() if _Rewriter(impl, controls).run()]
    return bool(changed)


def drop_operands(shader: Shader) -> bool:
    """Apply the rules of `opt_algebraic` that make operands unread, such as `fmul(a, 0.0)`.

    After constants are propagated, these make other inputs dead; all other code keeps its text.
    """
    controls = FloatControls.of(shader)
    changed = [impl for impl in shader.impls() if _Rewriter(impl, controls, only_dropping=True).run()]
    return bool(changed)


@dataclass(frozen=True, slots=True)
class _Match:
    """The values bound to the variables of a rule, and the flags of all matched operations."""

    values: Mapping[str, Read]
    flags: frozenset[str]

    def with_value(self, name: str, read: Read) -> _Match:
        return _Match({**self.values, name: read}, self.flags)

    def with_flags(self, flags: frozenset[str]) -> _Match:
        return _Match(self.values, self.flags | flags)


class _Rewriter:
    """The pass over one function body."""

    def __init__(self, impl: FunctionImpl, controls: FloatControls, *, only_dropping: bool = False) -> None:
        self.impl = impl
        self.controls = controls
        self.only_dropping = only_dropping
        self.builder: Builder | None = None

    def run(self) -> bool:
        rules = rules_by_opcode()
        progress = False
        for instr in self.impl.instrs():
            if not isinstance(instr, AluInstr):
                continue
            # Another rule may match the result; every rule simplifies, so this terminates.
            while self._apply_first(instr, rules.get(instr.op, ())):
                progress = True
                if instr.block is None:
                    break
        return progress

    def _apply_first(self, instr: AluInstr, rules: Sequence[Rule]) -> bool:
        value = instr.def_
        if value is None or not rules or not _is_plain(instr):
            return False
        controls, size = self.controls, instr.sources[0].bit_size
        if controls.may_flush(size) and _is_float(instr):
            return False
        preserves = size in controls.preserved
        whole = tuple(range(value.num_components))
        makers = {_maker_of(src) for src in instr.sources}
        for rule in rules:
            if not rule.source_makers <= makers or (self.only_dropping and not rule.drops_operand):
                continue
            match = next(_match_operation(rule.search_pattern, instr, whole, _Match({}, frozenset())), None)
            if match is None or (rule.inexact and (preserves or match.flags - _PROMISES)):
                continue
            if self._replace(instr, value, rule.replace_pattern, match):
                return True
        return False

    def _replace(self, instr: AluInstr, value: Def, pattern: Pattern, match: _Match) -> bool:
        if isinstance(pattern, PatternConstant):
            bits = pattern.bits(value.bit_size)
            if bits is None:
                return False
            become_constant(instr, (bits,) * value.num_components)
            return True
        if not _sizes_fit(pattern, value, match):
            return False
        if isinstance(pattern, PatternVariable):
            op, sources, flags = "mov", [AluSrc(*match.values[pattern.name])], frozenset[str]()
        else:
            flags = match.flags - _PROMISES
            op = pattern.op
            sources = [self._source(source, instr, value, match) for source in pattern.sources]
        instr.become(op, sources)
        instr.flags = flags
        return True

    def _source(self, pattern: Pattern, instr: AluInstr, value: Def, match: _Match) -> AluSrc:
        if isinstance(pattern, PatternVariable):
            return AluSrc(*match.values[pattern.name])
        builder = self._builder_before(instr)
        width = value.num_components
        whole = tuple(range(width))
        if isinstance(pattern, PatternConstant):
            bits = pattern.bits(value.bit_size) or 0
            return AluSrc(builder.load_const([bits] * width, value.bit_size), whole)
        sources = [self._source(source, instr, value, match) for source in pattern.sources]
        made = builder.before_instr(instr).alu(
            pattern.op, sources, width, value.bit_size, match.flags - _PROMISES
        )
        return AluSrc(made, whole)

    def _builder_before(self, instr: AluInstr) -> Builder:
        if self.builder is None:
            self.builder = Builder(self.impl, self.impl.start_block)
        return self.builder.before_instr(instr)


def _is_float(instr: AluInstr) -> bool:
    entry = opcode(instr.op)
    return entry is not None and (
        entry.output_type.startswith("float") or any(kind.startswith("float") for kind in entry.input_types)
    )


def _sizes_fit(pattern: PatternVariable | PatternOperation, value: Def, match: _Match) -> bool:
    """Whether the variables in positions sized like the result have its bit size.

    For example, the constants matched by `bcsel(a@1, true, false)` may be wider than `a`.
    """
    if isinstance(pattern, PatternVariable):
        return match.values[pattern.name][0].bit_size == value.bit_size
    entry = opcode(pattern.op)
    if entry is None or entry.output_type not in ("float", "int", "uint", "bool"):
        return True
    return all(
        match.values[source.name][0].bit_size == value.bit_size
        for source, kind in zip(pattern.sources, entry.input_types, strict=True)
        if isinstance(source, PatternVariable) and kind in ("float", "int", "uint", "bool")
    )


def _is_plain(instr: AluInstr) -> bool:
    """Whether an operation is per component, on SSA values and without modifiers of old dialects."""
    entry = opcode(instr.op)
    if entry is None or entry.output_size or any(entry.input_sizes) or "sat" in instr.flags:
        return False
    width = 0 if instr.def_ is None else instr.def_.num_components
    return all(
        src.def_ is not None and not src.negate and not src.abs and len(src.swizzle) == width
        for src in instr.sources
    )


def _match_operation(
    pattern: PatternOperation, instr: AluInstr, swizzle: tuple[int, ...], match: _Match
) -> Iterator[_Match]:
    """Yield all matches of a pattern with the given components of an instruction's result."""
    if instr.op != pattern.op or len(instr.sources) != len(pattern.sources) or not _is_plain(instr):
        return
    if instr.def_ is None or max(swizzle, default=0) >= instr.def_.num_components:
        return
    match = match.with_flags(instr.flags)
    reads = [(src.ssa, tuple(src.swizzle[component] for component in swizzle)) for src in instr.sources]
    orders = [reads]
    if pattern.is_commutative and len(reads) >= 2:
        orders.append([reads[1], reads[0], *reads[2:]])
    for order in orders:
        yield from _match_all(pattern.sources, order, match)


def _match_all(patterns: Sequence[Pattern], reads: Sequence[Read], match: _Match) -> Iterator[_Match]:
    if not patterns:
        yield match
        return
    for first in _match_read(patterns[0], reads[0], match):
        yield from _match_all(patterns[1:], reads[1:], first)


def _match_read(pattern: Pattern, read: Read, match: _Match) -> Iterator[_Match]:
    value, swizzle = read = _behind_moves(read)
    if isinstance(pattern, PatternVariable):
        known = match.values.get(pattern.name)
        if known is None and pattern.bit_size in (0, value.bit_size):
            yield match.with_value(pattern.name, read)
        elif known == read:
            yield match
        return
    if isinstance(pattern, PatternConstant):
        constant = constant_of(value)
        bits = pattern.bits(value.bit_size)
        if constant is None or bits is None or max(swizzle, default=0) >= len(constant):
            return
        if all(constant[one] == bits for one in swizzle):
            yield match
        return
    if isinstance(value.instr, AluInstr):
        yield from _match_operation(pattern, value.instr, swizzle, match)


def _maker_of(src: AluSrc) -> str:
    value, _ = _behind_moves((src.ssa, src.swizzle))
    maker = value.instr
    if isinstance(maker, AluInstr):
        return maker.op
    return "" if maker is None else maker.kind


def _behind_moves(read: Read) -> Read:
    value, swizzle = read
    while isinstance(value.instr, AluInstr) and value.instr.op in MOVES and is_copy(value.instr):
        source = value.instr.sources[0]
        if source.def_ is value or max(swizzle, default=0) >= len(source.swizzle):
            break
        swizzle = tuple(source.swizzle[component] for component in swizzle)
        value = source.ssa
    return value, swizzle
