"""A store of the depth of the fragment is the same as none, and any other is not."""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.verification.compare.default_depth import without_default_depth
from nirls.verification.snapshots import RunnableSnapshot, compare_snapshots
from nirls.verification.verdict import Different, Equivalent
from tests.passes.shader_text import ZERO, shader

COORD = "32x4 %1 = @load_frag_coord"
DEPTH = "(base=0, range=1, wrmask=x, component=0, src_type=float32, io location=FRAG_RESULT_DEPTH slots=1)"
COLOR = "(base=1, range=1, wrmask=x, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)"


def fragment(*lines: str, header: tuple[str, ...] = ()) -> Shader:
    return shader("FRAGMENT", ZERO, COORD, *lines, f"@store_output (%1.x, %0) {COLOR}", header=header)


def stored(component: str) -> Shader:
    return fragment(f"32 %2 = mov %1.{component}", f"@store_output (%2, %0) {DEPTH}")


def stores(of: Shader) -> int:
    return sum(isinstance(instr, IntrinsicInstr) and instr.name.startswith("store") for instr in of.instrs())


def test_the_depth_of_the_fragment_is_not_stored() -> None:
    assert stores(without_default_depth(stored("z"), fragment())) == 1
    variable = "decl_var shader_out INTERP_MODE_NONE none float gl_FragDepth (FRAG_RESULT_DEPTH.x, 0, 0)"
    by_name = fragment(
        "32 %2 = mov %1.z",
        "32 %3 = deref_var &gl_FragDepth (shader_out float)",
        "@store_deref (%3, %2) (wrmask=x, access=none)",
        header=(variable,),
    )
    assert stores(without_default_depth(by_name, fragment())) == 1


@pytest.mark.parametrize(
    "of",
    [
        stored("w"),
        fragment("32 %2 = fneg %1.z", f"@store_output (%2, %0) {DEPTH}"),
        fragment(f"@store_output (%1.z, %0) {DEPTH}", f"@store_output (%1.x, %0) {DEPTH}"),
    ],
)
def test_another_depth_is_stored(of: Shader) -> None:
    assert without_default_depth(of, fragment()) is of


NONE = fragment()
HALF = fragment("32 %2 = load_const (0x3f000000)", f"@store_output (%2, %0) {DEPTH}")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (stored("z"), NONE, Equivalent),
        (NONE, stored("z"), Equivalent),
        (stored("x"), NONE, Different),
        # A depth in place of another one is no default.
        (stored("z"), stored("x"), Different),
        (stored("z"), HALF, Different),
        (stored("x"), stored("z"), Different),
        (stored("z"), stored("z"), Equivalent),
    ],
)
def test_verdict(before: Shader, after: Shader, expected: type) -> None:
    verdict = compare_snapshots(
        RunnableSnapshot(before), RunnableSnapshot(after), "nir_opt_fragdepth"
    ).verdict
    assert isinstance(verdict, expected)
