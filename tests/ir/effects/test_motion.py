from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.effects import can_eliminate, can_reorder, depends_on_when_it_runs
from nirls.ir.effects.motion import is_read_only
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.ir.text.parse import parse_dump
from tests.passes.expectation import parse_body

DECLARATIONS = """
decl_var uniform INTERP_MODE_NONE none float u (0, 0, 0)
decl_var shader_out INTERP_MODE_NONE none float o (FRAG_RESULT_DATA0.x, 0, 0)
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("32 %9 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)", False),
        ("32 %9 = @load_ssbo (%0, %0) (access=reorderable, align_mul=4, align_offset=0)", True),
        ("32 %9 = @load_ssbo (%0, %0) (access=volatile|reorderable, align_mul=4, align_offset=0)", False),
        (
            "32 %9 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)",
            True,
        ),
        ("32 %9 = @load_deref (%1) (access=none)", True),
        ("32 %9 = @load_deref (%2) (access=none)", False),
        ("32 %9 = @load_deref (%1) (access=volatile)", False),
        ("1 %9 = @load_front_face", True),
        ("32 %9 = @ddx (%0)", False),
        ("@terminate", False),
        ("32 %9 = @intrinsic_of_2030 (%0)", False),
    ],
)
def test_what_may_be_reordered(line: str, expected: bool) -> None:
    intrinsic = instr_of(line)
    assert isinstance(intrinsic, IntrinsicInstr)
    assert can_reorder(intrinsic) is expected


def instr_of(line: str) -> Instr:
    shader = parse_body(
        "block b0:\n32 %0 = load_const (0x00000000)\n32 %1 = deref_var &u (uniform float)\n"
        f"32 %2 = deref_var &o (shader_out float)\n{line}\nblock b1:",
        declarations=DECLARATIONS,
    )
    return list(shader.instrs())[-1]


STORE = "@store_ssbo (%0, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)"


@pytest.mark.parametrize(
    ("line", "goes_unread", "depends"),
    [
        ("32 %9 = iadd %0, %0", True, False),
        ("32 %9 = load_const (0x00000001)", True, False),
        ("32 %9 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)", True, True),
        ("32 %9 = @load_ssbo (%0, %0) (access=reorderable, align_mul=4, align_offset=0)", True, False),
        ("32 %9 = @load_ssbo (%0, %0) (access=volatile, align_mul=4, align_offset=0)", False, True),
        ("1 %9 = @load_front_face", True, False),
        ("32 %9 = @ssbo_atomic (%0, %0, %0) (access=none, atomic_op=iadd)", False, True),
        (STORE, False, False),
        ("@terminate", False, False),
        ("32 %9 = @load_deref (%1) (access=none)", True, False),
        ("32 %9 = @intrinsic_of_2030 (%0)", False, True),
    ],
)
def test_what_goes_unread_and_what_depends_on_the_moment(line: str, goes_unread: bool, depends: bool) -> None:
    instr = instr_of(line)
    assert can_eliminate(instr) is goes_unread
    assert depends_on_when_it_runs(instr) is depends


def test_a_write_of_a_register_stays(data: Path) -> None:
    shader = parse_dump((data / "registers.old.nir").read_bytes())
    writes = [instr for instr in shader.instrs() if instr.reg_dest is not None]
    assert writes
    assert not any(map(can_eliminate, writes))


def test_addresses_that_are_no_variables_are_not_read_only() -> None:
    assert not is_read_only(instr_of(STORE).srcs()[0])
