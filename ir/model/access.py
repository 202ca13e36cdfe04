"""Memory access qualifiers (Mesa: `enum gl_access_qualifier`), as bits and as the words dumps print."""

from __future__ import annotations

COHERENT = 1 << 0
RESTRICT = 1 << 1
VOLATILE = 1 << 2
NON_READABLE = 1 << 3
NON_WRITEABLE = 1 << 4
NON_UNIFORM = 1 << 5
CAN_REORDER = 1 << 6
IS_SWIZZLED_AMD = 1 << 9
CAN_SPECULATE = 1 << 12
SMEM_AMD = 1 << 16
VS_BINDINGS = 1 << 30
"""Not in Mesa: a resource of the vertex shader, accessed by a control shader merged with it."""
VS_BINDINGS_WORD = "vs-bindings"

# In the order in which Mesa prints them, which is not the order of the bits.
_WORDS: tuple[tuple[int, str], ...] = (
    (COHERENT, "coherent"),
    (RESTRICT, "restrict"),
    (VOLATILE, "volatile"),
    (NON_WRITEABLE, "readonly"),
    (NON_READABLE, "writeonly"),
    (NON_UNIFORM, "non-uniform"),
    (CAN_REORDER, "reorderable"),
    (1 << 7, "non-temporal"),
    (1 << 8, "include-helpers"),
    (IS_SWIZZLED_AMD, "is-swizzled-amd"),
    (1 << 10, "uses-format-amd"),
    (1 << 11, "fmask-lowered-amd"),
    (CAN_SPECULATE, "speculatable"),
    (1 << 13, "cp-ge-coherent-amd"),
    (1 << 14, "in-bounds"),
    (1 << 15, "keep-scalar"),
    (SMEM_AMD, "smem-amd"),
    (1 << 17, "skip-helpers"),
    (1 << 18, "atomic"),
    (1 << 19, "fused-eu-disable-intel"),
    (1 << 20, "sparse"),
    (1 << 21, "istream-pan"),
    (1 << 22, "estream-pan"),
    (VS_BINDINGS, VS_BINDINGS_WORD),
)
# Spellings of qualifiers in other Mesa releases.
_OTHER_SPELLINGS = {
    "non-readable": NON_READABLE,
    "non-writeable": NON_WRITEABLE,
    "in-bounds-agx": 1 << 14,
    "can-reorder": CAN_REORDER,
    "can-speculate": CAN_SPECULATE,
}
_BIT_OF = {word: bit for bit, word in _WORDS} | _OTHER_SPELLINGS


def access_words(bits: int) -> tuple[str, ...]:
    """Return the words for a set of qualifier bits in Mesa's printed order; () for none."""
    return tuple(word for bit, word in _WORDS if bits & bit)


def access_bits(text: str) -> int | None:
    """Return the bits of `none`, `readonly|coherent` or a plain number; None for an unknown word."""
    if text.isdecimal():
        return int(text)
    bits = 0
    for word in text.split("|"):
        if word == "none":
            continue
        bit = _BIT_OF.get(word.strip())
        if bit is None:
            return None
        bits |= bit
    return bits
