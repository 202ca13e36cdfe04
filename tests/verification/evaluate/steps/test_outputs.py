"""Outputs: masks, indirect slots, vertices of control shaders, transform feedback, reading back."""

from __future__ import annotations

import pytest

from nirls.ir.model.slots import slot_number
from nirls.verification.evaluate.surroundings.result import OutputKey, XfbOutput
from tests.verification.evaluate.shader_text import DATA0, VAR0, run, shader_of, store, stored

HEAD = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
"""


def test_an_indirect_store_goes_to_the_slot_of_each_lane() -> None:
    body = HEAD + (
        "    32     %2 = @load_vertex_id_zero_base\n"
        "    32     %3 = iand %2, %1 (0x1)\n"
        "                @store_output (%2, %3) (base=0, range=2, wrmask=x, component=2, src_type=uint32, "
        "io location=VARYING_SLOT_VAR0 slots=2, xfb(), xfb2())\n                // succs: b99"
    )
    result = run(shader_of(body))
    even, odd = result.outputs[OutputKey(VAR0, 2)], result.outputs[OutputKey(VAR0 + 1, 2)]
    assert even.written[:, 0].tolist() == [True, False] * 4
    assert odd.written[:, 0].tolist() == [False, True] * 4
    assert odd.bits[1::2, 0].tolist() == [1, 3, 5, 7]


def test_a_write_mask_and_the_last_store_count() -> None:
    vector = store("2", "0").replace("wrmask=x", "wrmask=xz")
    body = HEAD + (
        f"    32x3   %2 = vec3 %1, %1, %1\n{vector}\n{store('0', '0', component=2)}\n                // succs: b99"  # noqa: E501
    )
    result = run(shader_of(body))
    assert set(result.outputs) == {OutputKey(VAR0, 0), OutputKey(VAR0, 2)}
    assert stored(result) == [1] * 8
    assert stored(result, 2) == [0] * 8


def test_doubles_take_two_components_each() -> None:
    body = HEAD + (
        "    64     %2 = load_const (0x1234567800000000)\n    64x2   %3 = vec2 %2, %2\n"
        + store("3", "0").replace("wrmask=x", "wrmask=xy").replace("float32", "uint64")
        + "\n                // succs: b99"
    )
    result = run(shader_of(body))
    assert set(result.outputs) == {OutputKey(VAR0, 0), OutputKey(VAR0, 2)}
    assert stored(result, 2) == [0x1234567800000000] * 8


def test_vertices_of_a_patch_are_stored_by_their_invocations_and_read_back() -> None:
    semantics = "io location=VARYING_SLOT_VAR0 slots=1)"
    body = HEAD + (
        "    32     %2 = @load_invocation_id\n"
        f"                @store_per_vertex_output (%2, %2, %0 (0x0)) (base=0, range=1, wrmask=x, component=0, src_type=uint32, {semantics}\n"  # noqa: E501
        f"    32     %3 = @load_per_vertex_output (%2, %0 (0x0)) (base=0, range=1, component=0, dest_type=uint32, {semantics}\n"  # noqa: E501
        f"                @store_per_vertex_output (%3, %2, %0 (0x0)) (base=0, range=1, wrmask=x, component=1, src_type=uint32, {semantics}\n"  # noqa: E501
        "                // succs: b99"
    )
    result = run(shader_of(body, "TESS_CTRL", "tcs_vertices_out: 4\n"), lanes=8)
    for component in (0, 1):
        plane = result.outputs[OutputKey(VAR0, component)]
        assert plane.bits.tolist() == [[0, 1, 2, 3]] * 2
        assert plane.written.all()
        assert not plane.poison.any()


def test_reading_an_output_that_nobody_wrote_is_undefined() -> None:
    load = "@load_output (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_VAR1 slots=1)"  # noqa: E501
    body = HEAD + f"    32     %2 = {load}\n{store('2', '0')}\n                // succs: b99"
    assert run(shader_of(body)).outputs[OutputKey(VAR0, 0)].poison.all()


def test_captured_outputs_are_noted_with_their_place() -> None:
    captured = store("1", "0").replace("xfb()", "xfb(component=0 buffer=2 offset=12)")
    result = run(shader_of(HEAD + captured + "\n                // succs: b99"))
    assert result.xfb == {XfbOutput(2, 12, OutputKey(VAR0, 0))}


def test_outputs_that_are_for_the_next_stage_only() -> None:
    text = store("1", "0", "VARYING_SLOT_LAYER").replace("slots=1", "slots=1 no_sysval_output")
    result = run(shader_of(HEAD + text + "\n                // succs: b99"))
    assert len(result.varyings_only) == 1
    assert (
        run(shader_of(HEAD + store("1", "0", "VARYING_SLOT_LAYER") + "\n    // succs: b99")).varyings_only
        == set()
    )


def test_a_store_at_an_index_that_rounding_decides_loses_the_lane() -> None:
    body = HEAD + (
        "    32     %2 = load_const (0x3dcccccd = 0.100000)\n"
        "    32     %3 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, "
        "io location=VERT_ATTRIB_POS slots=1)\n"
        "    32     %4 = fmul %3, %2\n    32     %5 = fsub %4, %4\n    32     %6 = f2i32 %5\n"
        "    32     %7 = fadd %5, %2\n    32     %8 = fdiv %7, %2\n    32     %9 = f2i32 %8\n"
        "                @store_output (%2, %9) (base=0, range=4, wrmask=x, component=0, src_type=float32, "
        "io location=VARYING_SLOT_VAR0 slots=4, xfb(), xfb2())\n                // succs: b99"
    )
    result = run(shader_of(body), track_error=True)
    assert result.fragile.all()


def test_a_store_at_an_undefined_index_loses_the_lane() -> None:
    body = HEAD + (
        "    32     %2 = undefined\n"
        "                @store_output (%1, %2) (base=0, range=4, wrmask=x, component=0, src_type=uint32, "
        "io location=VARYING_SLOT_VAR0 slots=4, xfb(), xfb2())\n                // succs: b99"
    )
    assert run(shader_of(body)).poisoned.all()


@pytest.mark.parametrize(("flag", "is_undefined"), [(" fbfetch", False), ("", True)])
def test_the_framebuffer_has_a_value_that_the_shader_did_not_store(flag: str, is_undefined: bool) -> None:
    body = HEAD + (
        "    32     %2 = @load_output (%0) (base=0, range=1, component=0, dest_type=float32, "
        f"io location=FRAG_RESULT_DATA0 slots=1{flag})\n"
        f"{store('2', '0', 'FRAG_RESULT_DATA1')}\n                // succs: b99"
    )
    result = run(shader_of(body, "FRAGMENT"))
    plane = result.outputs[OutputKey(DATA0 + 1, 0)]
    assert plane.poison.all() == plane.poison.any() == is_undefined


def test_the_second_source_of_blending_is_an_output_of_its_own() -> None:
    second = store("0", "0", "FRAG_RESULT_DATA0").replace("slots=1", "slots=1 dualsrc")
    body = HEAD + store("1", "0", "FRAG_RESULT_DATA0") + "\n" + second + "\n                // succs: b99"
    outputs = run(shader_of(body, "FRAGMENT")).outputs
    assert (outputs[OutputKey(DATA0, 0)].bits == 1).all()
    assert (outputs[OutputKey(slot_number("FRAG_RESULT_DUAL_SRC_BLEND"), 0)].bits == 0).all()
