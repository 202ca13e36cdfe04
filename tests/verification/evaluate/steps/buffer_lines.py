"""Vertex shaders with some constants and an index for each lane."""

from __future__ import annotations

from tests.verification.evaluate.shader_text import run, shader_of

HEAD = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %2 = load_const (0x00000002)
    32     %3 = load_const (0x00000004)
    32     %4 = @load_vertex_id_zero_base
    32     %5 = load_const (0x11223344)
    32     %6 = undefined
    32     %7 = ishl %4, %2 (0x2)
"""
LOAD = "(access=none, align_mul=1, align_offset=0)"
STORE = "(wrmask=x, access=none, align_mul=1, align_offset=0)"


def run_lines(*lines: str, stage: str = "VERTEX", head: str = ""):  # type: ignore[no-untyped-def]
    return run(shader_of("\n".join([HEAD, *lines, "                // succs: b99"]), stage, head))
