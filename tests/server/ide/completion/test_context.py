"""Which kind of word a half-typed line ends in."""

from __future__ import annotations

import pytest

from nirls.server.ide.completion import context as c


def code(line: str) -> c.CursorPlace | None:
    return c.place_at(line, in_function=True)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("    ", c.StatementPlace("")),
        ("    bre", c.StatementPlace("bre")),
        ("    @store_o", c.StatementPlace("@store_o")),
        ("    32     %5 = ", c.OperationPlace("", c.ValueSize(1, 32))),
        ("    con 16x4   %5 = fa", c.OperationPlace("fa", c.ValueSize(4, 16))),
        ("    32     %5 = @loa", c.OperationPlace("@loa", c.ValueSize(1, 32))),
        ("\tvec2 32 con ssa_5 = ", c.OperationPlace("", c.ValueSize(2, 32))),
        ("\tvec4 ssa_5 = ", c.OperationPlace("", c.ValueSize(4, 0))),
        ("\tvec1 32 ssa_5 = intrinsic loa", c.OperationPlace("loa", c.ValueSize(1, 32), True)),
        ("\tr0.xy = fa", c.OperationPlace("fa", None)),
        ("    if ", c.SourcePlace("", "if", 0)),
        ("    if %1", c.SourcePlace("%1", "if", 0)),
        ("    32  %5 = fadd %", c.SourcePlace("%", "fadd", 0, c.ValueSize(1, 32))),
        (
            "    32  %5 = ffma! %1.x, %2 (0.500000), ",
            c.SourcePlace("", "ffma", 2, c.ValueSize(1, 32), ("%1.x", "%2")),
        ),
        (
            "\tvec1 32 ssa_5 = fadd.sat -ssa_1 /*(0.5)*/, abs(ssa_",
            c.SourcePlace("ssa_", "fadd", 1, c.ValueSize(1, 32), ("-ssa_1",)),
        ),
        (
            "    32x4  %5 = (float32)tex %1 (texture_deref), ",
            c.SourcePlace("", "tex", 1, c.ValueSize(4, 32), ("%1 (texture_deref)",)),
        ),
        ("    32  %5 = @load_ubo (%1, ", c.SourcePlace("", "@load_ubo", 1, c.ValueSize(1, 32), ("%1",))),
        ("    @store_output (", c.SourcePlace("", "@store_output", 0)),
        ("\tintrinsic store_output (ssa_1, s", c.SourcePlace("s", "@store_output", 1, None, ("ssa_1",))),
        ("    32  %5 = phi b1: %1, b2: ", c.SourcePlace("", "phi", 1, c.ValueSize(1, 32), ("b1: %1",), "b2")),
        ("    32  %5 = phi b1: %1, ", c.BlockPlace("")),
        ("    32  %5 = deref_var &col", c.VariableNamePlace("col")),
        ("    32  %5 = deref_array &(*%4)[", c.SourcePlace("", "index", 0)),
        ("    32  %5 = deref_struct &%", c.SourcePlace("%", "deref", 0)),
        ("    call pai", c.FunctionNamePlace("pai")),
        ("    call paint %1, ", c.SourcePlace("", "call", 1, None, ("%1",), callee="paint")),
        ("    goto b", c.BlockPlace("b")),
        ("    goto b1 if ", c.SourcePlace("", "if", 0)),
        ("    goto b1 if %3 else ", c.BlockPlace("")),
        ("    32  %5 = fmul %1.", c.SwizzlePlace("", "%1")),
        ("    32  %5 = fmul %1.color.x", c.SwizzlePlace("x", "%1", is_named=True)),
        ("    32  %5.sum = fmul %1.col", c.SwizzlePlace("col", "%1")),
        ("    32  %5 = fmul %1 (0.5, 0.25).x", c.SwizzlePlace("x", "%1")),
        ("    block b3:   // preds: b1 b", c.BlockPlace("b")),
        ("    block b3:  // preds: b1, succs: ", c.BlockPlace("")),
        ("\t/* succs: block_", c.BlockPlace("block_")),
        ("    block b", None),
        ("    32  %", None),
        ("    32  %5 = load_const (0x", None),
        ("    32  %5 = deref_struct &%4->", None),
        ("    32  %5 = deref_cast (float *)%4 (ssbo float)  (ptr_stride=0, ", None),
        ("    32  %5 = fadd %1, %2  // the ", None),
    ],
)
def test_code(line: str, expected: c.CursorPlace | None) -> None:
    assert code(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("@load_ubo (%1, %2) (", ("", frozenset(), 0)),
        ("@load_ubo (%1, %2) (access=none, ali", ("ali", frozenset({"access"}), 1)),
        ("@load_barycentric_pixel (", ("", frozenset(), 0)),
        ("@store_output (%1, %2) (base=0, wrmask=x, io location=32 slots=1, xfb(), ", None),
    ],
)
def test_names_of_indices(line: str, expected: tuple[str, frozenset[str], int] | None) -> None:
    place = code(f"    32  %5 = {line}")
    assert isinstance(place, c.IndexNamePlace)
    if expected is None:
        assert place.given == {"base", "wrmask", "io", "xfb"}
    else:
        assert (place.word, place.given, place.position) == expected


@pytest.mark.parametrize(
    ("line", "index", "word"),
    [
        ("@load_ubo (%1, %2) (access=", "access", ""),
        ("@load_ubo (%1, %2) (access=readonly|coh", "access", "coh"),
        ("@store_output (%1, %2) (base=0, wrmask=x", "wrmask", "x"),
        ("@store_output (%1, %2) (base=0, io location=VARYING_SLOT_", "location", "VARYING_SLOT_"),
        ("@load_barycentric_pixel (interp_mode=INT", "interp_mode", "INT"),
    ],
)
def test_values_of_indices(line: str, index: str, word: str) -> None:
    place = code(f"    {line}")
    assert isinstance(place, c.IndexValuePlace)
    assert (place.index, place.word) == (index, word)


def test_behind_a_slot_come_its_flags() -> None:
    place = code("    @store_output (%1, %2) (io location=VARYING_SLOT_VAR0 slots=1 no_")
    assert place == c.IoFlagPlace("no_", "store_output", 0)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sha", c.HeaderKeyPlace("sha")),
        ("shader: MESA", c.StagePlace("MESA")),
        ("next_stage: ", c.StagePlace("")),
        ("decl_var ", c.DeclarationPlace("")),
        ("decl_var shader_in INT", c.DeclarationPlace("INT", ("shader_in",))),
        (
            "decl_var shader_in INTERP_MODE_NONE none vec4 color (VARY",
            c.DeclarationPlace("VARY", is_location=True),
        ),
        ("decl_var shader_in INTERP_MODE_NONE none vec4 color (VARYING_SLOT_VAR0.xyzw, ", None),
        ("some words of a log", None),
    ],
)
def test_ahead_of_functions(line: str, expected: c.CursorPlace | None) -> None:
    assert c.place_at(line, in_function=False) == expected
