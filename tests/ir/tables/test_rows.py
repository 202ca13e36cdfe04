from __future__ import annotations

import pytest

from nirls.ir import tables
from nirls.ir.tables.rows import format_intrinsic, format_opcode, name_of_row, parse_intrinsic, parse_opcode

OPCODE_ROW = "f2f16 | float -> float16 | conversion | 22.3-25.0"
INTRINSIC_ROW = "load_x | ?, n, 1 -> 2 | 32 64 | base, access | CAN_ELIMINATE sysval | 25.0"


def test_opcode_row_round_trips() -> None:
    entry = parse_opcode(OPCODE_ROW)
    assert entry.is_conversion
    assert entry.output_type == "float16"
    assert format_opcode(entry) == OPCODE_ROW


def test_intrinsic_row_round_trips() -> None:
    entry = parse_intrinsic(INTRINSIC_ROW)
    assert entry.src_components == (tables.ANY_COMPONENTS, tables.FREE_COMPONENTS, 1)
    assert entry.bit_sizes == (32, 64)
    assert entry.is_sysval
    assert format_intrinsic(entry) == INTRINSIC_ROW


def test_sources_have_names_and_the_result_the_size_of_one() -> None:
    row = "load_y | index[?], n -> n | src1 |  |  | 26.2"
    entry = parse_intrinsic(row)
    assert entry.src_names == ("index", "")
    assert entry.src_components == (tables.ANY_COMPONENTS, tables.FREE_COMPONENTS)
    assert (entry.bit_sizes, entry.bit_size_src) == ((), 1)
    assert format_intrinsic(entry) == row


def test_no_destination_and_no_sources() -> None:
    entry = parse_intrinsic("barrier |  -> - |  | execution_scope |  | 25.0")
    assert (entry.src_components, entry.has_dest) == ((), False)


def test_name() -> None:
    assert name_of_row(OPCODE_ROW) == "f2f16"


@pytest.mark.parametrize("row", ["fadd | float, float | | 25.0", "fadd | float -> float"])
def test_malformed_row(row: str) -> None:
    with pytest.raises(ValueError, match="row of fadd"):
        parse_opcode(row)
