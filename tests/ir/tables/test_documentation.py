from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from nirls.ir import tables

TEXTS = tomllib.loads(Path(tables.__file__).with_name("documentation.toml").read_text(encoding="utf-8"))


def test_every_opcode_has_a_text() -> None:
    texts = {name: tables.describe_opcode(name) for name in tables.opcodes()}
    assert [name for name, text in texts.items() if "{" in text or not text.endswith(".")] == []


def test_every_intrinsic_has_a_text() -> None:
    texts = {name: tables.describe_intrinsic(name) for name in tables.intrinsics()}
    assert [name for name, text in texts.items() if "{" in text or not text.endswith(".")] == []


@pytest.mark.parametrize(
    ("table", "names"), [("opcodes", tables.opcodes()), ("intrinsics", tables.intrinsics())]
)
def test_every_text_is_about_a_row(table: str, names: Mapping[str, object]) -> None:
    for pattern in TEXTS[table]:
        assert any(re.fullmatch(pattern, name) for name in names), pattern


def test_texts_are_sentences() -> None:
    for text in (*TEXTS["opcodes"].values(), *TEXTS["intrinsics"].values()):
        assert text.endswith("."), text


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
