from __future__ import annotations

import pytest

from nirls.ir.model.values import Src
from nirls.verification.evaluate.values.index_bounds import IndexBounds, index_bounds
from tests.passes.shader_text import ONE, ZERO, shader, store

INDEX = (
    "32    %2 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=int32,"
    " io location=VERT_ATTRIB_POS slots=1)"
)
ARRAY = "decl_var uniform INTERP_MODE_NONE none float[12] u (0, 0, 0)"


def bounds(*lines: str, number: int) -> tuple[int, int] | None:
    parsed = shader("VERTEX", ZERO, ONE, INDEX, *lines, store("VAR0"), header=(ARRAY,))
    assert parsed.entrypoint is not None
    value = next(one for one in parsed.entrypoint.defs() if one.index == number)
    assert value.instr is not None
    found = index_bounds(value.instr)
    return None if found is None else (found.first, found.last)


@pytest.mark.parametrize(("index", "expected"), [("%2", (0, 11)), ("3", None)])
def test_array(index: str, expected: tuple[int, int] | None) -> None:
    lines = (
        "32 %4 = deref_var &u (uniform float[12])",
        f"32 %5 = deref_array &(*%4)[{index}] (uniform float)",
    )
    assert bounds(*lines, number=5) == expected


@pytest.mark.parametrize(("slots", "expected"), [(1, None), (4, (0, 3))])
def test_slots(slots: int, expected: tuple[int, int] | None) -> None:
    load = (
        "32 %4 = @load_input (%2) (base=0, range=1, component=0, dest_type=float32,"
        f" io location=VERT_ATTRIB_GENERIC0 slots={slots})"
    )
    assert bounds(load, number=4) == expected


@pytest.mark.parametrize(("offset", "expected"), [("%2", (16, 24)), ("%0", None)])
def test_range_of_a_buffer(offset: str, expected: tuple[int, int] | None) -> None:
    load = (
        f"32x2 %4 = @load_ubo (%0, {offset}) (access=none, align_mul=16, align_offset=0,"
        " range_base=16, range=16)"
    )
    assert bounds(load, number=4) == expected


@pytest.mark.parametrize(
    ("last", "step", "expected"),
    [(2, 1, (0, 1, 2)), (8, 1, (0, 8)), (12, 4, (0, 4, 8, 12)), (64, 4, (0, 64))],
)
def test_all_numbers_are_to_be_met_if_there_are_few(last: int, step: int, expected: tuple[int, ...]) -> None:
    assert IndexBounds(Src(None), 0, last, step).to_meet == expected
