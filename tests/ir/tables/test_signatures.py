from __future__ import annotations

import pytest

from nirls.ir import tables
from nirls.ir.tables.signatures import source_names


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("fadd", "fadd(float, float) -> float"),
        ("fdph", "fdph(float[3], float[4]) -> float[1]"),
        ("flt", "flt(float, float) -> bool1"),
        ("nothing", ""),
    ],
)
def test_opcode_signature(name: str, signature: str) -> None:
    assert tables.opcode_signature(name) == signature


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        (
            "load_ubo",
            "@load_ubo(index, offset[1])"
            " (access, align_mul, align_offset, range_base, range) -> N components",
        ),
        ("terminate_if", "@terminate_if(condition[1])"),
        ("load_front_face", "@load_front_face() -> 1 component of 1 or 32 bits"),
        ("nothing", ""),
    ],
)
def test_intrinsic_signature(name: str, signature: str) -> None:
    assert tables.intrinsic_signature(name) == signature


def test_sources_have_as_many_names_as_there_are() -> None:
    for entry in tables.intrinsics().values():
        assert len(source_names(entry)) == len(entry.src_components)


def test_sources_without_a_name_are_numbered() -> None:
    entry = tables.intrinsic("rq_initialize")
    assert entry is not None
    assert source_names(entry)[0] == "src0"
