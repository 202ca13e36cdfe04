"""Consumers that read inputs vertex by vertex, for the tests of backward motion."""

from __future__ import annotations

from collections.abc import Sequence

from nirls.ir.model.shader import Shader
from tests.passes.shader_text import ONE, ZERO, shader
from tests.passes.varyings.pairs import DECLARED, UNIFORM

VERTICES = ("32    %2 = load_const (0x00000001)", "32    %3 = load_const (0x00000002)")
FIRST, SECOND, THIRD = 0, 2, 3
"""The values that hold the numbers of the vertices."""


def reader(*lines: str, stage: str = "GEOMETRY") -> Shader:
    """A consumer with the vec4 uniform %9."""
    return shader(stage, ZERO, ONE, *VERTICES, *UNIFORM, *lines, header=DECLARED)


def at_vertex(number: int, slot: str, vertex: int = FIRST, component: int = 0) -> str:
    return (
        f"32    %{number} = @load_per_vertex_input (%{vertex}, %0 (0x0)) (base=0, range=1,"
        f" component={component}, dest_type=float32, io location=VARYING_SLOT_{slot} slots=1)"
    )


def for_each_vertex(
    parts: Sequence[str], vertices: Sequence[int] = (FIRST, SECOND, THIRD), first: int = 20
) -> list[str]:
    """Lines for each vertex: `{v}` is its value, `{n}` and `{n+1}` and so on numbers of its own."""
    lines = []
    for position, vertex in enumerate(vertices):
        start = first + 10 * position
        for part in parts:
            text = part.replace("{v}", str(vertex))
            for offset in range(9, 0, -1):
                text = text.replace(f"{{n+{offset}}}", str(start + offset))
            lines.append(text.replace("{n}", str(start)))
    return lines
