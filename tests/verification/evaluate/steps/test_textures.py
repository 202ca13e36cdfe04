"""Textures: what a colour depends on, and implicit derivatives."""

from __future__ import annotations

import numpy as np
import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.snapshots import RunnableSnapshot, compare_snapshots
from nirls.verification.verdict import Different, Equivalent, Unchecked
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import shader
from tests.verification.evaluate.shader_text import DATA0, shader_of, store

HEAD = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000003)
    32x4   %2 = @load_frag_coord
    32x2   %3 = vec2 %2.x, %2.y
    32     %4 = f2u32 %2.x
    32     %5 = load_const (0x00000001)
    32     %6 = iand %4, %5 (0x1)
    1      %7 = ine %6, %0 (0x0)
    32x2   %8 = f2i32 %3
"""


def sampled(*lines: str, seed: int = 1) -> tuple[list[int], list[bool]]:
    body = "\n".join([HEAD, *lines, "    32     %20 = mov %19.y", store("20", "0", "FRAG_RESULT_DATA0")])
    machine = Machine(shader_of(body + "\n                // succs: b99", "FRAGMENT"))
    plane = machine.run(Environment(seed), lanes=16).outputs[OutputKey(DATA0, 0)]
    return [int(bits) for bits in plane.bits[:, 0]], plane.poison[:, 0].tolist()


PLAIN = "    32x4   %19 = (float32)tex %3 (coord), 0 (texture), 0 (sampler)"


def test_a_colour_is_between_nought_and_one_and_settled_by_its_coordinates() -> None:
    bits, poison = sampled(PLAIN)
    colors = np.array(bits, np.uint32).view(np.float32)
    assert ((colors >= 0) & (colors <= 1)).all()
    assert len(set(bits)) > 8
    assert not any(poison)
    assert sampled(PLAIN) == (bits, poison)
    assert sampled(PLAIN, seed=2)[0] != bits


@pytest.mark.parametrize(
    "other",
    [
        PLAIN.replace("0 (texture)", "1 (texture)"),
        PLAIN.replace("0 (sampler)", "1 (sampler)"),
        PLAIN.replace("tex %3", "txl %3").replace("(coord)", "(coord), %0 (0.000000) (lod)"),
        PLAIN.replace("tex %3", "txb %3")
        .replace("(coord)", "(coord), %2 (bias)")
        .replace("%2 (bias)", "%15 (bias)"),
        PLAIN.replace("(coord)", "(coord), %8 (offset)"),
    ],
)
def test_another_texture_sampler_level_or_offset_gives_another_colour(other: str) -> None:
    assert sampled("    32     %15 = mov %2.x", other)[0] != sampled("    32     %15 = mov %2.x", PLAIN)[0]


def test_an_equal_operation_elsewhere_gives_another_colour() -> None:
    turned, other = "    32x2   %15 = vec2 %2.y, %2.x", PLAIN.replace("tex %3", "tex %15")
    assert sampled(turned, PLAIN.replace("%19", "%18"), other) == sampled(turned, other)
    assert sampled(turned, other)[0] != sampled(PLAIN)[0]


def test_an_implicit_level_near_an_ended_neighbour_is_undefined_and_an_explicit_one_is_not() -> None:
    ended = "                @terminate_if (%7)"
    assert all(undefined for lane, undefined in enumerate(sampled(ended, PLAIN)[1]) if lane % 2 == 0)
    explicit = PLAIN.replace("tex %3", "txl %3").replace("(coord)", "(coord), %0 (0.000000) (lod)")
    assert not any(sampled(ended, explicit)[1])
    assert not any(sampled(ended.replace("terminate", "demote"), PLAIN)[1])


def test_coordinates_of_16_bits_have_the_derivatives_of_their_values() -> None:
    narrow = (
        "    16x2   %9 = f2f16 %3",
        "    16     %10 = load_const (0x2e66)",
        "    16x2   %11 = fmul %9, %10.xx",
    )
    wide = (*narrow, "    32x2   %12 = f2f32 %11", PLAIN.replace("%3", "%12"))
    assert sampled(*narrow, PLAIN.replace("%3", "%11")) == sampled(*wide)


def test_fetches_of_one_texel_agree_and_of_others_do_not() -> None:
    fetch = "    32x4   %19 = (float32)txf %8 (coord), {} (lod), 0 (texture)"
    first = sampled(fetch.format("%0 (0x0)"))
    assert first == sampled(fetch.format("%0 (0x0)"))
    assert first[0] != sampled(fetch.format("%1 (0x3)"))[0]
    assert len(set(first[0])) > 8
    assert first[0] != sampled(fetch.format("%0 (0x0)").replace("0 (texture)", "1 (texture)"))[0]


def test_a_sparse_colour_has_as_many_components_as_the_others_and_one_that_says_whether_it_is_there() -> None:
    sparse = PLAIN.replace("32x4   %19", "32x5   %18").replace("(sampler)", "(sampler), sparse")
    colour = "    32x4   %19 = vec4 %18.x, %18.{}, %18.z, %18.w"
    assert sampled(sparse, colour.format("y")) == sampled(PLAIN)
    assert set(sampled(sparse, colour.format("e"))[0]) <= {0, 1}


def test_the_size_of_a_level_is_that_of_the_first_one_halved() -> None:
    size = "    32x2   %19 = (int32)txs {} (lod), 0 (texture)"
    whole, small = sampled(size.format("%0 (0x0)"))[0], sampled(size.format("%1 (0x3)"))[0]
    assert [max(number >> 3, 1) for number in whole] == small
    assert whole[0] >= 16


def test_an_undefined_coordinate_gives_an_undefined_colour() -> None:
    assert all(sampled("    32x2   %17 = undefined", PLAIN.replace("tex %3", "tex %17"))[1])


def test_an_operation_that_depends_on_more_than_its_sources_is_named() -> None:
    with pytest.raises(Unsupported, match="tex_prefetch"):
        sampled(PLAIN.replace("tex %3", "tex_prefetch %3"))


PACKED = "    32x4   %19 = (float32)tex %3 (backend1), %2 (backend2), 0 (texture), 0 (sampler)"


@pytest.mark.parametrize("first", [PACKED, PLAIN.replace("tex %3", "fragment_mask_fetch_amd %3")])
def test_an_operation_with_packed_sources_is_a_function_of_all_of_them(first: str) -> None:
    bits, poison = sampled(first)
    assert (bits, poison) == sampled(first)
    assert len(set(bits)) > 8
    assert not any(poison)
    for other in (first.replace("0 (texture)", "1 (texture)"), first.replace("%3 (", "%8 (")):
        assert sampled(other)[0] != bits


def test_packed_sources_of_neighbours_count_where_a_level_is_implicit() -> None:
    moved = "    32x2   %15 = vec2 %2.x, %16"
    of_lane_0 = "    32     %16 = bcsel %7, %2.y, %0 (0x0)"
    plain = "    32     %16 = mov %2.y"
    first = sampled(plain, moved, PACKED.replace("%3", "%15"))[0]
    second = sampled(of_lane_0, moved, PACKED.replace("%3", "%15"))[0]
    assert all(one != other for one, other in zip(first, second, strict=True))
    explicit = PACKED.replace("tex %3", "txl %15")
    first, second = sampled(plain, moved, explicit)[0], sampled(of_lane_0, moved, explicit)[0]
    assert any(one == other for one, other in zip(first, second, strict=True))


def test_packed_sources_near_an_ended_neighbour_give_an_undefined_colour() -> None:
    ended = "                @terminate_if (%7)"
    assert all(undefined for lane, undefined in enumerate(sampled(ended, PACKED)[1]) if lane % 2 == 0)
    assert not any(sampled(ended, PACKED.replace("tex %3", "txl %3"))[1][::2])


def _reading_texture(*lines: str) -> Shader:
    """A fragment shader that stores %5, a texel at the coordinate %4."""
    return shader(
        "FRAGMENT",
        "32 %0 = load_const (0x00000000)",
        "32x2 %4 = load_const (0x3e800000, 0x3f000000)",
        *lines,
        "@store_output (%5, %0) (base=0, range=0, wrmask=xyzw, component=0, src_type=float32,"
        " io location=FRAG_RESULT_DATA0 slots=1, xfb(), xfb2())",
        header=(
            "decl_var uniform INTERP_MODE_NONE none sampler2D t (0, 0, 0)",
            "decl_var uniform INTERP_MODE_NONE none sampler2D u (0, 0, 1)",
        ),
    )


def test_the_address_of_a_texture_before_gl_numbers_it() -> None:
    deref = "32 %1 = deref_var &{} (uniform sampler2D)"
    plain = "32x4 %5 = (float32)tex %1 (texture_deref), %1 (sampler_deref), %4 (coord)"
    source = (
        "32 %2 = @deref_texture_src (%1)",
        "32x4 %5 = (float32)tex %2 (sampler_deref_intrinsic), %2 (texture_deref_intrinsic),"
        " %4 (coord), 0 (sampler)",
    )
    before = _reading_texture(deref.format("t"), *source)
    assert isinstance(verify_shaders(before, _reading_texture(deref.format("t"), plain)), Equivalent)
    assert isinstance(verify_shaders(before, _reading_texture(deref.format("u"), *source)), Different)


def test_sources_that_a_backend_packs_are_functions_of_what_they_hold() -> None:
    packed = "32x4 %5 = (float32)tex {} (backend1), 0 (texture), 0 (sampler)"
    plain = _reading_texture("32x4 %5 = (float32)tex %4 (coord), 0 (texture), 0 (sampler)")
    one, other = (
        _reading_texture(f"32x4 %3 = vec4 %4.x, %4.y, {last}, %0", packed.format("%3"))
        for last in ("%0", "%4.x")
    )
    assert isinstance(verify_shaders(one, one), Equivalent)
    assert isinstance(verify_shaders(one, other), Different)
    verdict = compare_snapshots(RunnableSnapshot(plain), RunnableSnapshot(one), "a_pass").verdict
    assert isinstance(verdict, Unchecked)
    assert "backend" in verdict.reason


FETCH = "32x4 %9 = (float32)txf %8 (coord), {offset}%0 (0x0) (lod), 0 (texture)"
INPUT = "32x4 %1 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type={type}, io location=VARYING_SLOT_VAR0 slots=1)"  # noqa: E501
COLOR = "@store_output (%9, %0 (0x0)) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)"  # noqa: E501


def test_the_offset_of_a_fetch_is_added_as_integers_are() -> None:
    """`nir_lower_tex` adds it by `iadd`, which wraps around."""
    start = ("32 %0 = load_const (0x00000000)", INPUT.format(type="int32"), "32x2 %2 = mov %1.xy")
    offset = "32x2 %3 = load_const (0x00000003, 0xfffffffe)"
    before = shader(
        "FRAGMENT", *start, offset, FETCH.replace("%8", "%2").format(offset="%3 (offset), "), COLOR
    )
    after = shader("FRAGMENT", *start, offset, "32x2 %8 = iadd %2, %3", FETCH.format(offset=""), COLOR)
    assert isinstance(verify_shaders(before, after), Equivalent)


def test_a_projector_whose_reciprocal_overflows_may_give_anything() -> None:
    start = ("32 %0 = load_const (0x00000000)", INPUT.format(type="float32"), "32x2 %2 = mov %1.xy")
    sample = "32x4 %9 = (float32)tex {coord} (coord), {projector}0 (texture), 0 (sampler)"
    before = sample.format(coord="%2", projector="%3 (projector), ")
    lowered = ("32 %4 = frcp %3", "32x2 %8 = fmul %2, %4.xx", sample.format(coord="%8", projector=""))
    sides = [shader("FRAGMENT", *start, "32 %3 = mov %1.w", *lines, COLOR) for lines in ((before,), lowered)]
    assert isinstance(verify_shaders(*sides), Equivalent)
