"""C++ names of memory access qualifiers."""

from __future__ import annotations

from typing import Final

from nirls.ir.mesa_test.code import Code, mask_expression
from nirls.ir.model.access import access_words

_NAMES: Final = {
    "coherent": "ACCESS_COHERENT",
    "restrict": "ACCESS_RESTRICT",
    "volatile": "ACCESS_VOLATILE",
    "readonly": "ACCESS_NON_WRITEABLE",
    "writeonly": "ACCESS_NON_READABLE",
    "non-uniform": "ACCESS_NON_UNIFORM",
    "reorderable": "ACCESS_CAN_REORDER",
    "non-temporal": "ACCESS_NON_TEMPORAL",
    "include-helpers": "ACCESS_INCLUDE_HELPERS",
    "is-swizzled-amd": "ACCESS_IS_SWIZZLED_AMD",
    "uses-format-amd": "ACCESS_USES_FORMAT_AMD",
    "fmask-lowered-amd": "ACCESS_FMASK_LOWERED_AMD",
    "speculatable": "ACCESS_CAN_SPECULATE",
    "cp-ge-coherent-amd": "ACCESS_CP_GE_COHERENT_AMD",
    "keep-scalar": "ACCESS_KEEP_SCALAR",
    "smem-amd": "ACCESS_SMEM_AMD",
}
# Qualifiers that 25.0 has not, or under another name.
_NEWER: Final = {
    "in-bounds": "ACCESS_IN_BOUNDS",
    "skip-helpers": "ACCESS_SKIP_HELPERS",
    "atomic": "ACCESS_ATOMIC",
    "fused-eu-disable-intel": "ACCESS_FUSED_EU_DISABLE_INTEL",
    "sparse": "ACCESS_SPARSE",
    "istream-pan": "ACCESS_ISTREAM_PAN",
    "estream-pan": "ACCESS_ESTREAM_PAN",
}
_OLDER: Final = {"in-bounds": "ACCESS_IN_BOUNDS_AGX"}


def access_expression(bits: int, code: Code) -> str:
    """Return the expression for a set of qualifiers; a qualifier that the release has not is refused."""
    names = _NAMES | (_NEWER if code.api.is_since_26 else _OLDER)
    words = access_words(bits)
    for word in words:
        if word not in names:
            code.refuse(f"the access qualifier {word}")
    return mask_expression([names[word] for word in words if word in names], "gl_access_qualifier")
