"""Limits of float operations that a pass lost: `exact`, preserved special values, `mediump`, float controls.

No run shows them: what a shader computes is still right, but later passes and the hardware may change it. Nor
does one show that `fmulz` became `fmul`, because an inexact operation may give anything where it gives NaN.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from nirls.ir.model.float_bits import float_of
from nirls.ir.model.float_controls import FloatControls
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr, constant_of
from nirls.ir.model.math_control import EXACT, EXACT_WORDS, PRESERVE_WORDS
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables import opcode
from nirls.ir.tables.entries import base_type
from nirls.ir.tables.families import MOVES, VECTORS
from nirls.verification.compare.roundings import rounds
from nirls.verification.proof.same_expressions import numbering
from nirls.verification.proof.values import Number

_COPIES = MOVES | VECTORS
_Limits = frozenset[str]
_ZERO_WINS = {"fmulz": "fmul", "ffmaz": "ffma"}
"""Products that are 0 where a factor is 0, and those that are not, by D3D 9's rule and IEEE's."""

_SELECTION = "bcsel"
_SELECTIONS = frozenset(("bcsel", "b32csel", "fcsel"))


def lost_precision(before: Sequence[Shader], after: Sequence[Shader]) -> str | None:
    """Return why linked shaders may round otherwise later; None if they may not.

    A value that both compute has fewer limits than before, or there are fewer limited instructions of a name
    than before, in all stages, and more that are not limited, or limited instructions have gone and only
    others that are not limited have come.
    """
    for one, other in zip(before, after, strict=True):
        reason = _lost_controls(one, other)
        # A limited operation may have moved to another stage.
        if reason is None and len(before) == 1:
            reason = (
                _lost_by_value(one, other) or _lost_to_others(one, other) or _lost_zero_products(one, other)
            )
        if reason is not None:
            return reason
    more: Counter[tuple[str, str, bool]] = Counter()
    for shader in after:
        more.update(_by_limit(shader))
    for shader in before:
        more.subtract(_by_limit(shader))
    for (name, limit, is_limited), count in more.items():
        if is_limited and count < 0 < more[name, limit, False]:
            return _reason(name, limit)
    return None


def _reason(name: str, limit: str) -> str:
    if limit == EXACT:
        return f"{name} may round otherwise in later passes: it is no longer exact, or mediump now"
    return f"later passes may change special values of {name}: it has lost {limit}"


def _lost_zero_products(before: Shader, after: Shader) -> str | None:
    """Return which products of 0 and infinity are no longer 0; None if none is, or a selection tells them."""
    change = Counter(map(_product_or_selection, _alu_instrs(after)))
    change.subtract(map(_product_or_selection, _alu_instrs(before)))
    for name, plain in _ZERO_WINS.items():
        if change[name] < 0 < change[plain] and change[_SELECTION] <= 0:
            return f"{name} has become {plain}, which gives NaN for 0 times infinity"
    return None


def _alu_instrs(shader: Shader) -> Iterator[AluInstr]:
    return (instr for instr in shader.instrs() if isinstance(instr, AluInstr))


def _product_or_selection(instr: AluInstr) -> str:
    """Return the opcode, "" for a product that a constant keeps from multiplying 0 by infinity."""
    if instr.op in _SELECTIONS:
        return _SELECTION
    is_product = instr.op in _ZERO_WINS.values()
    return "" if is_product and any(map(_is_finite_and_not_zero, instr.sources[:2])) else instr.op


def _is_finite_and_not_zero(src: AluSrc) -> bool:
    constants = constant_of(src.def_)
    if constants is None:
        return False
    numbers = [float_of(bits, src.bit_size) for bits in constants]
    return all(number and math.isfinite(number) for number in numbers)


def _lost_controls(before: Shader, after: Shader) -> str | None:
    old, new = FloatControls.of(before), FloatControls.of(after)
    lost = [
        what
        for what, had, has in (
            ("infinities", old.preserved_infs, new.preserved_infs),
            ("NaNs", old.preserved_nans, new.preserved_nans),
            ("the signs of zeros", old.preserved_zeros, new.preserved_zeros),
            ("flushed denormals", old.flushed, new.flushed),
            ("the rounding mode", frozenset((old.rounds,)) - {False}, frozenset((new.rounds,))),
        )
        if had - has
    ]
    return f"the header has lost float controls: {', '.join(lost)}" if lost else None


def _lost_by_value(before: Shader, after: Shader) -> str | None:
    """Return what the computation of a value in both shaders has lost; None if nothing, or not known."""
    proof = numbering(before, after)
    if proof is None:
        return None
    numbers = proof.values.now
    needed, kept = (_limits_by_value(shader, numbers) for shader in (before, after))
    for number, (name, limits) in kept.items():
        # What is computed twice, exactly and not, may stay so.
        lost = needed[number][1] - limits if number in needed else None
        if lost:
            return _reason(name, min(lost))
    return None


def _limits_by_value(
    shader: Shader, numbers: Mapping[Def, tuple[Number, ...]]
) -> dict[Number, tuple[str, _Limits]]:
    """Return the opcode of each computed value, and the limits of all operations that compute it."""
    found: dict[Number, tuple[str, _Limits]] = {}
    for instr in _computations(shader):
        for number in () if instr.def_ is None else numbers.get(instr.def_, ()):
            name, limits = found.get(number, (instr.op, frozenset()))
            found[number] = name, limits | _limits(instr)
    return found


def _lost_to_others(before: Shader, after: Shader) -> str | None:
    """Return which limited operation has gone while others without the limit have come; None if none.

    Where limited ones have come too, such as a fused operation for two, those stand for what has gone. What
    does not round is as good as exact.
    """
    for limit in (EXACT, *sorted(PRESERVE_WORDS)):
        (limited, free), (still, others) = (_float_operations(shader, limit) for shader in (before, after))
        gone, come = limited - still, others - free
        if gone and come and not still - limited:
            return f"{_reason(min(gone), limit)}, as {min(come)} stands for it"
    return None


def _float_operations(shader: Shader, limit: str) -> tuple[Counter[str], Counter[str]]:
    """Return the numbers of components of floats that are computed with a limit, and without, by opcode."""
    limited, free = Counter[str](), Counter[str]()
    for instr in _computations(shader):
        if limit in _limits(instr):
            limited[instr.op] += _width(instr)
        elif rounds(instr) if limit == EXACT else _is_float(instr):
            free[instr.op] += _width(instr)
    return limited, free


def _is_float(instr: AluInstr) -> bool:
    entry = opcode(instr.op)
    return entry is not None and base_type(entry.output_type) == "float"


def _width(instr: AluInstr) -> int:
    return 1 if instr.def_ is None else instr.def_.num_components


def _computations(shader: Shader) -> Iterator[AluInstr]:
    """Yield the operations whose results are used."""
    for instr in shader.instrs():
        if not isinstance(instr, AluInstr) or instr.op in _COPIES:
            continue
        if instr.def_ is not None and instr.def_.uses:
            yield instr


def _limits(instr: AluInstr) -> _Limits:
    exact = {EXACT} if instr.exact or not instr.flags.isdisjoint(EXACT_WORDS) else set[str]()
    return instr.flags & PRESERVE_WORDS | exact


def _by_limit(shader: Shader) -> Counter[tuple[str, str, bool]]:
    """Return the numbers of components that are computed with each limit, or without mediump, and not."""
    found: Counter[tuple[str, str, bool]] = Counter()
    for instr in shader.instrs():
        value = instr.def_
        if isinstance(instr, AluInstr):
            limits = _limits(instr)
            for limit in (EXACT, *PRESERVE_WORDS):
                found[instr.op, limit, limit in limits] += _width(instr)
        elif isinstance(instr, IntrinsicInstr) and instr.io_semantics is not None:
            stored = instr.sources[0].num_components if instr.sources else 0
            width = stored if value is None else value.num_components
            found[instr.name, EXACT, not instr.io_semantics.has("mediump")] += width
    return found
