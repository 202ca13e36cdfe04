"""Which discards can move, and what goes with them."""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.passes.discards.plan import (
    MovePlan,
    Reach,
    dependency_reason,
    is_speculatable,
    needed_for,
    obstacle,
    plan_moves,
)
from tests.passes.expectation import parse_body

DECLARATIONS = """
decl_var shader_out INTERP_MODE_NONE none float o (FRAG_RESULT_DATA0.x, 0, 0)
decl_var ssbo INTERP_MODE_NONE restrict float[4] b (0, 0, 0)
decl_var uniform INTERP_MODE_NONE none sampler2D t (0, 0, 0)
"""
OBSTACLE_HEAD = """
block b0:
32   %0 = load_const (0x00000000)
32   %1 = deref_var &o (shader_out float)
32x4 %2 = deref_var &b (ssbo float[4])
32x4 %3 = deref_array &(*%2)[0] (ssbo float)
32   %4 = deref_var &t (uniform sampler2D)
32x2 %5 = vec2 %0, %0
"""


@pytest.mark.parametrize(
    ("line", "reach"),
    [
        ("@store_deref (%1, %0) (wrmask=x, access=none)", None),
        ("@store_deref (%3, %0) (wrmask=x, access=none)", Reach.EVERY_KIND),
        ("32 %9 = @load_deref (%3) (access=none)", None),
        ("32 %9 = @deref_atomic (%3, %0) (access=none, atomic_op=iadd)", Reach.EVERY_KIND),
        ("@store_global (%0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)", Reach.EVERY_KIND),
        ("@begin_invocation_interlock", Reach.EVERY_KIND),
        ("@some_new_intrinsic (%0)", Reach.EVERY_KIND),
        ("@demote_samples (%0)", Reach.EVERY_KIND),
        ("32x2 %9 = @shader_clock () (memory_scope=SUBGROUP)", Reach.EVERY_KIND),
        ("32 %9 = @ballot_bit_count_reduce (%0)", None),
        ("32 %9 = @decl_reg () (num_components=1, bit_size=32, num_array_elems=0, divergent=1)", None),
        ("32 %9 = fneg %0", None),
        ("1 %9 = @image_samples_identical (%0, %5) (image_dim=MS, image_array=false, access=none)", None),
        ("32 %9 = fddx %0", Reach.ALL_BUT_DEMOTES),
        ("32x2 %9 = (float32)lod %4 (texture_deref), %4 (sampler_deref), %5 (coord)", Reach.ALL_BUT_DEMOTES),
        (
            "32x4 %9 = (float32)txl %4 (texture_deref), %4 (sampler_deref), %5 (coord), %0 (lod)",
            None,
        ),
        ("32x2 %9 = (int32)txs %4 (texture_deref), %0 (lod)", None),
    ],
)
def test_what_is_in_the_way(line: str, reach: Reach | None) -> None:
    shader = parse_body(f"{OBSTACLE_HEAD}\n{line}\nblock b1:", declarations=DECLARATIONS, valid=False)
    (impl,) = shader.impls()
    last = impl.start_block.last
    assert last is not None
    found = obstacle(last)
    assert (None if found is None else found.reach) is reach


def test_what_may_run_before_its_branch() -> None:
    lines = {
        "32 %9 = fneg %0": True,
        "32 %9 = fddx %0": False,
        "32 %9 = @load_front_face": True,
        "32 %9 = @ddx (%0)": False,
        "1 %9 = @elect": False,
        "32 %9 = @load_deref (%3) (access=none)": False,
        "32 %9 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)": False,
        "32 %9 = @load_uniform (%0) (base=0, range=4, dest_type=float32)": True,
        "32 %9 = @load_ssbo (%0, %0) (access=reorderable, align_mul=4, align_offset=0)": False,
        "32 %9 = @load_ssbo (%0, %0) (access=reorderable|speculatable, align_mul=4, align_offset=0)": True,
    }
    for line, expected in lines.items():
        line = line.replace("32 %9 = @load_front", "1 %9 = @load_front")
        shader = parse_body(f"{OBSTACLE_HEAD}\n{line}\nblock b1:", declarations=DECLARATIONS, valid=False)
        (impl,) = shader.impls()
        assert impl.start_block.last is not None
        assert is_speculatable(impl.start_block.last) is expected, line


def test_what_a_condition_may_depend_on() -> None:
    lines = {
        "32 %9 = @load_deref (%3) (access=none)": "memory that may be written",
        "32 %9 = @ddx (%0)": "cannot be reordered",
        "32 %9 = fneg %0": None,
        "32 %9 = @load_sample_mask_in": None,
    }
    for line, words in lines.items():
        shader = parse_body(f"{OBSTACLE_HEAD}\n{line}\nblock b1:", declarations=DECLARATIONS)
        (impl,) = shader.impls()
        last = impl.start_block.last
        assert last is not None
        reason = dependency_reason(last)
        assert (reason is None) if words is None else (words in str(reason)), line


HEAD = """
block b0:
32 %0 = load_const (0x00000000)
32x4 %1 = @load_frag_coord
1 %2 = flt %1.x, %0
1 %3 = flt %1.y, %0
32x2 %4 = vec2 %1.x, %1.y
"""
TEXTURE = "32x4 %5 = (float32)tex %4 (coord), 0 (texture), 0 (sampler)"


def plan(*lines: str, **options: bool) -> MovePlan:
    (impl,) = parse_body("\n".join((HEAD, *lines, "block b1:")), valid=False).impls()
    return plan_moves(impl, **options)


def numbers(plan_: MovePlan) -> list[list[int]]:
    return [
        sorted(instr.def_.index for instr in one.needed if instr.def_ is not None) for one in plan_.movable
    ]


def test_what_one_takes_along_the_next_does_not_need() -> None:
    found = plan("@terminate_if (%2)", "@terminate_if (%3)")
    assert numbers(found) == [[0, 1, 2], [3]]
    assert not found.unmovable


def test_what_may_not_run_in_every_branch_may_run_earlier_outside_of_them() -> None:
    load = "32 %6 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)"
    found = plan(TEXTURE, load, "1 %7 = flt %6, %0", "@demote_if (%7)")
    assert numbers(found) == [[0, 6, 7]]


def test_a_terminate_stays_behind_a_texture_but_a_demote_passes() -> None:
    found = plan(TEXTURE, "@terminate_if (%2)", "@demote_if (%3)")
    assert [one.discard.name for one in found.movable] == ["demote_if"]
    (stays,) = found.unmovable
    assert stays.because_of is not None
    assert stays.because_of.kind == "tex"


def test_drivers_with_safe_derivatives_let_it_pass() -> None:
    found = plan(TEXTURE, "@terminate_if (%2)", derivatives_safe_after_discard=True)
    assert len(found.movable) == 1


def test_a_store_to_memory_holds_every_kind() -> None:
    store = "@store_ssbo (%1, %0, %0) (wrmask=xyzw, access=none, align_mul=4, align_offset=0)"
    found = plan(store, "@terminate_if (%2)", "@demote_if (%3)", derivatives_safe_after_discard=True)
    assert not found.movable
    assert len(found.unmovable) == 2


def test_a_function_without_discards_has_no_plan() -> None:
    assert plan(TEXTURE) == MovePlan()


def test_everything_a_discard_depends_on() -> None:
    (impl,) = parse_body(f"{HEAD}\n@terminate_if (%2)\nblock b1:", valid=False).impls()
    discard = impl.start_block.last
    assert isinstance(discard, IntrinsicInstr)
    needed = needed_for(discard)
    assert sorted(instr.def_.index for instr in needed if instr.def_ is not None) == [0, 1, 2]
    assert discard in needed
    maker = next(instr for instr in impl.instrs() if instr.def_ is not None and instr.def_.index == 1)
    assert maker not in needed_for(discard, without={maker})


@pytest.mark.parametrize(("condition", "is_movable"), [("ieq32 %1, %0", True), ("iadd %1, %0", False)])
def test_numbers_do_not_join_to_a_condition(condition: str, is_movable: bool) -> None:
    shader = parse_body(
        f"""
        block b0:
        32 %0 = load_const (0x00000002)
        32 %1 = @load_sample_id
        32 %2 = {condition}
        32 %3 = iadd %1, %1
        if %2 {{
            block b1:
            @demote_if (%3)
        }} else {{
            block b2:
        }}
        block b3:
        block b4:
        """
    )
    (impl,) = shader.impls()
    plan = plan_moves(impl)
    assert bool(plan.movable) is is_movable
    assert is_movable or "are numbers" in plan.unmovable[0].reason
