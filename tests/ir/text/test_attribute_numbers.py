"""The numbering of vertex attributes, told from the text of a dump."""

from __future__ import annotations

import re

import pytest

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.slots import AttributeNumbers, attribute_of_number, number_of_attribute, slot_name
from nirls.ir.model.stage import Stage
from nirls.ir.text.attribute_numbers import attribute_numbers, attribute_semantics, set_attribute_numbers
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import fresh
from nirls.ir.text.printing.convert import ConversionError, convert
from nirls.ir.validation import validate

BEFORE, SINCE, UNKNOWN = (
    AttributeNumbers.BEFORE_21_3,
    AttributeNumbers.SINCE_21_3,
    AttributeNumbers.UNKNOWN,
)


def old_vertex(*loads: tuple[int, int], declared: str = "", more: str = "") -> bytes:
    """Return an old dump with loads of these bases and locations; `declared` is `NAME:driver[:type]`."""
    lines = [
        f"vec4 32 ssa_{number} = intrinsic load_input (ssa_0) ({base}, 0, 160, {128 + location})"
        f" /* base={base} */ /* component=0 */ /* dest_type=float32 */ /* location={location} slots=1 */"
        for number, (base, location) in enumerate(loads, 1)
    ]
    lines += [more] if more else []
    names = "".join(
        f"decl_var shader_in INTERP_MODE_NONE {type_ or 'vec4'} in_{name}"
        f" (VERT_ATTRIB_{name}.xyzw, {driver}, 0)\n"
        for name, driver, type_ in ((f"{word}:".split(":"))[:3] for word in declared.split())
    )
    return (
        "shader: MESA_SHADER_VERTEX\ninputs: 2\noutputs: 1\nuniforms: 0\nshared: 0\n"
        f"{names}decl_function main (0 params)\n\nimpl main {{\n\tblock block_0:\n\t/* preds: */\n"
        "\tvec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)\n"
        + "".join(f"\t{line}\n" for line in lines)
        + "\t/* succs: block_1 */\n\tblock block_1:\n}\n\n"
    ).encode()


def names(shader: Shader) -> list[str]:
    found = [attribute_semantics(instr, shader.stage) for instr in shader.instrs()]
    return [
        slot_name(semantics.location, Stage.VERTEX, is_output=False).removeprefix("VERT_ATTRIB_")
        for semantics in found
        if semantics is not None
    ]


@pytest.mark.parametrize(
    ("dump", "numbers", "expected"),
    [
        # Only one numbering leads to declared attributes.
        (old_vertex((0, 16), declared="GENERIC0:0"), BEFORE, ["GENERIC0"]),
        (old_vertex((0, 15), declared="GENERIC0:0"), SINCE, ["GENERIC0"]),
        (
            old_vertex((0, 0), (1, 7), (2, 17), declared="POS:0 TEX0:1 GENERIC1:2"),
            BEFORE,
            ["POS", "TEX0", "GENERIC1"],
        ),
        (old_vertex((0, 6), declared="EDGEFLAG:0"), BEFORE, ["EDGEFLAG"]),
        (old_vertex((0, 31), declared="EDGEFLAG:0"), SINCE, ["EDGEFLAG"]),
        # A matrix takes one attribute for each column, and two for each of doubles.
        (old_vertex((0, 16), (3, 19), declared="GENERIC0:0:mat4"), BEFORE, ["GENERIC0", "GENERIC3"]),
        (old_vertex((0, 18), declared="GENERIC0:0:mat4"), UNKNOWN, ["18"]),
        # Both numberings fit: the numbers of the driver tell.
        (old_vertex((1, 16), declared="GENERIC0:0 GENERIC1:1"), SINCE, ["GENERIC1"]),
        (old_vertex((0, 16), declared="GENERIC0:0 GENERIC1:1"), BEFORE, ["GENERIC0"]),
        (old_vertex((0, 16), declared="GENERIC0:16 GENERIC1:17"), BEFORE, ["GENERIC0"]),
        (old_vertex((1, 16), declared="GENERIC0:15 GENERIC1:16"), SINCE, ["GENERIC1"]),
        # The driver has not numbered its inputs yet.
        (old_vertex((0, 16), declared="GENERIC0:0 GENERIC1:0"), UNKNOWN, ["16"]),
        # Nothing tells.
        (old_vertex((0, 16), (1, 17)), UNKNOWN, ["16", "17"]),
        (old_vertex((0, 5), (1, 6)), UNKNOWN, ["COLOR_INDEX", "6"]),
        # Numbers that no release changed.
        (old_vertex((0, 0), (1, 1)), BEFORE, ["POS", "NORMAL"]),
    ],
)
def test_old_dumps(dump: bytes, numbers: AttributeNumbers, expected: list[str]) -> None:
    shader = parse_dump(dump)
    assert shader.dialect is Dialect.OLD
    assert shader.attribute_numbers is numbers
    assert names(shader) == expected
    # A fresh print adds the names of variables.
    assert re.sub(rb"\t/\* in_\w+ \*/", b"", fresh(shader)).rstrip() == dump.rstrip()
    assert not [finding for finding in validate(shader) if "slot" in finding.message]


def test_the_release_of_an_intrinsic_tells() -> None:
    # Queries of images have a format since 21.3.
    samples = (
        "vec1 32 ssa_9 = intrinsic image_deref_samples (ssa_0) (1, 0, 0, 0)"
        " /* image_dim=2D */ /* image_array=false */ /* format=none */ /* access=0 */"
    )
    shader = parse_dump(old_vertex((0, 16), more=samples))
    assert shader.attribute_numbers is SINCE
    assert names(shader) == ["GENERIC1"]


def test_classic_dumps_have_the_numbers_since_21_3() -> None:
    text = old_vertex((0, 16)).replace(
        b"(0, 0, 160, 144) /* base=0 */ /* component=0 */ /* dest_type=float32 */ /* location=16 slots=1 */",
        b"(base=0, component=0, dest_type=float32 /*160*/, io location=16 slots=1 /*144*/)",
    )
    shader = parse_dump(text)
    assert shader.dialect is Dialect.CLASSIC
    assert names(shader) == ["GENERIC1"]


def test_other_inputs_and_outputs_keep_their_numbers() -> None:
    store = (
        "intrinsic store_output (ssa_1, ssa_0) (0, 15, 0, 160, 160)"
        " /* base=0 */ /* wrmask=xyzw */ /* component=0 */ /* src_type=float32 */ /* location=32 slots=1 */"
    )
    shader = parse_dump(old_vertex((0, 16), declared="GENERIC0:0", more=store))
    stores = [instr for instr in shader.instrs() if isinstance(instr, IntrinsicInstr)][1:]
    assert [instr.io_semantics and instr.io_semantics.location for instr in stores] == [32]
    fragment = parse_dump(old_vertex((0, 16)).replace(b"VERTEX", b"FRAGMENT"))
    (load,) = (instr for instr in fragment.instrs() if isinstance(instr, IntrinsicInstr))
    assert load.io_semantics is not None
    assert load.io_semantics.location == 16


@pytest.mark.parametrize("numbers", tuple(AttributeNumbers))
def test_numbers_and_attributes_are_inverse(numbers: AttributeNumbers) -> None:
    attributes = [attribute_of_number(number, numbers) for number in range(48)]
    assert len(set(attributes)) == 48
    assert [number_of_attribute(attribute, numbers) for attribute in attributes] == list(range(48))


def test_conversions_name_what_is_known_only() -> None:
    known, unknown = (
        parse_dump(old_vertex((0, 16), declared="GENERIC0:0")),
        parse_dump(old_vertex((0, 16))),
    )
    assert b"location=VERT_ATTRIB_GENERIC0 " in convert(known, Dialect.MODERN)
    assert b"io location=15 slots=1 /*143*/" in convert(known, Dialect.CLASSIC)
    modern = convert(unknown, Dialect.MODERN)
    assert b"io location=16 slots" in modern
    assert names(parse_dump(modern)) == ["16"]
    with pytest.raises(ConversionError, match=r"Mesa 21\.3 numbered the vertex attributes anew"):
        convert(unknown, Dialect.CLASSIC)


def test_a_shader_can_be_read_in_another_numbering() -> None:
    shader = parse_dump(old_vertex((0, 16)))
    set_attribute_numbers(shader, BEFORE)
    assert names(shader) == ["GENERIC0"]
    assert fresh(shader).rstrip() == shader.source.rstrip()
    set_attribute_numbers(shader, SINCE)
    assert names(shader) == ["GENERIC1"]


def test_several_dumps_of_one_mesa_tell_together() -> None:
    declared = old_vertex(declared="GENERIC0:0")
    assert attribute_numbers(declared) is BEFORE
    assert attribute_numbers(old_vertex((0, 15))) is UNKNOWN
    assert attribute_numbers(declared + old_vertex((0, 15))) is SINCE
    assert attribute_numbers(declared + old_vertex((0, 16))) is BEFORE
