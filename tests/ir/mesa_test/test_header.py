from __future__ import annotations

import pytest

from nirls.ir.mesa_test.header import complete_header, header_after_pass, mask_of_ranges, modern_header
from nirls.ir.model.shader import HeaderField
from nirls.ir.model.stage import Stage
from tests.ir.mesa_test.building import built_lines, reasons_of


@pytest.mark.parametrize(
    ("field", "lines"),
    [
        ("inputs_read: 0,32-34", ["info.inputs_read = BITFIELD64_BIT(0) | BITFIELD64_RANGE(32, 3)"]),
        ("num_ubos: 3", ["info.num_ubos = 3"]),
        ("bit_sizes_float: 0x20", ["info.bit_sizes_float = 0x20"]),
        ("io_lowered: true", ["info.io_lowered = true"]),
        ("subgroup_size: 0", []),
        ("subgroup_size: 3", ["info.subgroup_size = (enum gl_subgroup_size)3"]),
        ("next_stage: MESA_SHADER_FRAGMENT", ["info.next_stage = MESA_SHADER_FRAGMENT"]),
        ("output_primitive: TRIANGLE_STRIP", ["info.gs.output_primitive = MESA_PRIM_TRIANGLE_STRIP"]),
        ("inputs: 4", ["num_inputs = 4"]),
        ("xfb_stride: {16, 0, 0, 0}", [f"info.xfb_stride[{i}] = {16 * (i == 0)}" for i in range(4)]),
        ("source_blake3: {0x1}", []),
        ("name: mine", []),
    ],
)
def test_a_field(field: str, lines: list[str]) -> None:
    assert built_lines(header=[field]) == [f"b->shader->{line};" for line in lines]


def test_a_bitset() -> None:
    lines = built_lines(header=["system_values_read: 0x00000000'00000000'00000200'00000001"])
    assert lines == [f"BITSET_SET(b->shader->info.system_values_read, {bit});" for bit in (0, 41)]


def test_the_workgroup_size_is_one_at_first() -> None:
    lines = built_lines(stage="COMPUTE", header=["workgroup_size: 8, 1, 2 (variable)"])
    assert lines == [
        "b->shader->info.workgroup_size[0] = 8;",
        "b->shader->info.workgroup_size[2] = 2;",
        "b->shader->info.workgroup_size_variable = true;",
    ]


def test_unknown_fields_are_named() -> None:
    assert reasons_of(header=["depth_of_field: 3"]) == ["the header field depth_of_field"]
    assert reasons_of(header=["num_ubos: many"]) == ["the header field num_ubos: many"]


def test_ranges() -> None:
    assert mask_of_ranges(0) == "0"
    assert mask_of_ranges(1 << 63 | 0b110) == "BITFIELD64_RANGE(1, 2) | BITFIELD64_BIT(63)"


def test_older_names_of_fields() -> None:
    older = (
        "shader: X",
        "ubos: 2",
        "shared: 0",
        "workgroup-size: 8, 1, 1",
        "vertices in: 0",
        "shared-size: 4",
    )
    made = modern_header([HeaderField(*item.split(": ")) for item in (*older, "uses_end_primitive: 1")])
    assert [f"{item.key}: {item.value}" for item in made] == [
        *("shader: X", "num_ubos: 2", "workgroup_size: 8, 1, 1", "vertices_in: 0", "shared_size: 4"),
        "uses_end_primitive: true",
    ]


def test_what_is_gathered_stays_as_it_was_built() -> None:
    before = [HeaderField(*item.split(": ")) for item in ("shader: X", "inputs_read: 1", "io_lowered: true")]
    after = [HeaderField(*item.split(": ")) for item in ("shader: X", "num_ubos: 2", "uses_discard: true")]
    made = header_after_pass(before, after)
    assert [(item.key, item.value) for item in made] == [
        ("shader", "X"),
        ("num_ubos", "2"),
        ("inputs_read", "1"),
    ]


@pytest.mark.parametrize(
    ("stage", "keys", "expected"),
    [
        (Stage.VERTEX, ["shader", "name", "inputs"], ["shader", "name", "subgroup_size", "inputs"]),
        (Stage.COMPUTE, ["shader", "num_ubos"], ["shader", "workgroup_size", "num_ubos", "subgroup_size"]),
        (
            Stage.TESS_CTRL,
            ["shader", "subgroup_size", "tcs_vertices_out", "outputs"],
            ["shader", "subgroup_size", "primitive_mode", "tcs_vertices_out", "spacing", "outputs"],
        ),
    ],
)
def test_a_reduced_header_is_completed(stage: Stage, keys: list[str], expected: list[str]) -> None:
    assert [item.key for item in complete_header([HeaderField(key, "1") for key in keys], stage)] == expected
