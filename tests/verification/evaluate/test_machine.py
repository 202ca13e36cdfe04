"""Control flow on masks, undefined values, discards, limits."""

from __future__ import annotations

import numpy as np
import pytest

from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.evaluate.values.errors import Unsupported
from tests.passes.expectation import parse_body
from tests.verification.evaluate.shader_text import VAR0, run, shader_of, store, stored

COUNT_TO_LANE = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %2 = @load_vertex_id_zero_base
                // succs: b1
    loop {{
        block b1:   // preds: b0 b4
        32     %3 = phi b0: %0 (0x0), b4: %6
        32     %4 = phi b0: %0 (0x0), b4: %7
        1      %5 = ige %3, %2
                    // succs: b2 b3
        if %5 {{
            block b2:   // preds: b1
            break
            // succs: b5
        }} else {{
            block b3:   // preds: b1, succs: b4
        }}
        block b4:   // preds: b3
        32     %6 = iadd %3, %1 (0x1)
        32     %7 = iadd %4, %6
                    // succs: b1
    }}
    block b5:   // preds: b2
{store("4", "0")}
                // succs: b99"""


def test_every_lane_goes_round_as_often_as_it_should() -> None:
    result = run(shader_of(COUNT_TO_LANE))
    assert stored(result) == [n * (n + 1) // 2 for n in range(8)]


def test_a_value_of_the_last_round_stays_with_the_lane_that_left() -> None:
    # %6 is read behind the loop: lanes that left early must keep theirs while others go on.
    body = COUNT_TO_LANE.replace(store("4", "0"), store("3", "0") + "\n" + store("6", "0", component=1))
    result = run(shader_of(body))
    assert stored(result) == list(range(8))
    plane = result.outputs[OutputKey(VAR0, 1)]
    assert plane.poison[0, 0], "the first lane never computed %6"
    assert [int(bits) for bits in plane.bits[1:, 0]] == list(range(1, 8))


def test_invocations_in_an_endless_loop_are_given_up() -> None:
    body = COUNT_TO_LANE.replace("ige %3, %2", "ilt %3, %0 (0x0)")
    result = run(shader_of(body))
    assert result.poisoned.all()
    (reason,) = result.given_up
    assert "ran more than" in reason


def test_an_if_joins_both_sides() -> None:
    body = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000003)
    32     %2 = @load_vertex_id_zero_base
    1      %3 = ilt %2, %1 (0x3)
                // succs: b1 b2
    if %3 {{
        block b1:   // preds: b0
        32     %4 = ishl %2, %1 (0x3)
                    // succs: b3
    }} else {{
        block b2:   // preds: b0
        32     %5 = ineg %2
                    // succs: b3
    }}
    block b3:   // preds: b1 b2
    32     %6 = phi b1: %4, b2: %5
{store("6", "0")}
                // succs: b99"""
    expected = [lane * 8 if lane < 3 else -lane & 0xFFFFFFFF for lane in range(8)]
    assert stored(run(shader_of(body))) == expected


def test_reading_undefined_is_undefined_and_selecting_the_other_is_not() -> None:
    body = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000002)
    32     %2 = undefined
    32     %3 = @load_vertex_id_zero_base
    1      %4 = ilt %3, %1 (0x2)
    32     %5 = bcsel %4, %3, %2
    32     %6 = iadd %2, %3
{store("5", "0")}
{store("6", "0", component=1)}
                // succs: b99"""
    result = run(shader_of(body))
    assert result.outputs[OutputKey(VAR0, 0)].poison[:, 0].tolist() == [False] * 2 + [True] * 6
    assert result.outputs[OutputKey(VAR0, 1)].poison.all()
    assert not result.poisoned.any()


def test_returning_on_an_undefined_condition_poisons_the_lane() -> None:
    body = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    1      %1 = undefined
                // succs: b1 b2
    if %1 {{
        block b1:   // preds: b0
        return
        // succs: b99
    }} else {{
        block b2:   // preds: b0, succs: b3
    }}
    block b3:   // preds: b2
{store("0", "0")}
                // succs: b99"""
    assert run(shader_of(body)).poisoned.all()


FRAGMENT = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32x4   %1 = @load_frag_coord
    32     %2 = f2i32 %1.x
    32     %3 = load_const (0x00000001)
    32     %4 = iand %2, %3 (0x1)
    1      %5 = ine %4, %0 (0x0)
                @END_if (%5)
    32     %6 = @ddx (%1.x)
{store("6", "0", "FRAG_RESULT_DATA0")}
                // succs: b99"""


def test_terminate_takes_the_derivative_from_its_neighbour_and_demote_does_not() -> None:
    plain = FRAGMENT.replace("%6 = @ddx (%1.x)", "%6 = fddx %1.x")
    ended = run(shader_of(plain.replace("END", "terminate"), "FRAGMENT"))
    demoted = run(shader_of(plain.replace("END", "demote"), "FRAGMENT"))
    odd = np.arange(8) % 2 == 1
    for result in (ended, demoted):
        assert (result.discarded == odd).all()
        assert (result.outputs[OutputKey(4, 0)].written[:, 0] == ~odd).all()
    assert ended.outputs[OutputKey(4, 0)].poison[~odd].all()
    assert not demoted.outputs[OutputKey(4, 0)].poison.any()
    assert (demoted.outputs[OutputKey(4, 0)].bits[~odd] == 0x3F800000).all()


def test_a_barrier_that_not_all_reach_is_undefined() -> None:
    body = """
    block b0:   // preds:
    32     %0 = @load_local_invocation_index
    32     %1 = load_const (0x00000002)
    1      %2 = ilt %0, %1 (0x2)
                // succs: b1 b2
    if %2 {
        block b1:   // preds: b0
                    @control_barrier
                    // succs: b3
    } else {
        block b2:   // preds: b0, succs: b3
    }
    block b3:   // preds: b1 b2, succs: b99"""
    result = run(shader_of(body, "COMPUTE", "workgroup_size: 4, 1, 1\n"))
    assert result.poisoned.all()
    assert list(result.given_up) == ["control_barrier in divergent control flow"]


def test_what_cannot_run_is_named() -> None:
    body = """
    block b0:   // preds:
                @ignore_ray_intersection
                // succs: b99"""
    with pytest.raises(Unsupported) as problem:
        Machine(shader_of(body))
    assert problem.value.name == "ignore_ray_intersection"


def test_two_colors_of_one_slot_are_not_told_apart() -> None:
    head = "".join(
        f"decl_var shader_out INTERP_MODE_NONE none float {name} (FRAG_RESULT_DATA0.x, 0, 0)\n"
        for name in "ab"
    )
    body = """
    block b0:   // preds:
    32    %0 = load_const (0x3f800000)
    32    %1 = deref_var &a (shader_out float)
          @store_deref (%1, %0) (wrmask=x, access=none)
    32    %2 = deref_var &b (shader_out float)
          @store_deref (%2, %0) (wrmask=x, access=none)
                // succs: b99"""
    with pytest.raises(Unsupported, match="DUAL_SRC_BLEND"):
        Machine(shader_of(body, "FRAGMENT", head))


@pytest.mark.sweep
def test_deep_nesting_does_not_recurse() -> None:
    depth = 3000
    lines = ["    block b0:", "    1 %0 = load_const (true)"]
    for level in range(depth):
        lines += ["    if %0 {", f"    block b{3 * level + 1}:"]
    for level in reversed(range(depth)):
        lines += ["    } else {", f"    block b{3 * level + 2}:", "    }", f"    block b{3 * level + 3}:"]
    text = "shader: MESA_SHADER_VERTEX\ndecl_function main () (entrypoint)\n\nimpl main {\n"
    from nirls.ir.text.parse import parse_dump

    shader = parse_dump((text + "\n".join(lines) + f"\n    block b{3 * depth + 9}:\n}}\n").encode())
    result = Machine(shader).run(Environment(0), lanes=4)
    assert len(result.executed) >= 2 * depth


SHARED_BODY = """
block b0:  // preds:
32 %0 = load_const (0x00000000)
32 %1 = deref_var &a (shared uint)
32 %2 = deref_var &b (shared uint)
@store_deref (%1, %0) (wrmask=x, access=none)
{}
block b1:
"""
SHARED_VARIABLES = """workgroup_size: 4, 1, 1
shared_memory_explicit_layout: {}
decl_var shared INTERP_MODE_NONE none uint a
decl_var shared INTERP_MODE_NONE none uint b
"""
OTHER_VARIABLE = "32 %3 = @load_deref (%2) (access=none)"
BY_OFFSET = "32 %3 = @load_shared (%0) (base=0, align_mul=4, align_offset=0)"


@pytest.mark.parametrize(("layout", "line"), [("true", OTHER_VARIABLE), ("false", BY_OFFSET)])
def test_memory_whose_parts_may_overlap_is_not_run(layout: str, line: str) -> None:
    with pytest.raises(Unsupported, match=r"overlap|by variables and by offsets"):
        Machine(parse_body(SHARED_BODY.format(line), "COMPUTE", SHARED_VARIABLES.format(layout)))


@pytest.mark.parametrize(("layout", "line"), [("false", OTHER_VARIABLE), ("true", "")])
def test_variables_of_their_own(layout: str, line: str) -> None:
    Machine(parse_body(SHARED_BODY.format(line), "COMPUTE", SHARED_VARIABLES.format(layout)))
