"""Runs of a few lines with derefs."""

from __future__ import annotations

from nirls.verification.evaluate.surroundings.result import ShaderResult
from tests.verification.evaluate.shader_text import run, shader_of

CONSTANTS = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %2 = @load_vertex_id_zero_base
"""


def run_lines(*lines: str, head: str = "", stage: str = "VERTEX", locals_: str = "") -> ShaderResult:
    """A run of one function with these lines."""
    body = "\n".join([CONSTANTS, *lines, "                // succs: b99"])
    return run(shader_of(body, stage, head, locals_))
