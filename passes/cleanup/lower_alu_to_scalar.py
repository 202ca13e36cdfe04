"""The pass `lower_alu_to_scalar`: scalarization of vector arithmetic (Mesa: nir_lower_alu_to_scalar)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables import opcode
from nirls.ir.tables.families import VECTORS
from nirls.passes.declaration import Pass, option

_REDUCTIONS: dict[str, tuple[str, str]] = {
    f"{result}{quantifier}_{comparison}{size}": (f"{test}{suffix}", merge)
    for result, suffix in (("b", ""), ("b8", "8"), ("b16", "16"), ("b32", "32"))
    for quantifier, comparison, test, merge in (
        ("all", "fequal", "feq", "iand"),
        ("all", "iequal", "ieq", "iand"),
        ("any", "fnequal", "fneu", "ior"),
        ("any", "inequal", "ine", "ior"),
    )
    for size in (2, 3, 4, 8, 16)
} | {
    f"{name}{size}": pair
    for name, pair in (("fall_equal", ("seq", "fmin")), ("fany_nequal", ("sne", "fmax")))
    for size in (2, 3, 4, 8, 16)
}
_NOT_FOR_VECTORS = frozenset(("sat", "nsw", "nuw"))
_DOT_PRODUCTS = frozenset(f"fdot{size}" for size in (2, 3, 4, 8, 16))


@dataclass(frozen=True)
class LowerAluToScalar(Pass):
    """Split vector ALU operations into scalar ones."""

    name = "lower_alu_to_scalar"

    lower_ffma: bool = option(
        False, "lower dot products to fmul and fadd, for drivers without fused multiply-add"
    )

    def apply(self, shader: Shader) -> bool:
        return lower_alu_to_scalar(shader, lower_ffma=self.lower_ffma)


def lower_alu_to_scalar(shader: Shader, *, lower_ffma: bool = False) -> bool:
    """Split per-component vector operations, and reductions such as dot products.

    A `vecN` of the scalars replaces the old value. Instructions that construct vectors (`vec4`, `unpack_*`)
    and instructions with registers are unchanged. An inexact dot product is summed from the last component,
    which is Mesa's order.
    """
    changed = [impl for impl in shader.impls() if _LowerAlu(impl, lower_ffma).run()]
    return bool(changed)


class _LowerAlu:
    """The pass over one function body."""

    def __init__(self, impl: FunctionImpl, lower_ffma: bool) -> None:
        self.impl = impl
        self.lower_ffma = lower_ffma
        self.builder: Builder | None = None

    def run(self) -> bool:
        progress = False
        for instr in self.impl.instrs():
            if isinstance(instr, AluInstr) and _is_lowerable(instr):
                progress |= self._lower(instr)
        return progress

    def _lower(self, instr: AluInstr) -> bool:
        lowering = self._lowering_of(instr)
        if lowering is None:
            return False
        if self.builder is None:
            self.builder = Builder(self.impl, self.impl.start_block)
        lowering(instr, self.builder.before_instr(instr))
        return True

    def _lowering_of(self, instr: AluInstr) -> Callable[[AluInstr, Builder], None] | None:
        entry = opcode(instr.op)
        widths = [len(src.swizzle) for src in instr.sources]
        if instr.op == "fdph":
            return self._homogeneous_dot_product if widths == [3, 4] else None
        if instr.op in _DOT_PRODUCTS or instr.op in _REDUCTIONS:
            fits = len(widths) == 2 and widths[0] == widths[1]
            lowering = self._dot_product if instr.op in _DOT_PRODUCTS else self._reduction
            return lowering if fits else None
        is_by_component = entry is not None and entry.output_size == 0 and not any(entry.input_sizes)
        return self._by_component if is_by_component and _has_right_widths(instr) else None

    def _by_component(self, instr: AluInstr, builder: Builder) -> None:
        value = instr.def_
        if value is None:
            return
        scalars = [
            builder.alu(instr.op, _channels(instr, component), 1, value.bit_size, instr.flags)
            for component in range(value.num_components)
        ]
        flags = instr.flags - _NOT_FOR_VECTORS
        _become(instr, f"vec{value.num_components}", [AluSrc(scalar) for scalar in scalars], flags)

    def _dot_product(self, instr: AluInstr, builder: Builder) -> None:
        order = list(range(len(instr.sources[0].swizzle)))
        if not instr.exact:
            order.reverse()
        if self.lower_ffma:
            self._chain(instr, builder, order, "fmul", "fadd")
            return
        total: Def | None = None
        for number, component in enumerate(order):
            op = "fmul" if total is None else "ffma"
            sources = _channels(instr, component)
            if total is not None:
                sources.append(AluSrc(total))
            if number == len(order) - 1:
                _become(instr, op, sources, instr.flags)
            else:
                total = builder.alu(op, sources, 1, _bit_size(instr), instr.flags - {"sat"})

    def _homogeneous_dot_product(self, instr: AluInstr, builder: Builder) -> None:
        """Lower fdph: `dot(a.xyz, b.xyz) + b.w`."""
        first, second = instr.sources
        rest = _copy(second, 3)
        order = [0, 1, 2] if instr.exact else [2, 1, 0]
        flags, size = instr.flags - {"sat"}, _bit_size(instr)
        if self.lower_ffma or instr.exact:
            total: Def | None = None
            for component in order:
                pair = [_copy(first, component), _copy(second, component)]
                if total is None:
                    total = builder.alu("fmul", pair, 1, size, flags)
                elif self.lower_ffma:
                    product = builder.alu("fmul", pair, 1, size, flags)
                    total = builder.alu("fadd", [total, product], 1, size, flags)
                else:
                    total = builder.alu("ffma", [*pair, AluSrc(total)], 1, size, flags)
            _become(instr, "fadd", [AluSrc(total), rest], instr.flags)
            return
        for number, component in enumerate(order):
            sources = [_copy(first, component), _copy(second, component), rest]
            if number == len(order) - 1:
                _become(instr, "ffma", sources, instr.flags)
            else:
                rest = AluSrc(builder.alu("ffma", sources, 1, size, flags))

    def _reduction(self, instr: AluInstr, builder: Builder) -> None:
        test, merge = _REDUCTIONS[instr.op]
        order = list(reversed(range(len(instr.sources[0].swizzle))))
        self._chain(instr, builder, order, test, merge)

    def _chain(self, instr: AluInstr, builder: Builder, order: list[int], op: str, merge: str) -> None:
        """Apply `op` to each component and chain the results with `merge`; the last merge is in place."""
        flags, size = instr.flags - {"sat"}, _bit_size(instr)
        total: Def | None = None
        for number, component in enumerate(order):
            value = builder.alu(op, _channels(instr, component), 1, size, flags)
            if total is None:
                total = value
            elif number == len(order) - 1:
                _become(instr, merge, [AluSrc(total), AluSrc(value)], instr.flags)
            else:
                total = builder.alu(merge, [total, value], 1, size, flags)


def _is_lowerable(instr: AluInstr) -> bool:
    if instr.def_ is None or instr.op in VECTORS or not instr.sources:
        return False
    if any(src.def_ is None for src in instr.sources):
        return False
    return len(instr.sources[0].swizzle) > 1


def _has_right_widths(instr: AluInstr) -> bool:
    """Whether each source has as many components as the result; false in some malformed dumps."""
    width = 0 if instr.def_ is None else instr.def_.num_components
    return width > 1 and all(len(src.swizzle) == width for src in instr.sources)


def _channels(instr: AluInstr, component: int) -> list[AluSrc]:
    return [_copy(src, component) for src in instr.sources]


def _copy(src: AluSrc, component: int) -> AluSrc:
    return AluSrc(src.ssa, (src.swizzle[component],), negate=src.negate, absolute=src.abs)


def _bit_size(instr: AluInstr) -> int:
    return 32 if instr.def_ is None else instr.def_.bit_size


def _become(instr: AluInstr, op: str, sources: list[AluSrc], flags: frozenset[str]) -> None:
    """Change the operation of an instruction, keeping its SSA index and source line."""
    instr.become(op, sources)
    instr.flags = flags
