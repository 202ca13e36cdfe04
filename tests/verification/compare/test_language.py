from __future__ import annotations

import pytest

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.verification.compare.language import (
    BOOLEANS_AS_FLOATS,
    BY_OFFSET,
    INTEGERS_AS_FLOATS,
    LISTED_CAPTURES,
    UNKNOWN_SLOTS,
    WITHOUT_LOCATION,
    clamps_coordinates,
    makes_integers_floats,
    new_numbers,
    unclear_words,
    with_neutral_slots,
    words_of,
)
from tests.passes.shader_text import ZERO, store
from tests.passes.shader_text import shader as shader_with

COORD = "32x2 %1 = load_const (0x00000000, 0x00000000)"


def shader(*lines: str, stage: str = "FRAGMENT", rest: str = "") -> Shader:
    body = "\n    ".join(("32 %0 = load_const (0x00000000)", *lines))
    return parse_dump(
        f"shader: MESA_SHADER_{stage}\ndecl_function main () (entrypoint)\n{rest}"
        f"impl main {{\n    block b0:  // preds:\n    {body}\n    // succs: b1\n    block b1:\n}}\n".encode()
    )


def by_offset(*bases: int) -> list[str]:
    place = "wrmask=x, component=0, io location=VARYING_SLOT_POS slots=1"
    return [f"@store_output (%0, %0 (0x0)) (base={base}, {place})" for base in bases]


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        (
            (COORD, "32x4 %2 = (float32)tex %1 (backend1), 0 (texture), 0 (sampler)"),
            "texture source backend1",
        ),
        (("32 %1 = deref_var &v (shader_in float)", "32 %2 = @load_deref (%1)"), WITHOUT_LOCATION + "v"),
        (
            ("32 %1 = load_const (0x41000000)", "32 %2 = @load_uniform (%1) (base=0, range=4)"),
            INTEGERS_AS_FLOATS,
        ),
        (("32 %1 = slt %0, %0", "@terminate_if (%1)"), BOOLEANS_AS_FLOATS),
        (by_offset(0, 1, 2, 3), BY_OFFSET[True]),
        (
            (
                COORD,
                "32x4 %2 = (float32)tex %1 (coord), 0 (texture), 0 (sampler)",
                "32 %3 = mov %2.x",
                "32 %4 = unpack_half_2x16_split_y %3",
            ),
            "packed texture results",
        ),
        (
            (
                "16 %1 = load_const (0x0000)",
                "@store_output (%1, %0) (base=0, component=0, io location=FRAG_RESULT_DATA0 slots=1)",
            ),
            "outputs in 16 bits",
        ),
        (
            ("@store_output (%0, %0) (base=-1, wrmask=x, component=0, io location=UNKNOWN slots=9)",),
            UNKNOWN_SLOTS[True],
        ),
    ],
)
def test_words_of_one_instruction(lines: tuple[str, ...], word: str) -> None:
    assert word in words_of(shader(*lines))


@pytest.mark.parametrize(
    "lines",
    [
        (COORD, "32x4 %2 = (float32)tex %1 (coord), 0 (texture), 0 (sampler)"),
        ("32 %1 = load_const (0x00000008)", "32 %2 = @load_uniform (%1) (base=0, range=4)"),
        ("1 %1 = flt %0, %0", "@terminate_if (%1)"),
        ("32 %1 = flt32 %0, %0", "@terminate_if (%1)"),
        ("32 %1 = deref_var &v (shader_in S)", "32 %2 = deref_struct &%1->a (shader_in float)"),
        by_offset(0, 0),
    ],
)
def test_common_words(lines: tuple[str, ...]) -> None:
    special = {INTEGERS_AS_FLOATS, BOOLEANS_AS_FLOATS, WITHOUT_LOCATION + "v", *BY_OFFSET.values()}
    assert not words_of(shader(*lines)) & special


def test_a_function_that_nothing_calls_is_run_by_the_hardware() -> None:
    second = (
        "decl_function patch ()\nimpl patch {\n    block b0:\n    @store_output (%0, %0) (base=0)\n"
        "    block b1:\n}\n"
    )
    assert "the function patch, which nothing calls" in words_of(shader(rest=second))


def test_words_that_only_the_driver_defines() -> None:
    words = frozenset((BOOLEANS_AS_FLOATS, "textures by index"))
    assert unclear_words(words) == {BOOLEANS_AS_FLOATS}


def test_integers_become_floats() -> None:
    integers = shader("32 %1 = iadd %0, %0", "32 %2 = i2f32 %1")
    floats = shader("32 %1 = fadd %0, %0", "32 %2 = mov %1")
    assert makes_integers_floats(integers, floats)
    assert not makes_integers_floats(floats, integers)
    assert not makes_integers_floats(integers, shader())


def test_a_number_from_outside_becomes_a_float() -> None:
    load = "32 %1 = @load_uniform (%0) (base=0, range=1, dest_type=int32)"
    integers = shader(load, "32 %2 = i2f32 %1")
    assert makes_integers_floats(integers, shader(load, "32 %2 = mov %1"))
    assert not makes_integers_floats(integers, shader(load, "32 %2 = fneg %1"))
    assert not makes_integers_floats(integers, shader(load))
    to_integer = shader(load, "32 %2 = f2i32 %1")
    assert not makes_integers_floats(to_integer, shader(load, "32 %2 = mov %1"))
    two = shader(load, "32 %2 = i2f32 %1", "32 %3 = i2f32 %0")
    assert not makes_integers_floats(two, shader(load, "32 %2 = i2f32 %1", "32 %3 = mov %0"))


def test_logic_on_booleans_stays_where_integers_become_floats() -> None:
    logic = ("1 %3 = fneu %0, %1", "1 %4 = iand %2, %3", "1 %5 = inot %4", "1 %6 = ine %5, %2")
    integers = shader("32 %1 = load_const (0x00000005)", "1 %2 = ieq %0, %1", *logic)
    floats = shader("32 %1 = load_const (0x40a00000)", "1 %2 = feq %0, %1", *logic)
    assert makes_integers_floats(integers, floats)
    assert not makes_integers_floats(floats, floats)


def test_a_conversion_to_an_integer_and_back_is_no_arithmetic() -> None:
    there_and_back = shader("32 %1 = f2i32 %0", "32 %2 = i2f32 %1")
    assert not makes_integers_floats(there_and_back, shader("32 %1 = ffloor %0"))
    packed = shader("64 %1 = pack_64_2x32_split %0, %0", "32 %2 = u2f32 %1")
    assert not makes_integers_floats(packed, shader("32 %1 = u2f32 %0", "32 %2 = fadd %1, %1"))


def test_a_selection_by_the_sign_of_a_number_has_no_boolean() -> None:
    assert BOOLEANS_AS_FLOATS not in words_of(shader("32 %1 = fcsel_ge %0, %0, %0"))
    assert BOOLEANS_AS_FLOATS in words_of(shader("32 %1 = fcsel %0, %0, %0"))


def test_clamped_coordinates() -> None:
    sample = "32x4 %9 = (float32)tex %8 (coord), 0 (texture), 0 (sampler)"
    plain = shader("32x2 %8 = vec2 %0, %0", sample)
    clamped = shader("32 %1 = fsat %0", "32x2 %8 = vec2 %1, %0", sample)
    assert clamps_coordinates(plain, clamped)
    assert not clamps_coordinates(clamped, plain)
    assert not clamps_coordinates(clamped, clamped)


def test_resources_get_other_numbers() -> None:
    def textured(number: object) -> Shader:
        return shader(COORD, f"32x4 %2 = (float32)tex %1 (coord), {number} (texture), 0 (sampler)")

    def loads(buffer: str) -> Shader:
        line = f"32 %2 = @load_ubo ({buffer}, %0) (access=none, align_mul=4, align_offset=0)"
        return shader("32 %1 = load_const (0x00000003)", "32 %3 = @load_sample_id", line)

    assert new_numbers(textured(0), textured(67108864)) == ("texture 67108864",)
    assert not new_numbers(textured(1), textured(1))
    assert new_numbers(loads("%0"), loads("%1")) == ("ubo 3",)
    assert not new_numbers(loads("%3"), loads("%1")), "the first one may have computed this number"


def test_each_offset_is_a_place_of_its_own() -> None:
    changed = with_neutral_slots(shader(*by_offset(0, 1, 2, 3), stage="VERTEX"))
    slots = [one.io_semantics for one in changed.instrs() if isinstance(one, IntrinsicInstr)]
    assert len({one.location for one in slots if one is not None}) == 4
    plain = shader(*by_offset(0), stage="VERTEX")
    assert with_neutral_slots(plain) is plain


@pytest.mark.parametrize(("is_captured", "is_listed"), [(True, True), (True, False), (False, True)])
def test_captures_that_only_stores_list(is_captured: bool, is_listed: bool) -> None:
    listed = store("VAR0", "%0 (0x0)", extra="|components=0 buffer=0 offset=0" if is_listed else "")
    header = ("has_transform_feedback_varyings: true",) if is_captured else ()
    words = words_of(shader_with("VERTEX", ZERO, listed, header=header))
    assert (LISTED_CAPTURES in words) == (is_captured and is_listed)
