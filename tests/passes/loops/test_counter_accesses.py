from __future__ import annotations

import pytest

from nirls.ir.model.control_flow import Loop
from nirls.passes.loops.counter_accesses import accesses_by_counter
from nirls.passes.loops.trip_count import LoopShape, shape_of
from tests.passes.expectation import parse_body

ARRAYS = """
decl_var shader_temp INTERP_MODE_NONE none vec4[3] t
decl_var shader_temp INTERP_MODE_NONE none vec4 v
decl_var shader_temp INTERP_MODE_NONE none mat4 m
decl_var shader_temp INTERP_MODE_NONE none float[4][3] n
"""


def lengths(index: str, step: str, *lines: str) -> list[int]:
    """The lengths of the arrays that a loop with a step indexes by one of its values."""
    body = "\n".join(line.replace("INDEX", index) for line in lines)
    shader = parse_body(
        f"""
        block b0:
        32 %0 = load_const (0x00000000)
        32 %1 = load_const (0x00000001)
        32 %2 = @load_sample_id
        loop {{
        block b1:
        32 %5 = phi b0: %0, b1: %6
        32 %6 = {step}
        {body}
        }}
        block b2:
        block b3:
        """,
        declarations=ARRAYS,
    )
    (loop,) = [node for impl in shader.impls() for node in impl.body if isinstance(node, Loop)]
    shape = shape_of(loop)
    assert isinstance(shape, LoopShape)
    return [one.length for one in accesses_by_counter(shape, list(shader.instrs()))]


T = ("32 %10 = deref_var &t (shader_temp vec4[3])", "32 %11 = deref_array &(*%10)[INDEX] (shader_temp vec4)")
LOAD = "32x4 %12 = @load_deref (%11) (access=none)"


@pytest.mark.parametrize("index", ["%5", "%6"])
def test_counter_and_its_next_value(index: str) -> None:
    assert lengths(index, "iadd %5, %1", *T, LOAD) == [3]


@pytest.mark.parametrize("copied", ["%11, %13", "%13, %11"])
def test_both_sides_of_a_copy(copied: str) -> None:
    v = "32 %13 = deref_var &v (shader_temp vec4)"
    copy = f"@copy_deref ({copied}) (dst_access=none, src_access=none)"
    assert lengths("%5", "iadd %5, %1", *T, v, copy) == [3]


def test_every_array_on_the_way() -> None:
    nested = (
        "32 %10 = deref_var &n (shader_temp float[4][3])",
        "32 %11 = deref_array &(*%10)[%6] (shader_temp float[3])",
        "32 %13 = deref_array &(*%11)[%5] (shader_temp float)",
        "32 %14 = @load_deref (%13) (access=none)",
    )
    assert lengths("%5", "iadd %5, %1", *nested) == [3, 4]


def test_store_to_a_column() -> None:
    column = (
        "32 %10 = deref_var &m (shader_temp mat4)",
        "32 %11 = deref_array &(*%10)[%5] (shader_temp vec4)",
        "32x4 %12 = vec4 %0, %0, %0, %0",
        "@store_deref (%11, %12) (wrmask=xyzw, access=none)",
    )
    assert lengths("%5", "iadd %5, %1", *column) == [4]


@pytest.mark.parametrize(
    ("index", "step"), [("%2", "iadd %5, %1"), ("%5", "iadd %5, %2"), ("%5", "iadd %5, %5"), ("%5", "mov %2")]
)
def test_other_indices(index: str, step: str) -> None:
    assert lengths(index, step, *T, LOAD) == []


def test_array_that_is_not_accessed() -> None:
    assert lengths("%5", "iadd %5, %1", *T) == []
