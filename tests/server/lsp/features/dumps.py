"""Small dumps that several tests ask about."""

from __future__ import annotations

from tests.passes.shader_text import ONE, ZERO, shader_text, store
from tests.server.lsp.features.session import CURSOR

FRAGMENT = """\
shader: MESA_SHADER_FRAGMENT
name: x
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x3f800000 = 1.000000)
    32     %1 = fadd %0 (1.000000), %0 (1.000000)  // 😀
    /* 😀 */ 32     %2 = fmul %1, %0 (1.000000)
                // succs: b1
    block b1:
}
"""

CLASSIC = """\
shader: MESA_SHADER_VERTEX
name: x
decl_function main (0 params)

impl main {
\tblock block_0:
\t/* preds: */
\tvec1 32 ssa_0 = load_const (0x3f800000 = 1.000000)
\tvec1 32 ssa_1 = fadd ssa_0, ssa_0 /* 😀 */
\tvec1 32 ssa_2 = fmul ssa_1, ssa_0
\t/* succs: block_1 */
\tblock block_1:
}
"""

STORING = """\
shader: MESA_SHADER_VERTEX
name: x
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x3f800000 = 1.000000)
    32     %2 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32, \
io location=VERT_ATTRIB_GENERIC0 slots=1)
                @store_output (%1 (1.000000), %0 (0x0)) (base=0, wrmask=x, component=0, \
src_type=float32, io location=VARYING_SLOT_POS slots=1)
                @store_output (%2, %0 (0x0)) (base=1, wrmask=x, component=0, \
src_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
                // succs: b1
    block b1:
}
"""

LOADING = """\
shader: MESA_SHADER_FRAGMENT
name: x
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %7 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32, \
io location=VARYING_SLOT_VAR0 slots=1)
                @store_output (%7, %0 (0x0)) (base=0, wrmask=x, component=0, \
src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)
                // succs: b1
    block b1:
}
"""
"""With `STORING` in front of it, a pipeline."""

CALLING = """\
shader: MESA_SHADER_FRAGMENT
name: x
decl_function main () (entrypoint)
decl_function helper (1 params)

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x3f800000 = 1.000000)
                call helper %0
                call helper %0
                // succs: b1
    block b1:
}

impl helper {
    block b2:   // preds:
    32     %1 = load_const (0x00000000)
                // succs: b3
    block b3:
}
"""

_COPIED = (
    ZERO,
    ONE,
    "32    %2 = @load_vertex_id",
    "32    %3 = mov %2",
    "32    %4 = iadd %3, %1 (0x1)",
    store("VAR1", "%4"),
)
_DIRECT = (*_COPIED[:4], "32    %4 = iadd %2, %1 (0x1)", _COPIED[5])
_SHORT = (*_COPIED[:3], "32    %3 = iadd %2, %1 (0x1)", store("VAR1", "%3"))
THREE_SNAPSHOTS = "".join(
    f"{name}\n{shader_text('VERTEX', *lines)}"
    for name, lines in (("nir_lower_returns", _COPIED), ("nir_copy_prop", _DIRECT), ("nir_opt_dce", _SHORT))
)
"""A log of a shader with a copy, which is propagated and then removed."""


def marked(dump: str, mark: str, inside: int = 0) -> str:
    """The dump with the cursor at the first `mark` of it, some characters in."""
    at = dump.index(mark) + inside
    return dump[:at] + CURSOR + dump[at:]
