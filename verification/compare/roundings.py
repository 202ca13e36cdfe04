"""What of the rounding of two shaders counts: operations that a pass changed, and their formats.

An inexact operation may be replaced by what is as exact. Its rounding excuses no result that was computed in
a narrower format, and where a pass changed exact operations only, no rounding excuses anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from nirls.ir.effects import effects_of
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.ir.tables import opcode
from nirls.ir.tables.entries import base_type
from nirls.verification.evaluate.alu.operation import AluOperation
from nirls.verification.evaluate.alu.run import alu_operation, is_supported

_SIZES = (16, 32, 64)
_NARROWEST = 16
_DERIVATIVES = ("ddx", "ddy")
_ROUNDED_REDUCTIONS = frozenset(("fadd", "fmul"))


def uncounted_roundings(
    before: Iterable[Shader], after: Iterable[Shader], unchanged: tuple[Collection[Def], Collection[Def]]
) -> frozenset[Instr]:
    """Return the operations after the pass whose own rounding excuses no difference.

    These are the operations of a format if the pass changed operations of a wider format, but none of this
    one: their results were more exact before. 16-bit operations count only if there were any before.
    Conversions to a format count where there are no more of them than before: what was rounded to it may be
    another number now, which is rounded to it too.
    `unchanged` are the values of each side that both compute alike.
    """
    old, new = list(before), list(after)
    rounded = Counter(_size(instr) for instr in _roundings(old, unchanged[0]) if not _converts(instr))
    computed = {_size(instr) for instr in _float_operations(old, unchanged[0])}
    uncounted = {size for size in _SIZES if not rounded[size] and any(wider > size for wider in computed)}
    changed = list(_roundings(new, unchanged[1]))
    if not any(
        value.bit_size == _NARROWEST for shader in old for impl in shader.impls() for value in impl.defs()
    ):
        uncounted.add(_NARROWEST)
        changed += [instr for instr in _roundings(new, ()) if _size(instr) == _NARROWEST]
    old_conversions, conversions = (
        Counter(_size(instr) for instr in _roundings(side, ()) if _converts(instr)) for side in (old, new)
    )
    kept = {size for size in _SIZES if 0 < conversions[size] <= old_conversions[size]}
    return frozenset(
        instr
        for instr in changed
        if _size(instr) in uncounted and not (_converts(instr) and _size(instr) in kept)
    )


def changes_only_exact(shaders: Iterable[Shader], unchanged: Collection[Def]) -> bool:
    """Whether no operation that a pass changed may round: what it computed is the only right result."""
    return not any(
        _may_round(instr)
        for shader in shaders
        for instr in shader.instrs()
        if instr.def_ is None or instr.def_ not in unchanged
    )


def replaces_waves(before: Iterable[Shader], after: Iterable[Shader]) -> str | None:
    """Return the name of a sine or cosine that other operations compute after; None if there is none."""
    old, new = (Counter(map(_is_wave, _alu(side))) for side in (before, after))
    if new[True] >= old[True]:
        return None
    return next(instr.op for instr in _alu(before) if _is_wave(instr))


def _alu(shaders: Iterable[Shader]) -> Iterator[AluInstr]:
    return (instr for shader in shaders for instr in shader.instrs() if isinstance(instr, AluInstr))


def _is_wave(instr: AluInstr) -> bool:
    operation = _operation(instr)
    return operation is not None and operation.error.coarse is not None


def narrows_integers(before: Shader, after: Shader) -> bool:
    """Whether more integers are cut to 16 bits or less than before, or more are loaded and stored so."""
    return _narrow_integers(after) > _narrow_integers(before)


def _narrow_integers(shader: Shader) -> int:
    return sum(_is_narrow_integer(instr) for instr in shader.instrs())


def _is_narrow_integer(instr: Instr) -> bool:
    if isinstance(instr, AluInstr):
        operation = _operation(instr)
        is_cut = len(instr.sources) == 1 and _size(instr) <= _NARROWEST < instr.sources[0].bit_size
        return is_cut and operation is not None and base_type(operation.output_type) in ("int", "uint")
    if not isinstance(instr, IntrinsicInstr) or instr.io_semantics is None:
        return False
    kind = str(instr.indices.get("dest_type", instr.indices.get("src_type", "")))
    return kind.startswith(("int", "uint")) and kind.endswith("16")


def _float_operations(shaders: Iterable[Shader], unchanged: Collection[Def]) -> Iterator[AluInstr]:
    """Yield the operations that compute a float, besides conversions from another format."""
    for shader in shaders:
        for instr in shader.instrs():
            if not isinstance(instr, AluInstr) or instr.def_ in unchanged or _converts(instr):
                continue
            operation = _operation(instr)
            if operation is not None and operation.output_type.startswith("float"):
                yield instr


def _roundings(shaders: Iterable[Shader], unchanged: Collection[Def]) -> Iterator[AluInstr]:
    for shader in shaders:
        for instr in shader.instrs():
            if isinstance(instr, AluInstr) and instr.def_ not in unchanged and rounds(instr):
                yield instr


def rounds(instr: AluInstr) -> bool:
    """Whether an operation computes floats that are rounded."""
    operation = _operation(instr)
    is_rounded = operation is not None and operation.error_class != "exact"
    return is_rounded and operation is not None and operation.output_type.startswith("float")


def _operation(instr: AluInstr) -> AluOperation | None:
    return alu_operation(instr.op, _size(instr) or 32) if is_supported(instr.op) else None


def _may_round(instr: Instr) -> bool:
    if isinstance(instr, AluInstr):
        entry = opcode(instr.op)
        is_known = entry is not None and is_supported(instr.op)
        return not instr.exact and (not is_known or rounds(instr) or effects_of(instr).crosses_lanes)
    if not isinstance(instr, IntrinsicInstr):
        return False
    return instr.name.startswith(_DERIVATIVES) or instr.indices.get("reduction_op") in _ROUNDED_REDUCTIONS


def _converts(instr: AluInstr) -> bool:
    return instr.op.startswith("f2f")


def _size(instr: AluInstr) -> int:
    if instr.def_ is not None:
        return instr.def_.bit_size
    return instr.reg_dest.reg.bit_size if instr.reg_dest is not None else 0
