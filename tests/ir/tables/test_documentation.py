from __future__ import annotations

import pytest

from nirls.ir import tables
from nirls.ir.tables.intrinsic_texts import INTRINSIC_TEXTS, SOURCE_NAMES


def test_every_opcode_has_a_text_of_its_family() -> None:
    texts = {name: tables.describe_opcode(name) for name in tables.opcodes()}
    assert [name for name, text in texts.items() if not text or text == "An ALU operation."] == []
    assert [name for name, text in texts.items() if "{" in text or not text.endswith(".")] == []


def test_every_intrinsic_has_a_text() -> None:
    texts = {name: tables.describe_intrinsic(name) for name in tables.intrinsics()}
    assert [name for name, text in texts.items() if "{" in text or not text.endswith(".")] == []


def test_hand_written_texts_are_about_known_intrinsics() -> None:
    assert [name for name in (*INTRINSIC_TEXTS, *SOURCE_NAMES) if tables.intrinsic(name) is None] == []
    assert len(INTRINSIC_TEXTS) >= 120


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("fadd", "Sum of two floats"),
        ("f2i32", "32-bit signed integer"),
        ("b32csel", "b where the boolean a is true"),
        ("ult", "less than b (unsigned integer"),
        ("fdot3", "vectors of 3 floats"),
        ("b2f32", "1 where the source is true"),
    ],
)
def test_opcode_texts(name: str, part: str) -> None:
    assert part in tables.describe_opcode(name)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("load_ubo", "uniform buffer"),
        ("ssbo_atomic_umax", "Atomic umax on ssbo memory"),
        ("load_subgroup_lt_mask", "less than the own"),
        ("load_gs_wave_id_amd", "AMD"),
        ("load_line_width", "System value: line width"),
    ],
)
def test_intrinsic_texts(name: str, part: str) -> None:
    assert part in tables.describe_intrinsic(name)


def test_unknown_names_have_no_text() -> None:
    assert tables.describe_opcode("load_ubo") == ""
    assert tables.describe_intrinsic("fadd") == ""
