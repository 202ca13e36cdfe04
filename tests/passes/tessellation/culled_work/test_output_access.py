"""The outputs that accesses of a control shader touch, and the barrier between them."""

from __future__ import annotations

import pytest

from nirls.ir.model.builder import Builder
from nirls.ir.text.parse import parse_dump
from nirls.passes.tessellation.culled_work.output_access import (
    INNER,
    OUTER,
    build_output_barrier,
    is_level,
    output_accesses,
    place_name,
)
from tests.passes.tessellation import patches
from tests.passes.tessellation.control_text import control, entry

BODY = """
block b0:  // preds:
32 %0 = load_const (0x00000000)
32 %1 = @load_invocation_id
32x2 %2 = vec2 %0, %1
%3 = load VAR1.y [%1]
out VAR0.x [%1] = %3
patch OUTER.z = %1
"""
IO = "io location=VARYING_SLOT_VAR4 slots={slots})"


def test_scalars() -> None:
    accesses = output_accesses(entry(control(f"{BODY}block b1:")))
    assert [sorted(map(place_name, access.places)) for access in accesses.loads] == [["VAR1.y"]]
    assert [sorted(map(place_name, access.places)) for access in accesses.stores] == [
        ["VAR0.x"],
        ["TESS_LEVEL_OUTER.z"],
    ]
    assert [is_level(access) for access in accesses.stores] == [False, True]
    assert accesses.unknown == ()


def test_vectors_with_a_write_mask_and_arrays() -> None:
    lines = [
        f"@store_per_vertex_output (%2, %1, {offset}) (base=0, range=1, wrmask=y, component=1,"
        f" src_type=float32, {IO.format(slots=slots)}\n"
        for offset, slots in (("%0", 1), ("%1", 3))
    ]
    body = BODY + "".join(lines)
    *_, one, array = output_accesses(entry(control(f"{body}block b1:"))).stores
    assert {place_name(place) for place in one.places} == {"VAR4.z"}
    assert {place_name(place) for place in array.places} == {"VAR4.z", "VAR5.z", "VAR6.z"}
    assert one.index == 0
    assert array.index is None


def test_a_level_at_a_variable_index_may_be_any() -> None:
    body = BODY.replace("patch OUTER.z = %1", "") + (
        "@store_output (%1, %1) (base=0, range=1, wrmask=x, component=0, src_type=float32,"
        " io location=VARYING_SLOT_TESS_LEVEL_OUTER slots=1, xfb(), xfb2())\n"
    )
    *_, level = output_accesses(entry(control(f"{body}block b1:"))).stores
    assert level.places == {(OUTER, lane) for lane in range(4)}
    assert INNER == OUTER + 1


CLASSIC = (
    "shader: MESA_SHADER_TESS_CTRL\ndecl_function main (0 params)\n\nimpl main {{\n"
    "\tblock block_0:\n\t/* preds: */\n"
    "{}\t/* succs: block_1 */\n\tblock block_1:\n}}\n"
)


def test_modern_dumps_have_one_instruction() -> None:
    tcs = patches.control()
    impl = tcs.entrypoint
    assert impl is not None
    (barrier,) = build_output_barrier(Builder(impl, impl.start_block), tcs)
    assert barrier.indices["memory_modes"] == ("shader_out",)
    assert patches.names(tcs)[-1] == "barrier"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", ["memory_barrier_tcs_patch", "control_barrier"]),
        (
            "\tintrinsic scoped_barrier () (exec_scope=WORKGROUP /*4*/, mem_scope=WORKGROUP /*4*/,"
            " mem_semantics=ACQ|REL /*3*/, mem_modes=shader_out /*8*/)\n",
            ["scoped_barrier"],
        ),
    ],
)
def test_older_dumps_keep_to_what_they_have(line: str, expected: list[str]) -> None:
    tcs = parse_dump(CLASSIC.format(line).encode())
    assert not tcs.unreadable
    impl = tcs.entrypoint
    assert impl is not None
    assert [one.name for one in build_output_barrier(Builder(impl, impl.start_block), tcs)] == expected
