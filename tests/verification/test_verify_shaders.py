from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.verification.inputs.input_kinds import DRAWS
from nirls.verification.options import VerificationOptions
from nirls.verification.strategies.lone_inputs import most_lone_lanes
from nirls.verification.verdict import Different, Equivalent, Unchecked
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ONE, ZERO, load, shader, store, use
from tests.passes.varyings.pairs import fragment, interpolated

INPUTS = (
    ZERO,
    *(
        f"32    %{number} = @load_input (%0 (0x0)) (base=0, range=1, component={number - 1},"
        " dest_type=float32, io location=VERT_ATTRIB_POS slots=1)"
        for number in (1, 2, 3)
    ),
)


def vertex(*lines: str) -> Shader:
    body = "".join(f"    {line}\n" for line in lines)
    return parsed(f"    block b0:  // preds:\n{body}    // succs: b1\n    block b1:\n")


def parsed(body: str, stage: str = "VERTEX") -> Shader:
    text = f"shader: MESA_SHADER_{stage}\ndecl_function main () (entrypoint)\n\nimpl main {{\n{body}}}\n"
    result = parse_dump(text.encode())
    assert not result.unreadable, result.unreadable
    return result


def compute(*lines: str, value: str = "%9") -> Shader:
    """A vertex shader that stores a value made of three inputs, %1 to %3."""
    return vertex(*INPUTS, *lines, store("VAR0", value))


def test_the_same_shader_is_equivalent() -> None:
    one = compute("32    %9 = fadd %1, %2")
    verdict = verify_shaders(one, compute("32    %9 = fadd %1, %2"), VerificationOptions(runs=3, lanes=32))
    assert isinstance(verdict, Equivalent)
    assert verdict.lanes > (verdict.runs - 1) * 32 * DRAWS
    assert str(verdict).startswith(f"equivalent on {verdict.runs} runs of {verdict.lanes} invocations in all")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("32 %9 = fsub %1, %2",), ("32 %9 = fsub %2, %1",)),
        (("32 %9 = fadd %1, %2",), ("32 %9 = fadd %1, %3",)),
        (("32 %9 = fmin %1, %2",), ("32 %9 = fmax %1, %2",)),
        # Special numbers tell these apart: NaN, and the sign of zero.
        (
            ("1 %4 = flt %1, %2", "32 %9 = b2f32 %4"),
            ("1 %5 = fge %1, %2", "1 %4 = inot %5", "32 %9 = b2f32 %4"),
        ),
        (("32 %9 = fadd! %1, %0 (0.0)",), ("32 %9 = fneg! %1",)),
    ],
)
def test_other_computations_are_different(before: Sequence[str], after: Sequence[str]) -> None:
    assert isinstance(verify_shaders(compute(*before), compute(*after)), Different)


def test_inexact_sums_may_be_reassociated_and_exact_ones_may_not() -> None:
    def sums(flag: str) -> tuple[Shader, Shader]:
        left = compute(f"32 %4 = fadd{flag} %1, %2", f"32 %9 = fadd{flag} %4, %3")
        right = compute(f"32 %4 = fadd{flag} %2, %3", f"32 %9 = fadd{flag} %1, %4")
        return left, right

    inexact = verify_shaders(*sums(""))
    assert isinstance(inexact, Equivalent)
    assert inexact.rounded
    assert isinstance(verify_shaders(*sums("!")), Different)


def test_rounding_excuses_only_what_rounding_can_do() -> None:
    exact = compute("32 %4 = load_const (0x3f800000)", "32 %9 = fmul %1, %4 (1.0)")
    nearly = compute("32 %4 = load_const (0x3f8020c5)", "32 %9 = fmul %1, %4 (1.001)")
    assert isinstance(verify_shaders(exact, nearly), Different)


def test_undefined_may_become_anything_and_defined_may_not_become_undefined() -> None:
    undefined = vertex(ZERO, "32 %9 = undefined", store("VAR0", "%9"), store("VAR1", "%0 (0x0)"))
    defined = vertex(ZERO, ONE, store("VAR0"), store("VAR1", "%0 (0x0)"))
    assert isinstance(verify_shaders(defined, undefined), Different)
    without = vertex(ZERO, ONE, store("VAR1", "%0 (0x0)"))
    assert isinstance(verify_shaders(defined, without), Different)
    one_of_two = vertex(
        *INPUTS, "32 %8 = undefined", "32 %9 = fadd %1, %8", store("VAR0", "%9"), store("VAR1", "%2")
    )
    other = vertex(*INPUTS, "32 %9 = fmul %1, %1", store("VAR0", "%9"), store("VAR1", "%2"))
    verdict = verify_shaders(one_of_two, other)
    assert not isinstance(verdict, Different)
    assert isinstance(verify_shaders(other, one_of_two), Different)


def test_memory_counts() -> None:
    def storing(value: str) -> Shader:
        return vertex(
            *INPUTS,
            f"           {use(value)}",
        )

    assert isinstance(verify_shaders(storing("%1"), storing("%1")), Equivalent)
    assert isinstance(verify_shaders(storing("%1"), storing("%2")), Different)
    assert isinstance(verify_shaders(storing("%1"), vertex(*INPUTS)), Different)


_FRAGMENT = """    block b0:  // preds:
    32  %0 = load_const (0x00000000)
    LOAD
    32  %2 = load_const (0x0000002a)
    1   %3 = ieq %1, %2 (0x2a)
    // succs: b1 b2
    if %3 {
        block b1:  // preds: b0
        @terminate
        // succs: b3
    } else {
        block b2:  // preds: b0, succs: b3
    }
    block b3:  // preds: b1 b2
    STORE
    // succs: b4
    block b4:
"""

FRAGMENT = _FRAGMENT.replace("LOAD", load(1, "VAR0").replace("float32", "int32")).replace(
    "STORE", store("VAR0", "%2").replace("VARYING_SLOT_VAR0", "FRAG_RESULT_DATA0")
)


def test_rare_discards_are_found() -> None:
    before = parsed(FRAGMENT, "FRAGMENT")
    without = parsed(FRAGMENT.replace("        @terminate\n", ""), "FRAGMENT")
    assert isinstance(verify_shaders(before, before), Equivalent)
    verdict = verify_shaders(before, without)
    assert isinstance(verdict, Different)
    assert verdict.counterexample.what == "discard"
    asked = {one.name: one.value for one in verdict.counterexample.inputs}
    assert asked["%1 load_input VARYING_SLOT_VAR0.x"].startswith("0x0000002a")


_LOOP = """    block b0:  // preds:
    32  %0 = load_const (0x00000000)
    32  %1 = load_const (0x00000001)
    32  %2 = load_const (0x00000008)
    // succs: b1
    loop {
        block b1:  // preds: b0 b4
        32  %3 = phi b0: %0 (0x0), b4: %5
        1   %4 = ige %3, %2 (0x8)
        // succs: b2 b3
        if %4 {
            block b2:  // preds: b1
            break
            // succs: b5
        } else {
            block b3:  // preds: b1, succs: b4
        }
        block b4:  // preds: b3
        32  %5 = iadd %3, %1 (0x1)
        // succs: b1
    }
    block b5:  // preds: b2
    STORE
    // succs: b6
    block b6:
"""

LOOP = _LOOP.replace("STORE", store("VAR0", "%3"))


def test_loops_that_do_not_end_any_more() -> None:
    before = parsed(LOOP)
    endless = parsed(LOOP.replace("ige %3, %2 (0x8)", "ilt %3, %0 (0x0)"))
    verdict = verify_shaders(before, endless, VerificationOptions(iteration_limit=50))
    assert isinstance(verdict, Different)
    assert verdict.counterexample.summary == "after: a loop ran more than 160 iterations"
    # A shader that does not end says nothing about what becomes of it.
    assert isinstance(verify_shaders(endless, before, VerificationOptions(iteration_limit=50)), Unchecked)
    long = parsed(LOOP.replace("0x00000001", "0x00000000").replace("ige %3, %2 (0x8)", "ige %3, %0 (0x0)"))
    assert isinstance(verify_shaders(long, long, VerificationOptions(iteration_limit=50)), Equivalent)


STRANGE = (
    "64    %8 = load_const (0x0000000000000010)",
    "64    %9 = deref_cast (float *)%8 (global float)  (ptr_stride=0, align_mul=4, align_offset=0)",
    "32    %1 = @load_deref (%9) (access=none)",
)


def test_what_cannot_run_is_unchecked_by_name() -> None:
    lines = ZERO, *STRANGE, "32    %2 = imul %1, %1"
    strange, other = (vertex(*lines, store("VAR0", value)) for value in ("%0 (0x0)", "%2"))
    verdict = verify_shaders(strange, other)
    assert isinstance(verdict, Unchecked)
    assert "access to global memory without a variable" in verdict.reason
    assert str(verdict).startswith("unchecked: ")


def test_what_cannot_run_is_equivalent_if_it_is_the_same() -> None:
    strange = vertex(ZERO, *STRANGE, "32    %2 = mov %1", store("VAR0", "%2"))
    verdict = verify_shaders(strange, vertex(ZERO, *STRANGE, store("VAR0", "%1")))
    assert isinstance(verdict, Equivalent)
    assert verdict.same_expressions
    assert str(verdict).startswith("equivalent without a run")


def test_undefined_control_flow_is_unchecked() -> None:
    body = _FRAGMENT.replace("LOAD", "32  %1 = undefined").replace("STORE", use("%2"))
    other = body.replace("ieq %1", "ine %1")
    verdict = verify_shaders(parsed(body, "FRAGMENT"), parsed(other, "FRAGMENT"))
    assert isinstance(verdict, Unchecked)
    assert "only 0 invocations" in verdict.reason


def test_time_budget() -> None:
    one, other = compute("32 %9 = fadd %1, %2"), compute("32 %9 = fsub %1, %2")
    verdict = verify_shaders(one, other, VerificationOptions(time_budget=0.0))
    assert verdict == Unchecked("time budget of 0 s used up after 0 of 2 runs with random inputs")
    assert isinstance(verdict, Unchecked)
    assert verdict.is_late


def test_a_run_of_a_loop_ends_at_the_deadline() -> None:
    long = parsed(LOOP.replace("0x00000001", "0x00000000").replace("ige %3, %2 (0x8)", "ine %3, %0 (0x0)"))
    limit = 0.3
    start = time.thread_time()
    options = VerificationOptions(
        iteration_limit=10**6, least_lanes=10**6, proves=False, deadline=start + limit
    )
    verdict = verify_shaders(long, long, options)
    assert time.thread_time() - start < 5 * limit
    assert isinstance(verdict, Unchecked)
    assert verdict.is_late
    assert verdict.reason.startswith("time limit reached after ")


def test_another_number_of_shaders() -> None:
    one = compute("32 %9 = fadd %1, %2")
    assert verify_shaders([one, one], [one]) == Unchecked("2 shaders before, 1 after")


def test_a_counterexample_says_how_to_get_there() -> None:
    verdict = verify_shaders(compute("32 %9 = fadd %1, %2"), compute("32 %9 = fadd %1, %3"))
    assert isinstance(verdict, Different)
    found = verdict.counterexample
    assert found.what == "VARYING_SLOT_VAR0.x"
    assert found.before != found.after
    names = [one.name for one in found.inputs]
    assert names == [
        f"%{number} load_input VERT_ATTRIB_POS.{letter}" for number, letter in ((1, "x"), (2, "y"), (3, "z"))
    ]
    text = str(verdict)
    assert text.startswith(f"different: VARYING_SLOT_VAR0.x: {found.before} before, {found.after} after\n")
    assert f"seed {found.seed}" in text
    assert f"%1 load_input VERT_ATTRIB_POS.x = {found.inputs[0].value}" in text


def _with_member(*lines: str) -> Shader:
    struct = "decl_var shader_out INTERP_MODE_NONE none S s (VARYING_SLOT_VAR1, 0, 0)"
    return shader("VERTEX", ZERO, ONE, *lines, store("VAR0"), header=(struct,))


_MEMBER = (
    "32    %2 = deref_var &s (shader_out S)",
    "32    %3 = deref_struct &%2->a (shader_out float)  // &s.a",
)


def test_the_slots_of_the_members_of_a_struct_are_not_known() -> None:
    named = _with_member(*_MEMBER, "@store_deref (%3, %1) (wrmask=x, access=none)")
    lowered = _with_member(store("VAR1"))
    for one, other in ((named, lowered), (lowered, named)):
        verdict = verify_shaders(one, other)
        assert verdict == Unchecked("the dump does not print which slots the members of s have")
    assert isinstance(verify_shaders(named, named), Equivalent)


def test_the_slots_of_members_that_are_split_are_not_known() -> None:
    """nir_split_per_member_structs makes variables of the members of `s`, with slots of their own."""
    named = _with_member(*_MEMBER, "@store_deref (%3, %1) (wrmask=x, access=none)")
    member = "decl_var shader_out INTERP_MODE_NONE none float s.a (VARYING_SLOT_VAR1.x, 0, 0)"
    lines = ("32 %2 = deref_var &s.a (shader_out float)", "@store_deref (%2, %1) (wrmask=x, access=none)")
    split = shader("VERTEX", ZERO, ONE, *lines, header=(member,))
    verdict = verify_shaders(named, split)
    assert verdict == Unchecked("the dump does not print which slots the members of s have")


def test_another_value_in_the_member_of_a_struct_is_different() -> None:
    named = _with_member(*_MEMBER, "@store_deref (%3, %1) (wrmask=x, access=none)")
    other = _with_member(*_MEMBER, "@store_deref (%3, %0) (wrmask=x, access=none)")
    assert isinstance(verify_shaders(named, other), Different)


def test_large_shaders_have_fewer_invocations_with_one_special_number() -> None:
    assert most_lone_lanes(0) == most_lone_lanes(200) == 8192
    assert most_lone_lanes(1000) * 1000 <= 1 << 21
    assert most_lone_lanes(100_000) == 1024


TEXTURED = (
    "32x2  %9 = vec2 %4, %5",
    "32x4  %10 = (float32)tex %9 (coord), 0 (texture), 0 (sampler)",
    "32    %11 = mov %10.x",
)


@pytest.mark.parametrize(
    ("lines", "first"), [((), "%4"), (TEXTURED, "%11")], ids=["interpolated", "textured"]
)
def test_rounding_of_inputs_excuses_no_exact_operation(lines: tuple[str, ...], first: str) -> None:
    """An input is interpolated, and a texture sampled, in the same way before and after."""
    inputs = [interpolated(4 + number, f"VAR{number}") for number in range(3)]
    before, after, same = (
        fragment(*inputs, *lines, *sums, use("%21"))
        for sums in (
            (f"32    %20 = fadd! {first}, %5", "32    %21 = fadd! %20, %6"),
            ("32    %20 = fadd! %5, %6", f"32    %21 = fadd! {first}, %20"),
            (f"32    %20 = fadd! %5, {first}", "32    %21 = fadd! %6, %20"),
        )
    )
    assert isinstance(verify_shaders(before, after), Different)
    assert isinstance(verify_shaders(before, same), Equivalent)
