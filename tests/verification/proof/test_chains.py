"""Branches that become straight code: selections for phis, and conditional discards."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.verification.proof.chains import ChainFlow
from nirls.verification.proof.private_variables import PrivateVariables
from nirls.verification.proof.same_expressions import same_expressions
from tests.passes.shader_text import ONE, ZERO, use

LOAD = "32x4 %2 = @load_ssbo (%0, %0) (access=none, align_mul=16, align_offset=0)"
CONDITION = "1 %3 = flt! %2.x, %2.y"
OTHER = "1 %4 = flt! %2.x, %2.z"
PHI = "32 %9 = phi b1: %7, b2: %8"
SELECTED = "32 %9 = bcsel %3, %7, %8"
THEN = "32 %7 = iadd %2.x, %2.y"
ELSE = "32 %8 = iadd %2.x, %2.z"
ATOMIC = "32 %12 = @ssbo_atomic (%0, %0, %1) (access=none, atomic_op=iadd)"
LOADED = "32 %7 = @load_{} (%0, %0) (access=none, align_mul=4, align_offset=0{})"
OF_BUFFER, OF_BLOCK = LOADED.format("ssbo", ""), LOADED.format("ubo", ", range_base=0, range=16")
LOOP = "loop {\n block b10: // preds: b1 b10\n }\n block b11:"
DERIVATIVE = "32 %8 = fddx %2.z"


def straight(*lines: str) -> Shader:
    body = "".join(f"    {line}\n" for line in (ZERO, ONE, LOAD, CONDITION, OTHER, *lines))
    return parsed(f"    block b0:  // preds:\n{body}    // succs: b1\n    block b1:\n")


def branch(
    then: str = "", otherwise: str = "", *after: str, condition: str = "%3", before: tuple[str, ...] = ()
) -> Shader:
    body = "".join(f"    {line}\n" for line in (ZERO, ONE, LOAD, CONDITION, OTHER, *before))
    behind = "".join(f"    {line}\n" for line in after)
    return parsed(
        f"    block b0:  // preds:\n{body}    // succs: b1 b2\n    if {condition} {{\n"
        f"        block b1:  // preds: b0\n        {then}\n        // succs: b3\n    }} else {{\n"
        f"        block b2:  // preds: b0\n        {otherwise}\n        // succs: b3\n    }}\n"
        f"    block b3:  // preds: b1 b2\n{behind}    // succs: b4\n    block b4:\n"
    )


def parsed(body: str) -> Shader:
    text = f"shader: MESA_SHADER_FRAGMENT\ndecl_function main () (entrypoint)\n\nimpl main {{\n{body}}}\n"
    found = parse_dump(text.encode())
    assert not found.unreadable, found.unreadable
    return found


SELECTION = straight(THEN, ELSE, SELECTED, use("%9"))
BRANCHES = branch(THEN, ELSE, PHI, use("%9"))

EQUAL = {
    "a selection": (BRANCHES, SELECTION),
    "a selection of equal values": (
        branch(THEN, THEN.replace("%7", "%8"), PHI, use("%9")),
        straight(THEN, use("%7")),
    ),
    "nothing but a phi of one value": (
        branch(THEN, ELSE, "32 %9 = phi b1: %0, b2: %0", use("%9")),
        straight(use("%0")),
    ),
    "a constant condition of 32 bits": (
        branch(use("%2.x"), "", condition="%5", before=("32 %5 = load_const (0x00000002)",)),
        straight(use("%2.x")),
    ),
    "a conditional terminate": (
        branch("@terminate", "", use("%2.x")),
        straight("@terminate_if (%3)", use("%2.x")),
    ),
    "a conditional demote": (branch("@demote", "", use("%2.x")), straight("@demote_if (%3)", use("%2.x"))),
}

DIFFERENT = {
    "selected the other way": (BRANCHES, straight(THEN, ELSE, "32 %9 = bcsel %3, %8, %7", use("%9"))),
    "the opposite bits of a condition of 32 bits": (
        branch(
            *(use("%2.x"), ""),
            condition="%6",
            before=("32 %5 = load_const (0x00000002)", "32 %6 = inot %5"),
        ),
        straight(),
    ),
    "a phi of two values of an if without an effect": (
        branch("", "", "32 %9 = phi b1: %0, b2: %1", use("%9")),
        straight(use("%0")),
    ),
    "by another condition": (BRANCHES, straight(THEN, ELSE, "32 %9 = bcsel %4, %7, %8", use("%9"))),
    "another value": (BRANCHES, straight(THEN, ELSE.replace("%2.z", "%2.w"), SELECTED, use("%9"))),
    "a discard under the opposite condition": (
        branch("", "@demote", use("%2.x")),
        straight("@demote_if (%3)", use("%2.x")),
    ),
    "another discard": (branch("@demote", "", use("%2.x")), straight("@terminate_if (%3)", use("%2.x"))),
    "a discard without a condition": (branch("@demote", "", use("%2.x")), straight("@demote", use("%2.x"))),
    "a discard behind a store": (
        branch("@demote", "", use("%2.x")),
        straight(use("%2.x"), "@demote_if (%3)"),
    ),
    "values and a store": (branch(f"{THEN}\n        {use('%7')}"), straight(THEN)),
    "values in both branches and a store": (branch(f"{THEN}\n        {use('%7')}", ELSE), straight(THEN)),
    "a loop without an end": (branch(LOOP, ELSE), straight()),
    "values and an atomic": (branch(f"{THEN}\n        {ATOMIC}"), straight(THEN)),
    "a store without a condition": (branch(use("%2.x")), straight(use("%2.x"))),
    "a derivative of all invocations": (
        branch(THEN, DERIVATIVE, PHI, use("%9")),
        straight(THEN, DERIVATIVE, SELECTED, use("%9")),
    ),
}


@pytest.mark.parametrize("case", EQUAL)
def test_straight_code_is_equal(case: str) -> None:
    before, after = EQUAL[case]
    assert same_expressions(before, after)
    assert same_expressions(after, before)


@pytest.mark.parametrize("case", DIFFERENT)
def test_other_code_is_not(case: str) -> None:
    before, after = DIFFERENT[case]
    assert same_expressions(before, before)
    assert not same_expressions(before, after)
    assert not same_expressions(after, before)


def flow(shader: Shader, *, flattens: bool) -> ChainFlow:
    impl = shader.entrypoint
    assert impl is not None
    private = PrivateVariables(shader, impl, shader_temps=True, ambiguous=())
    return ChainFlow(impl, private, flattens)


@pytest.mark.parametrize(
    ("shader", "flattened"),
    [
        (BRANCHES, True),
        (branch(THEN, ELSE), True),
        (branch(OF_BLOCK, ELSE, PHI, use("%9")), True),
        (branch(OF_BUFFER, ELSE, PHI, use("%9")), False),
        (branch(use("%1")), False),
        (SELECTION, False),
    ],
    ids=["values", "nothing", "a constant load", "a load", "a store", "straight"],
)
def test_which_ifs_are_flattened(shader: Shader, flattened: bool) -> None:
    assert not flow(shader, flattens=False).is_flattened
    found = flow(shader, flattens=True)
    assert found.is_flattened is flattened
    assert (len(set(found.chain_of.values())) == 1) is (flattened or shader is SELECTION)
