"""Bodies of compute shaders with shared memory, in short."""

from __future__ import annotations

import re

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from tests.passes.expectation import parse_body
from tests.passes.tessellation.control_text import expand

COMPUTE_HEADER = "workgroup_size: 8, 1, 1\nshared_size: 256"
START = """
block b0:  // preds:
32 %0 = load_const (0x00000000)
32 %1 = load_const (0x00000004)
32 %2 = @load_local_invocation_index
32 %3 = ishl %2, %1
"""
"""`%0` is 0, `%1` 4, `%2` the number of the invocation, `%3` an offset of its own."""


def compute(body: str) -> Shader:
    """`sst %value [%offset]`, `%n = sld [%offset]`, `wait shared`, `fence shared`, `wait`, and NIR."""
    return in_stage("COMPUTE", body, COMPUTE_HEADER)


def in_stage(stage: str, body: str, header: str = "") -> Shader:
    """A shader of a stage in the short form of `compute`."""
    return parse_body(_expanded(f"{START}{body}\nblock b99:\n"), stage, header)


def control(body: str) -> Shader:
    """A control shader in the short form of `control_text`, `%1` the number of the invocation."""
    start = "block b0:  // preds:\n32 %0 = load_const (0x00000000)\n32 %1 = @load_invocation_id\n"
    return parse_body(expand(f"{start}{body}\nblock b99:\n"), "TESS_CTRL", "tcs_vertices_out: 3")


def barriers(shader: Shader) -> list[IntrinsicInstr]:
    impl = shader.entrypoint
    assert impl is not None
    return [instr for instr in impl.instrs() if isinstance(instr, IntrinsicInstr) and "barrier" in instr.name]


def barrier(
    waits: str = "WORKGROUP", reaches: str = "WORKGROUP", modes: str = "shared", semantics: str = "ACQ|REL"
) -> str:
    """A barrier of modern Mesa."""
    return (
        f"@barrier (execution_scope={waits}, memory_scope={reaches}, mem_semantics={semantics},"
        f" mem_modes={modes})"
    )


def _expanded(body: str) -> str:
    patterns = (
        (r"sst (%\d+) \[(%\d+)\]", r"@store_shared (\1, \2) (base=0, wrmask=x, align_mul=4, align_offset=0)"),
        (r"(%\d+) = sld \[(%\d+)\]", r"32 \1 = @load_shared (\2) (base=0, align_mul=4, align_offset=0)"),
        (r"gst (%\d+)", r"@store_ssbo (\1, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)"),
        (r"(%\d+) = gld", r"32 \1 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)"),
        (r"wait (\S+)$", lambda found: barrier(modes=found[1])),
        (r"fence (\S+)$", lambda found: barrier("NONE", "DEVICE", found[1])),
    )
    lines = []
    for line in body.splitlines():
        for pattern, text in patterns:
            line = re.sub(pattern, text, line)
        lines.append(line)
    return "\n".join(lines)
