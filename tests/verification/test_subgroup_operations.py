"""Subgroup operations depend on which invocations run: moving them is told, exchanging equal forms is not."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.verification.proof.same_expressions import same_expressions
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders

HEAD = """\
    block b0:  // preds:
    32   %0 = @load_subgroup_invocation
    32   %1 = load_const (0x00000001)
    32   %2 = load_const (0x00000003)
    32   %3 = iand %0, %2
    32   %4 = load_const (0x00000000)
    32   %5 = imul %0, %2
    32   %6 = iadd %5, %1
    1    %7 = ieq %3, %4
    32x4 %8 = @ballot (%7)
    32   %9 = ishl %0, %2
"""
"""%0 is the invocation, %6 varies between invocations, %7 holds in every fourth, %8 is its ballot."""

STORE = "    @store_ssbo ({}, %4, %9) (wrmask=x, access=none, align_mul=8, align_offset=0)"


def straight(*lines: str, stage: str = "COMPUTE") -> Shader:
    """A shader that stores %20, computed by these lines."""
    body = "".join(f"    {line}\n" for line in lines)
    return _parsed(f"{HEAD}{body}{STORE.format('%20')}\n               // succs: b9\n    block b9:\n", stage)


def branched(*, ahead: tuple[str, ...] = (), then: tuple[str, ...] = (), result: str = "%21") -> Shader:
    """A shader that stores `result` of an if where %7 holds, and %6 elsewhere."""
    first, second = ("".join(f"    {line}\n" for line in lines) for lines in (ahead, then))
    return _parsed(
        f"{HEAD}{first}               // succs: b1 b2\n"
        f"    if %7 {{\n    block b1:  // preds: b0\n{second}               // succs: b3\n"
        "    } else {\n    block b2:  // preds: b0, succs: b3\n    }\n"
        f"    block b3:  // preds: b1 b2\n    32   %30 = phi b1: {result}, b2: %6\n"
        f"{STORE.format('%30')}\n               // succs: b9\n    block b9:\n"
    )


def looped(*, inside: tuple[str, ...] = (), behind: tuple[str, ...] = (), result: str = "%21") -> Shader:
    """A shader that stores `result` after a loop that invocations leave in different rounds.

    %11 is the number of the round, in which the invocations %3 and below leave.
    """
    first, second = ("".join(f"    {line}\n" for line in lines) for lines in (inside, behind))
    return _parsed(
        f"{HEAD}               // succs: b1\n    loop {{\n    block b1:  // preds: b0 b4\n"
        f"    32   %11 = phi b0: %4, b4: %12\n    32   %12 = iadd %11, %1\n{first}"
        "    1    %13 = uge %11, %3\n               // succs: b2 b3\n"
        "    if %13 {\n    block b2:  // preds: b1\n    break\n    // succs: b5\n"
        "    } else {\n    block b3:  // preds: b1, succs: b4\n    }\n"
        "    block b4:  // preds: b3, succs: b1\n    }\n"
        f"    block b5:  // preds: b2\n{second}{STORE.format(result)}\n"
        "               // succs: b9\n    block b9:\n"
    )


def _parsed(body: str, stage: str = "COMPUTE") -> Shader:
    text = (
        f"shader: MESA_SHADER_{stage}\nworkgroup_size: 64, 1, 1\nsubgroup_size: 32\nnum_ssbos: 1\n"
        f"decl_function main () (entrypoint)\n\nimpl main {{\n{body}}}\n"
    )
    shader = parse_dump(text.encode())
    assert not shader.unreadable, shader.unreadable
    return shader


OWN = "1 %17 = @inverse_ballot (%16)"
AS_NUMBER = "32 %21 = b2i32 %17"
CONSTANT_INDEX = "32 %18 = load_const (0x00000004)"

WRONG = {
    "inverse_ballot out of a loop that invocations leave in different rounds": (
        looped(inside=("32x4 %16 = vec4 %11, %4, %4, %4", OWN, AS_NUMBER)),
        looped(inside=("32x4 %16 = vec4 %11, %4, %4, %4",), behind=(OWN, AS_NUMBER)),
    ),
    "a ballot out of such a loop": (
        looped(inside=("32 %21 = @ballot (%7)",)),
        looped(behind=("32 %21 = @ballot (%7)",)),
    ),
    "a reduction out of such a loop": (
        looped(inside=("32 %21 = @reduce (%11) (reduction_op=umax, cluster_size=0)",)),
        looped(behind=("32 %21 = @reduce (%11) (reduction_op=umax, cluster_size=0)",)),
    ),
    "a reduction into such a loop": (
        looped(behind=("32 %21 = @reduce (%6) (reduction_op=iadd, cluster_size=0)",)),
        looped(inside=("32 %21 = @reduce (%6) (reduction_op=iadd, cluster_size=0)",)),
    ),
    "read_invocation out of such a loop, with another index in each round": (
        looped(inside=("32 %21 = @read_invocation (%6, %11)",)),
        looped(behind=("32 %21 = @read_invocation (%6, %11)",)),
    ),
    "a ballot into an if": (
        branched(ahead=("1 %22 = ieq %4, %4", "32 %21 = @ballot (%22)")),
        branched(then=("1 %22 = ieq %4, %4", "32 %21 = @ballot (%22)")),
    ),
    "a ballot out of an if": (
        branched(then=("1 %22 = ieq %4, %4", "32 %21 = @ballot (%22)")),
        branched(ahead=("1 %22 = ieq %4, %4", "32 %21 = @ballot (%22)")),
    ),
    "a shuffle into an if": (
        branched(ahead=("32 %10 = ixor %0, %1", "32 %21 = @shuffle (%6, %10)")),
        branched(then=("32 %10 = ixor %0, %1", "32 %21 = @shuffle (%6, %10)")),
    ),
    "shuffle_up into an if": (
        branched(ahead=("32 %10 = umin %0, %1", "32 %21 = @shuffle_up (%6, %10)")),
        branched(then=("32 %10 = umin %0, %1", "32 %21 = @shuffle_up (%6, %10)")),
    ),
    "a scan into an if": (
        branched(ahead=("32 %21 = @exclusive_scan (%6) (reduction_op=iadd)",)),
        branched(then=("32 %21 = @exclusive_scan (%6) (reduction_op=iadd)",)),
    ),
    "a vote into an if": (
        branched(ahead=("1 %22 = ult %2, %0", "1 %23 = @vote_all (%7)", "32 %21 = b2i32 %23")),
        branched(then=("1 %23 = @vote_all (%7)", "32 %21 = b2i32 %23")),
    ),
    "elect into an if whose invocations are others": (
        branched(ahead=("1 %23 = @elect", "1 %24 = ine %3, %1", "32 %21 = b2i32 %23"), result="%21"),
        branched(then=("1 %23 = @elect", "32 %21 = b2i32 %23"), result="%1"),
    ),
    "a shuffle with an index that varies becomes read_invocation": (
        straight("32 %10 = ixor %0, %1", "32 %20 = @shuffle (%6, %10)"),
        straight("32 %10 = ixor %0, %1", "32 %20 = @read_invocation (%6, %10)"),
    ),
    "a shuffle in a quad becomes quad_broadcast with an index that varies": (
        straight("32 %20 = @quad_swap_horizontal (%6)"),
        straight("32 %10 = ixor %3, %1", "32 %20 = @quad_broadcast (%6, %10)"),
    ),
    "a rotation by a distance that varies": (
        straight(
            "32 %10 = iadd %0, %3",
            "32 %11 = load_const (0x1f)",
            "32 %12 = iand %10, %11",
            "32 %20 = @shuffle (%6, %12)",
        ),
        straight("32 %20 = @rotate (%6, %3) (cluster_size=0)"),
    ),
    "read_first_invocation of what varies dropped": (
        straight("32 %20 = @read_first_invocation (%6)"),
        straight("32 %20 = mov %6"),
    ),
    "as_uniform of what varies": (straight("32 %20 = mov %6"), straight("32 %20 = @as_uniform (%6)")),
    "a shift of a mask that varies becomes inverse_ballot": (
        straight("32 %10 = ushr %6, %0", "32 %20 = iand %10, %1"),
        straight("32x4 %10 = vec4 %6, %4, %4, %4", "1 %11 = @inverse_ballot (%10)", "32 %20 = b2i32 %11"),
    ),
    "a shuffle beyond the subgroup": (
        straight(CONSTANT_INDEX, "32 %20 = @read_invocation (%6, %18)"),
        straight("32 %18 = load_const (0x00000024)", "32 %20 = @read_invocation (%6, %18)"),
    ),
    "write_invocation_amd with an index that varies": (
        straight("32 %20 = mov %6"),
        straight("32 %20 = @write_invocation_amd (%6, %4, %3)"),
    ),
    "an equal ballot of fewer invocations": (
        branched(
            ahead=("1 %22 = ieq %4, %4", "32 %23 = @ballot (%22)"),
            then=("32 %24 = @ballot (%22)", "32 %21 = iadd %23, %24"),
        ),
        branched(ahead=("1 %22 = ieq %4, %4", "32 %23 = @ballot (%22)"), then=("32 %21 = iadd %23, %23",)),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_depends_on_who_runs_may_not_move(name: str) -> None:
    before, after = WRONG[name]
    assert not same_expressions(before, after)
    assert isinstance(verify_shaders(before, after), Different)


RIGHT = {
    "inverse_ballot of a ballot": (
        straight("1 %10 = @inverse_ballot (%8)", "32 %20 = b2i32 %10"),
        straight("32 %20 = b2i32 %7"),
    ),
    "a shuffle with a constant index": (
        straight(CONSTANT_INDEX, "32 %20 = @shuffle (%6, %18)"),
        straight(CONSTANT_INDEX, "32 %20 = @read_invocation (%6, %18)"),
    ),
    "read_first_invocation of a constant": (
        straight("32 %20 = @read_first_invocation (%2)"),
        straight("32 %20 = mov %2"),
    ),
    "as_uniform of a ballot": (
        straight("32 %10 = mov %8.x", "32 %20 = @as_uniform (%10)"),
        straight("32 %20 = mov %8.x"),
    ),
    "the sum of a constant": (
        straight("32 %20 = @reduce (%2) (reduction_op=iadd, cluster_size=0)"),
        straight(
            "1 %10 = ieq %4, %4",
            "32x4 %11 = @ballot (%10)",
            "32 %12 = @ballot_bit_count_reduce (%11)",
            "32 %20 = imul %12, %2",
        ),
    ),
    "a rotation": (
        straight("32 %20 = @rotate (%6, %1) (cluster_size=0)"),
        straight(
            "32 %10 = iadd %0, %1",
            "32 %11 = load_const (0x1f)",
            "32 %12 = iand %10, %11",
            "32 %20 = @shuffle (%6, %12)",
        ),
    ),
    "inverse_ballot within its round": (
        looped(inside=("32x4 %16 = vec4 %11, %4, %4, %4", OWN, AS_NUMBER)),
        looped(inside=("32x4 %16 = vec4 %11, %4, %4, %4", "1 %22 = ieq %4, %4", OWN, AS_NUMBER)),
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_other_forms_of_the_same_are_equivalent(name: str) -> None:
    before, after = RIGHT[name]
    assert isinstance(verify_shaders(before, after), Equivalent)
