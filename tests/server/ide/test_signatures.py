"""The signature of what is being typed, and its active parameter."""

from __future__ import annotations

import pytest

from nirls.server.ide.cursor.outline import outline
from nirls.server.ide.signatures import signature_at

HEAD = b"""\
shader: MESA_SHADER_VERTEX
decl_function paint (32 x, 32x4 y)

impl main {
    block b0:
    32     %0 = load_const (0x00000001)
"""
OLD = b"""\
shader: MESA_SHADER_VERTEX
impl main {
	block block_0:
	vec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)
"""


def shown(line: str, head: bytes = HEAD) -> tuple[str, str] | None:
    """The label, and the active parameter's text."""
    text = head + line.encode() + b"\n}\n"
    found = signature_at(text, outline(text), len(head) + len(line.encode()))
    if found is None:
        return None
    active = "" if found.active < 0 else found.label[slice(*found.parameters[found.active])]
    return found.label, active


@pytest.mark.parametrize(
    ("line", "active"),
    [
        ("32 %1 = ffma ", "float"),
        ("32 %1 = ffma %0, %0, ", "float"),
        ("32 %1 = ffma %0, %0, %0, ", ""),
        ("32 %1 = bcsel %0, ", "uint"),
        ("32 %1 = @load_ubo (", "index"),
        ("32 %1 = @load_ubo (%0, ", "offset[1]"),
        ("32 %1 = @load_ubo (%0, %0) (access=none, ", "align_mul"),
        ("32 %1 = @load_ubo (%0, %0) (range=", "range"),
        ("@store_output (%0, %0) (base=0, io location=VARYING_SLOT_VAR0 slots=1 ", "io_semantics"),
        ("32 %1 = @load_barycentric_pixel (", "interp_mode"),
        ("call paint %0, ", "32x4 y"),
    ],
)
def test_active_parameter(line: str, active: str) -> None:
    found = shown(line)
    assert found is not None
    assert found[1] == active


def test_labels() -> None:
    assert shown("32 %1 = fadd ") == ("fadd(float, float) -> float", "float")
    assert shown("call paint ") == ("call paint (32 x, 32x4 y)", "32 x")


def test_numbers_of_old_dumps_are_counted() -> None:
    found = shown("vec1 32 ssa_1 = intrinsic load_ubo (ssa_0, ssa_0) (0, ", OLD)
    assert found is not None
    assert found[1] == "align_mul"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "32 %1 = fad",
        "32 %1 = nothing_of_the_kind ",
        "if ",
        "// fadd ",
        "call nobody ",
        "32 %1 = phi b0: ",
    ],
)
def test_nothing_to_show(line: str) -> None:
    assert shown(line) is None
