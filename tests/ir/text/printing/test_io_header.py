"""Header fields about I/O: what the instructions say, and how a field follows a change."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import HeaderField, Shader
from nirls.ir.model.slots import parse_mask
from nirls.ir.model.stage import Stage
from nirls.ir.text.parse import parse_dump, parse_shaders
from nirls.ir.text.printing.io_header import (
    format_mask,
    io_masks,
    ranges_text,
    system_value_bit,
    updated_header,
)


@pytest.mark.parametrize(
    ("name", "mode", "bit"),
    [
        ("load_vertex_id", None, 9),
        ("load_frag_coord", None, 19),
        ("load_tess_coord", None, 33),
        ("load_workgroup_id", None, 45),
        ("load_barycentric_pixel", "INTERP_MODE_SMOOTH", 56),
        ("load_barycentric_sample", "INTERP_MODE_NONE", 57),
        ("load_barycentric_centroid", "INTERP_MODE_NOPERSPECTIVE", 61),
        ("load_barycentric_pixel", "INTERP_MODE_FLAT", None),
        ("load_input", None, None),
        ("store_output", None, None),
    ],
)
def test_bits(name: str, mode: str | None, bit: int | None) -> None:
    assert system_value_bit(IntrinsicInstr(name, [], {} if mode is None else {"interp_mode": mode})) == bit


MASKS = ("inputs_read", "outputs_written", "patch_inputs_read", "patch_outputs_written", "system_values_read")


def test_headers_of_gathered_shaders_agree_with_their_instructions(corpus: Path) -> None:
    compared = 0
    for path in sorted(corpus.glob("pipelines/*/modern/*.opt.*.nir"))[::5]:
        for shader in parse_shaders(path.read_bytes()):
            masks = io_masks(shader)
            for key in MASKS:
                stated = shader.header_value(key)
                assert (parse_mask(stated) if stated else 0) == masks.get(key, 0), (path.name, key)
                compared += stated is not None
    assert compared > 20


@given(st.integers(0, 2**64 - 1))
def test_ranges_are_read_as_they_are_written(mask: int) -> None:
    if mask:
        assert parse_mask(ranges_text(mask)) == mask
    for kind in ("hex32", "bitset"):
        assert parse_mask(format_mask(kind, mask)) == mask


def test_a_bit_set_has_four_words() -> None:
    assert format_mask("bitset", 1 << 56 | 1) == "0x00000000'00000000'01000000'00000001"


def shader_of(header: str, *lines: str) -> Shader:
    body = "".join([f"    {line}\n" for line in lines])
    return parse_dump(
        f"shader: MESA_SHADER_FRAGMENT\n{header}impl main {{\n    block b0:  // preds:\n{body}}}\n".encode()
    )


def load(number: int, slot: str, base: int = 0) -> str:
    return (
        f"32 %{number} = @load_input (%0 (0x0)) (base={base}, component=0, dest_type=float32, "
        f"io location=VARYING_SLOT_{slot} slots=1)"
    )


ZERO = "32 %0 = load_const (0x00000000)"


def after_removal(shader: Shader, number: int) -> Shader:
    after = clone_shader(shader)
    impl = after.entrypoint
    assert impl is not None
    next(value for value in impl.defs() if value.index == number).instr.remove()  # type: ignore[union-attr]
    return after


def fields(header: list[HeaderField]) -> dict[str, str]:
    return {item.key: item.value for item in header[1:]}


def test_a_slot_that_nobody_reads_any_more_goes() -> None:
    before = shader_of("inputs_read: 1,33\ninputs: 3\n", ZERO, load(1, "COL0"), load(2, "VAR1", 2))
    assert fields(updated_header(before, after_removal(before, 2))) == {"inputs_read": "1", "inputs": "1"}


def test_slots_that_the_text_does_not_account_for_stay() -> None:
    before = shader_of("inputs_read: 1,33,40\ninputs: 9\n", ZERO, load(1, "COL0"), load(2, "VAR1", 2))
    assert fields(updated_header(before, after_removal(before, 2))) == {"inputs_read": "1,40", "inputs": "9"}


def test_a_field_without_slots_is_not_printed() -> None:
    before = shader_of("inputs_read: 33\noutputs_written: 4\n", ZERO, load(2, "VAR1"))
    assert fields(updated_header(before, after_removal(before, 2))) == {"outputs_written": "4"}


def test_a_new_field_stands_where_mesa_prints_it() -> None:
    after = shader_of("outputs_written: 4\nbit_sizes_int: 0x20\n", ZERO, load(2, "VAR1"))
    before = after_removal(after, 2)
    assert list(fields(updated_header(before, after))) == ["inputs_read", "outputs_written", "bit_sizes_int"]


def test_a_header_that_never_had_the_fields_gets_none() -> None:
    after = shader_of("name: x\n", ZERO, load(2, "VAR1"))
    assert fields(updated_header(after_removal(after, 2), after)) == {"name": "x"}


def test_a_value_that_the_pass_set_is_kept() -> None:
    before = shader_of("inputs_read: 1,33\n", ZERO, load(1, "COL0"), load(2, "VAR1"))
    after = after_removal(before, 2)
    after.header[1] = HeaderField("inputs_read", "7")
    assert fields(updated_header(before, after)) == {"inputs_read": "7"}


def test_a_header_is_left_alone_by_other_changes() -> None:
    before = shader_of("inputs_read: 5\ninputs: 77\n", ZERO, load(1, "COL0"), "32 %2 = fneg %1")
    assert updated_header(before, after_removal(before, 2)) == before.header


def test_numbers_that_are_no_slots_are_not_counted() -> None:
    huge = "io location=99999999999 slots=99999999999"
    shader = shader_of("", ZERO, f"32 %1 = @load_input (%0 (0x0)) (base=0, component=0, {huge})")
    assert io_masks(shader) == {}


def test_attributes_that_a_control_shader_reads_are_not_counted() -> None:
    shader = shader_of("", ZERO, load(1, "VAR0", base=3))
    assert io_masks(shader)["inputs"] == 4
    shader.stage = Stage.TESS_CTRL
    assert io_masks(shader) == {}
