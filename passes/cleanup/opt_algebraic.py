"""The pass `opt_algebraic`: algebraic simplification by rewrite rules (Mesa: nir_opt_algebraic).

The rules are in `algebraic_rules`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.float_controls import FloatControls
from nirls.ir.model.instructions import AluInstr, constant_of
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.rewriting.matching import Match, matches
from nirls.ir.rewriting.patterns import Pattern, PatternConstant, PatternOperation, PatternVariable
from nirls.ir.tables import opcode
from nirls.ir.tables.families import MOVES
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


class _Reads:
    """Values of a function with swizzles, as expressions that patterns match; moves count for nothing."""

    def operands(self, read: Read, op: str) -> list[Read] | None:
        """See `Expressions.operands`."""
        value, swizzle = read
        instr = value.instr
        if not isinstance(instr, AluInstr) or instr.op != op or not _is_plain(instr):
            return None
        if max(swizzle, default=0) >= value.num_components:
            return None
        return _operands(instr, swizzle)

    def is_constant(self, read: Read, constant: PatternConstant) -> bool:
        """See `Expressions.is_constant`."""
        value, swizzle = read
        known, bits = constant_of(value), constant.bits(value.bit_size)
        if known is None or bits is None or max(swizzle, default=0) >= len(known):
            return False
        return all(known[component] == bits for component in swizzle)

    def bit_size(self, read: Read) -> int:
        """See `Expressions.bit_size`."""
        return read[0].bit_size

    def origin(self, read: Read) -> Read:
        """See `Expressions.origin`."""
        return _behind_moves(read)


def _operands(instr: AluInstr, swizzle: tuple[int, ...]) -> list[Read]:
    return [(src.ssa, tuple(src.swizzle[component] for component in swizzle)) for src in instr.sources]


def _flags(instr: AluInstr, match: Match[Read]) -> frozenset[str]:
    """Return the flags of all matched operations."""
    makers = (read[0].instr for read in match.operations)
    return instr.flags.union(*(maker.flags for maker in makers if isinstance(maker, AluInstr)))


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
            match = next(matches(rule.search_pattern, _operands(instr, whole), _Reads()), None)
            if match is None:
                continue
            flags = _flags(instr, match) - _PROMISES
            if rule.inexact and (preserves or flags):
                continue
            if self._replace(instr, value, rule.replace_pattern, match.reads, flags):
                return True
        return False

    def _replace(
        self, instr: AluInstr, value: Def, pattern: Pattern, reads: Mapping[str, Read], flags: frozenset[str]
    ) -> bool:
        if isinstance(pattern, PatternConstant):
            bits = pattern.bits(value.bit_size)
            if bits is None:
                return False
            become_constant(instr, (bits,) * value.num_components)
            return True
        if not _sizes_fit(pattern, value, reads):
            return False
        if isinstance(pattern, PatternVariable):
            op, sources, flags = "mov", [AluSrc(*reads[pattern.name])], frozenset[str]()
        else:
            op = pattern.op
            sources = [self._source(source, instr, value, reads, flags) for source in pattern.sources]
        instr.become(op, sources)
        instr.flags = flags
        return True

    def _source(
        self, pattern: Pattern, instr: AluInstr, value: Def, reads: Mapping[str, Read], flags: frozenset[str]
    ) -> AluSrc:
        if isinstance(pattern, PatternVariable):
            return AluSrc(*reads[pattern.name])
        builder = self._builder_before(instr)
        width = value.num_components
        whole = tuple(range(width))
        if isinstance(pattern, PatternConstant):
            bits = pattern.bits(value.bit_size) or 0
            return AluSrc(builder.load_const([bits] * width, value.bit_size), whole)
        sources = [self._source(source, instr, value, reads, flags) for source in pattern.sources]
        made = builder.before_instr(instr).alu(pattern.op, sources, width, value.bit_size, flags)
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


def _sizes_fit(pattern: PatternVariable | PatternOperation, value: Def, reads: Mapping[str, Read]) -> bool:
    """Whether the variables in positions sized like the result have its bit size.

    For example, the constants matched by `bcsel(a@1, true, false)` may be wider than `a`.
    """
    if isinstance(pattern, PatternVariable):
        return reads[pattern.name][0].bit_size == value.bit_size
    entry = opcode(pattern.op)
    if entry is None or entry.output_type not in ("float", "int", "uint", "bool"):
        return True
    return all(
        reads[source.name][0].bit_size == value.bit_size
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
