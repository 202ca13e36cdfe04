"""Families of ALU opcodes, with the names of all releases: moves, vectors, selections, comparisons."""

MOVES = frozenset(("mov", "imov", "fmov"))
"""`mov`, and its two predecessors before 2019."""

VECTORS = frozenset(("vec2", "vec3", "vec4", "vec5", "vec8", "vec16"))

BOOLEAN_SELECTIONS = frozenset(("bcsel", "b8csel", "b16csel", "b32csel"))
"""Selections by a boolean of 1 bit, or of 8, 16 or 32 bits once it is lowered."""

_COMPARISONS = frozenset(("ieq", "ine", "ilt", "ige", "ult", "uge", "feq", "fneu", "fne", "flt", "fge"))


def is_comparison(op: str) -> bool:
    """Return whether an opcode compares numbers, with a boolean result of any size."""
    return op.rstrip("0123456789") in _COMPARISONS
