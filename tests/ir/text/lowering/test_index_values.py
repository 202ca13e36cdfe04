"""Printed index values and what they mean."""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import IndexValue
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.text.lowering.index_values import alu_type_name, component_numbers, parse_index


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("base", "4", 4),
        ("range", "-1", -1),
        ("range", "~0", "~0"),
        ("write_mask", "xyw", 0b1011),
        ("write_mask", "abcdefgh", 0xFF),
        ("write_mask", "15", 15),
        ("access", "none", 0),
        ("access", "readonly|non-uniform", 16 | 32),
        ("dest_type", "160", "float32"),
        ("src_type", "int16", "int16"),
        ("interp_mode", "INTERP_MODE_SMOOTH", "INTERP_MODE_SMOOTH"),
        ("interp_mode", "3", "INTERP_MODE_NOPERSPECTIVE"),
        ("memory_modes", "ssbo|shared", ("ssbo", "shared")),
        ("memory_semantics", "ACQ|REL", ("ACQ", "REL")),
        ("execution_scope", "WORKGROUP", "WORKGROUP"),
        ("io_semantics", "io location=VARYING_SLOT_VAR0 slots=1", IoSemantics(32, 1)),
        ("io_semantics", "io location=33 slots=2", IoSemantics(33, 2)),
        ("io_semantics", "161", IoSemantics(33, 1)),
        ("io_semantics", "io location=UNKNOWN slots=1", IoSemantics(-1, 1)),
        (
            "io_semantics",
            "io location=VARYING_SLOT_VAR1 slots=1 high_16bits no_varying gs_streams(x=0 y=0 z=0 w=1)",
            IoSemantics(33, 1, ("high_16bits", "no_varying"), (("gs_streams", "x=0 y=0 z=0 w=1"),)),
        ),
        # Text behind the slot that is no list of flags is kept as it stands.
        ("io_semantics", "io location=VARYING_SLOT_VAR0 slots-", "io location=VARYING_SLOT_VAR0 slots-"),
        ("io_semantics", "io location=33 slots=1 -", "io location=33 slots=1 -"),
        ("io_xfb", "xfb()", XfbOutputs()),
        ("io_xfb", "xfb(component=1 buffer=2 offset=16)", XfbOutputs(((1, 1, 2, 16),))),
        ("io_xfb", "xfb(components=xy buffer=0 offset=0)", "xfb(components=xy buffer=0 offset=0)"),
        (
            "io_xfb",
            "xfb(component=0 buffer=0 offset=0, component=1 buffer=1)",
            "xfb(component=0 buffer=0 offset=0, component=1 buffer=1)",
        ),
        (
            "io_xfb",
            "xfb(component=0 buffer=2 offset=16, component=1 buffer=0 offset=4)",
            XfbOutputs(((0, 1, 2, 16), (1, 1, 0, 4))),
        ),
        ("io_xfb2", "xfb2(components=2..3 buffer=0 offset=8)", XfbOutputs(((2, 2, 0, 8),))),
    ],
)
def test_parse_index(name: str, text: str, value: IndexValue) -> None:
    assert parse_index(name, text) == value


def test_alu_types() -> None:
    assert [alu_type_name(number) for number in (160, 34, 36, 7, 2, 1000)] == [
        "float32",
        "int32",
        "uint32",
        "bool1",
        "int",
        "1000",
    ]


def test_components_of_wide_vectors() -> None:
    assert component_numbers("wzyx") == (3, 2, 1, 0)
    assert component_numbers("ahp") == (0, 7, 15)
    assert component_numbers("xq") is None


def test_a_flag_is_put_where_mesa_prints_it() -> None:
    semantics = IoSemantics(32, 1, ("high_16bits", "no_sysval_output"))
    assert semantics.with_flag("no_varying").flags == ("high_16bits", "no_varying", "no_sysval_output")
    assert semantics.with_flag("high_16bits") is semantics
