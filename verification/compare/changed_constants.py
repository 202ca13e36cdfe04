"""Constants that float operations read otherwise after a pass, though nothing else of them changed.

A constant that is folded wrongly may have so little influence on the outputs that no run shows it, or that
the rounding of other operations covers it. Where an operation reads what it read before, but for a constant,
another operation would have to make up for the difference: passes that are right hardly do that.
"""

from __future__ import annotations

from math import isnan

from nirls.ir.analysis.correspondence import Correspondence, correspondence
from nirls.ir.model.float_bits import float_of
from nirls.ir.model.instructions import AluInstr, Instr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables import opcode
from nirls.ir.tables.entries import base_type
from nirls.verification.proof.same_expressions import numbering
from nirls.verification.proof.unchanged_operations import operation_kind
from nirls.verification.proof.values import Number, Values

_FEWEST = 2
"""Sources of an operation, one of which is the same on both sides."""


def changed_constant(before: Shader, after: Shader) -> str | None:
    """Return which operation reads another constant than before; None if there is none, or it is not known.

    The other operands are the same values on both sides, and the same operations read the result. The signs
    of zeros and the bits of NaN do not count.
    """
    proof = numbering(before, after)
    if proof is None:
        return None
    values, found = proof.values, correspondence(*proof.impls)
    for value, origin in found.values.items():
        old, new = origin.instr, value.instr
        if not isinstance(old, AluInstr) or not isinstance(new, AluInstr) or len(new.sources) < _FEWEST:
            continue
        if operation_kind(old) != operation_kind(new):
            continue
        if values.now.get(value) == values.now.get(origin) or not _are_used_alike(value, origin, found):
            continue
        differing = [
            (number, *pair)
            for number, pair in enumerate(zip(old.sources, new.sources, strict=True))
            if _numbers(values, pair[0]) != _numbers(values, pair[1])
        ]
        if len(differing) != 1 or not _reads_float(new, differing[0][0]):
            continue
        _, src, twin = differing[0]
        was, now = _constants(values, src), _constants(values, twin)
        if was and now and not all(a == b or (isnan(a) and isnan(b)) for a, b in zip(was, now, strict=True)):
            texts = [", ".join(f"{number:g}" for number in side) for side in (was, now)]
            return f"{new.op} reads {texts[0]} before and {texts[1]} after; its other operands are the same"
    return None


def _are_used_alike(value: Def, origin: Def, found: Correspondence) -> bool:
    """Whether the same operations read both: a constant may be moved into another operation that adds one."""
    users = [found.instrs.get(user) for user in value.users() if isinstance(user, Instr)]
    return None not in users and set(users) == {user for user in origin.users() if isinstance(user, Instr)}


def _numbers(values: Values, src: AluSrc) -> list[Number | None]:
    known = () if src.def_ is None else values.now.get(src.def_, ())
    return [known[component] if component < len(known) else None for component in src.swizzle]


def _constants(values: Values, src: AluSrc) -> list[float]:
    """Return the numbers that a source reads; none if not all of it is constant."""
    numbers = _numbers(values, src)
    found = [float_of(*values.constants[number]) for number in numbers if number in values.constants]
    return found if len(found) == len(numbers) else []


def _reads_float(instr: AluInstr, source: int) -> bool:
    entry = opcode(instr.op)
    return (
        entry is not None
        and source < len(entry.input_types)
        and base_type(entry.input_types[source]) == "float"
    )
