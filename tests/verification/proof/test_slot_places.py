from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.proof.same_expressions import same_expressions
from tests.verification.proof.forwarding_shaders import (
    COLOR,
    IN,
    INDEX,
    OUT,
    UNIFORM,
    C,
    P,
    get,
    pixel,
    put,
    put_slot,
    result,
    straight,
)


def get_slot(number: int, slot: str, *, point: str = "", offset: str = "%0") -> str:
    name, sources = ("load_interpolated_input", f"{point}, {offset}") if point else ("load_input", offset)
    return (
        f"32x4 %{number} = @{name} ({sources}) "
        f"(base=0, range=1, component=0, dest_type=float32, io location={slot} slots=1)"
    )


VARYING = "decl_var {}shader_in INTERP_MODE_{} none vec4 y (VARYING_SLOT_VAR0.xyzw, 0, 0)\n"


Y = "32 %50 = deref_var &y (shader_in vec4)"


def fragment(*lines: str, words: str = "", mode: str = "NONE") -> Shader:
    declared = UNIFORM + VARYING.format(words, mode) + COLOR
    return straight(*lines, C, put("%90", "%30"), stage="FRAGMENT", declared=declared)


BY_NAME = fragment(Y, get(30, "%50"))


BY_INDEX = straight(IN, get(30, "%22"), *result("%30"))


TO_OUT = straight(OUT, put("%20", "%4"))


OF_FLAT = fragment(Y, get(30, "%50"), mode="FLAT")


OF_CENTROID = fragment(Y, get(30, "%50"), words="centroid ")


MIXED = straight("32x4 %30 = vec4 %4.x, %4.y, %4.y, %4.w", OUT, put("%20", "%30"))


PART = "32 %30 = mov %4.y"


EXCHANGED = straight(OUT, P, put("%21", "%2"), put("%20", "%4"))


def attribute(slot: str, offset: str = "%0") -> Shader:
    return straight(INDEX, get_slot(30, f"VERT_ATTRIB_GENERIC{slot}", offset=offset), *result("%30"))


def varying(*point: str, words: str = "", mode: str = "NONE") -> Shader:
    load = get_slot(30, "VARYING_SLOT_VAR0", point="%51" if point else "")
    return fragment(*point, load, words=words, mode=mode)


@pytest.mark.parametrize(
    ("before", "after", "is_proved"),
    [
        (TO_OUT, straight(put_slot("%4", "VAR0")), True),
        (TO_OUT, straight(put_slot("%4", "VAR1")), False),
        (TO_OUT, straight(put_slot("%4", "VAR0", mask="xyz")), False),
        (TO_OUT, straight(put_slot("%4", "VAR0", more=" high_16bits")), False),
        (TO_OUT, straight(put_slot("%4", "VAR0").replace("float", "int")), False),
        (
            TO_OUT,
            straight(put_slot("%4", "VAR0").replace("xfb()", "xfb(component=0 buffer=0 offset=0)")),
            False,
        ),
        (straight(put_slot("%4", "VAR0").replace("%0)", "%1)")), straight(put_slot("%4", "VAR1")), False),
        (straight(PART, put_slot("%4", "VAR0"), put_slot("%30", "VAR0", 2, "x")), MIXED, True),
        (straight(PART, put_slot("%30", "VAR0", 2, "x"), put_slot("%4", "VAR0")), MIXED, False),
        (straight(put_slot("%4", "VAR0"), put_slot("%2", "VAR1")), EXCHANGED, True),
        (BY_INDEX, attribute("0"), True),
        (BY_INDEX, attribute("1"), False),
        (BY_INDEX, attribute("0", "%6"), False),
        (BY_NAME, varying(pixel(51)), True),
        (BY_NAME, varying(pixel(51, "centroid")), False),
        (BY_NAME, varying(pixel(51, mode="NOPERSPECTIVE")), False),
        (BY_NAME, varying(), False),
        (OF_FLAT, varying(mode="FLAT"), True),
        (OF_FLAT, varying(pixel(51), mode="FLAT"), False),
        (OF_CENTROID, varying(pixel(51, "centroid"), words="centroid "), True),
        (OF_CENTROID, varying(pixel(51), words="centroid "), False),
    ],
)
def test_variables_and_the_slots_they_are_lowered_to(before: Shader, after: Shader, is_proved: bool) -> None:
    assert same_expressions(before, before)
    assert same_expressions(after, after)
    assert same_expressions(before, after) is is_proved
    assert same_expressions(after, before) is is_proved


def test_stores_of_two_types_to_one_component_keep_their_order() -> None:
    one, other = put_slot("%4", "VAR0"), put_slot("%2", "VAR0").replace("float", "int")
    before = straight(one, other)
    assert same_expressions(before, before)
    assert not same_expressions(before, straight(other, one))


def test_outputs_that_something_else_reads_keep_their_stores() -> None:
    load = get_slot(30, "FRAG_RESULT_DATA0").replace("load_input", "load_output")
    store = put_slot("%2", "VAR0").replace("VARYING_SLOT_VAR0", "FRAG_RESULT_DATA0")
    keep = "@store_ssbo (%30, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)"
    before = straight(store, load, keep, stage="FRAGMENT")
    assert same_expressions(before, before)
    assert not same_expressions(before, straight(load, store, keep, stage="FRAGMENT"))


def test_members_of_the_block_of_built_in_outputs_are_outputs() -> None:
    block = "decl_var shader_out INTERP_MODE_NONE none gl_PerVertex  (VARYING_SLOT_POS, 0, 0)\n"
    split = "decl_var shader_out INTERP_MODE_NONE none vec4 gl_Position (VARYING_SLOT_POS.xyzw, 0, 0)\n"
    member = "32 %51 = deref_struct &%50->{} (shader_out vec4)"

    def one(*lines: str, out: str) -> Shader:
        declared = UNIFORM + out
        return straight(*lines, put("%51", "%4"), declared=declared)

    whole = "32 %50 = deref_var & (shader_out gl_PerVertex)"
    before = one(whole, member.format("gl_Position"), out=block)
    after = one("32 %51 = deref_var &gl_Position (shader_out vec4)", out=split)
    assert same_expressions(before, before)
    assert same_expressions(before, after)
    assert not same_expressions(one(whole, member.format("gl_ClipVertex"), out=block), after)


@pytest.mark.parametrize(
    ("lines", "slot", "component"),
    [
        (("32 %51 = deref_struct &%50->gl_PointSize (shader_out float)",), "PSIZ", 0),
        (
            (
                "32 %52 = deref_struct &%50->gl_ClipDistance (shader_out float[8])",
                "32 %51 = deref_array &(*%52)[6] (shader_out float)",
            ),
            "CLIP_DIST1",
            2,
        ),
    ],
)
def test_scalars_of_the_block_of_built_in_outputs_have_components_of_slots(
    lines: tuple[str, ...], slot: str, component: int
) -> None:
    block = "decl_var shader_out INTERP_MODE_NONE none gl_PerVertex  (VARYING_SLOT_POS, 0, 0)\n"
    whole = "32 %50 = deref_var & (shader_out gl_PerVertex)"
    before = straight(INDEX, whole, *lines, put("%51", "%6", "x"), declared=UNIFORM + block)
    for at, is_there in ((component, True), (component + 1, False)):
        after = straight(INDEX, put_slot("%6", slot, at, "x"), declared=UNIFORM)
        assert same_expressions(before, after) is is_there
