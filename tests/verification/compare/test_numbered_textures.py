"""Textures by variables, and by the numbers that OpenGL's linker gave them."""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import TexInstr
from nirls.ir.model.shader import Shader
from nirls.verification.compare.numbered_textures import numbered_like
from nirls.verification.snapshots import RunnableSnapshot, compare_snapshots
from nirls.verification.verdict import Equivalent, Unchecked
from tests.passes.shader_text import ONE, ZERO, shader, store

VARIABLES = [
    "decl_var uniform INTERP_MODE_NONE none sampler2D a (0, 0, 0)",
    "decl_var uniform INTERP_MODE_NONE none sampler2D[3] b (1, 0, 0)",
    "decl_var uniform INTERP_MODE_NONE none sampler2D c (4, 0, 0)",
]
START = (
    ZERO,
    ONE,
    "32 %2 = @load_vertex_id",
    "32 %3 = u2f32 %2",
    "32x2 %4 = vec2 %3, %1",
    "32x2 %9 = vec2 %1, %3",
    "32 %5 = load_const (0x00000001)",
    "32 %6 = iand %2, %5",
    "32 %10 = deref_var &a (uniform sampler2D)",
    "32 %11 = deref_var &b (uniform sampler2D[3])",
    "32 %12 = deref_array &(*%11)[2] (uniform sampler2D)",
    "32 %13 = deref_array &(*%11)[%6] (uniform sampler2D)",
    "32 %14 = deref_var &c (uniform sampler2D)",
)


def sampling(*textures: str) -> Shader:
    """A vertex shader that reads each texture, and stores a component of each."""
    reads = [
        line
        for place, texture in enumerate(textures)
        for line in (
            f"32x4 %{20 + place} = (float32)txl {texture}",
            f"32 %{30 + place} = mov %{20 + place}.x",
            store("VAR0", f"%{30 + place}", component=place),
        )
    ]
    return shader("VERTEX", *START, *reads, header=VARIABLES)


def by_variable(deref: int) -> str:
    return f"%{deref} (texture_deref), %{deref} (sampler_deref), %4 (coord), %0 (lod)"


def by_number(texture: int, sampler: int | None = None) -> str:
    return f"%4 (coord), %0 (lod), {texture} (texture), {texture if sampler is None else sampler} (sampler)"


OF_ELEMENT = "%6 (texture_offset), %6 (sampler_offset), %4 (coord), %0 (lod), {0} (texture), {0} (sampler)"


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ((10, 14), (by_number(0), by_number(1)), Equivalent),
        ((10, 14), (by_number(4), by_number(1)), Equivalent),
        ((10, 10), (by_number(4), by_number(4)), Equivalent),
        ((10, 12, 13), (by_number(3), by_number(2), OF_ELEMENT.format(0)), Equivalent),
        ((10, 14), (by_number(0), by_number(0)), Unchecked),
        ((10, 10), (by_number(0), by_number(1)), Unchecked),
        ((10, 14), (by_number(0), by_number(1, 0)), Unchecked),
        ((10, 12, 13), (by_number(1), by_number(2), OF_ELEMENT.format(0)), Unchecked),
        ((10, 12, 13), (by_number(3), by_number(2), OF_ELEMENT.format(1)), Unchecked),
        ((10, 12, 13), (by_number(3), by_number(2), by_number(0)), Unchecked),
        ((10, 14), (by_number(0), by_number(1).replace("%4 (", "%9 (")), Unchecked),
    ],
)
def test_verdict(before: tuple[int, ...], after: tuple[str, ...], verdict: type) -> None:
    sides = [sampling(*map(by_variable, before)), sampling(*after)]
    found = compare_snapshots(*map(RunnableSnapshot, sides), "gl_nir_lower_samplers")
    assert isinstance(found.verdict, verdict)


def test_a_fetch_loses_its_sampler() -> None:
    fetch = "32x4 %20 = (float32)txf {}"
    before, after = (
        shader("VERTEX", *START, fetch.format(sources), store("VAR0", "%20.x"), header=VARIABLES)
        for sources in (by_variable(10), "%4 (coord), %0 (lod), 3 (texture)")
    )
    numbered = numbered_like(before, after)
    assert numbered is not None
    (instr,) = (instr for instr in numbered.instrs() if isinstance(instr, TexInstr))
    assert (instr.texture_index, instr.sampler_index) == (3, None)
    assert [src.kind for src in instr.sources] == ["coord", "lod"]
