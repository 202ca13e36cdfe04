from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.verification.proof.unchanged_operations import unchanged_operations
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ONE, ZERO, load, shader_text, store
from tests.passes.varyings import pairs

INPUTS = tuple(
    f"32    %{number} = @load_input (%0 (0x0)) (base=0, range=1, component={number - 2},"
    " dest_type=float32, io location=VERT_ATTRIB_POS slots=1)"
    for number in (2, 3, 4)
)


def vertex(*lines: str) -> Shader:
    parsed = parse_dump(shader_text("VERTEX", ZERO, ONE, *INPUTS, *lines).encode())
    assert not parsed.unreadable, parsed.unreadable
    return parsed


def certain(before: Shader, after: Shader) -> list[set[int]]:
    """The numbers of the ALU results at which bounds may start, on either side."""
    sides = unchanged_operations([before], [after])
    return [{value.index for value in side.certain if value.index > 4} for side in sides]


PRODUCT = "32    %8 = fmul %2, %3"
STORES = (store("VAR0", "%9"), store("VAR1", "%8"))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            (PRODUCT, "32    %9 = ffract %8", store("VAR0", "%9")),
            (PRODUCT, "32    %10 = ftrunc %8", "32    %9 = fsub %8, %10", store("VAR0", "%9")),
            {8},
            id="both sides read the product",
        ),
        pytest.param(
            (PRODUCT, "32    %9 = fadd %8, %4", *STORES),
            (PRODUCT, "32    %9 = ffma %2, %3, %4", *STORES),
            set(),
            id="one side looks through the product",
        ),
        pytest.param(
            (PRODUCT, "32    %10 = fmul %8, %8", "32    %9 = fadd %10, %8", *STORES),
            (PRODUCT, "32    %11 = fadd %2, %2", "32    %9 = fadd %11, %8", *STORES),
            set(),
            id="the product depends on what only one side reads",
        ),
        pytest.param(
            (PRODUCT, "32    %9 = fadd %8, %4", *STORES),
            (
                "32    %20 = fmul %3, %2",
                "32    %9 = fadd! %4, %20",
                store("VAR0", "%9"),
                store("VAR1", "%20"),
            ),
            {8, 9, 20},
            id="commuted, other numbers, and exact",
        ),
        pytest.param(
            (PRODUCT, "32    %10 = fmul %8, %1", "32    %9 = fmul %10, %10", store("VAR0", "%9")),
            (PRODUCT, "32    %10 = fmul %8, %1", "32    %9 = fmax %10, %1", store("VAR0", "%9")),
            {8, 10},
            id="only one side reads a constant",
        ),
        pytest.param(
            (PRODUCT, "32    %9 = fneg %8", *STORES),
            (PRODUCT, "32    %9 = fneg %8", store("VAR0", "%8"), store("VAR1", "%9")),
            {8, 9},
            id="outputs are swapped",
        ),
        pytest.param(
            (PRODUCT, store("VAR0", "%8")),
            (PRODUCT, "32    %9 = fabs %8", store("VAR0", "%9")),
            {8},
            id="one side stores the product, the other reads it",
        ),
        pytest.param(
            (PRODUCT, "32    %9 = fabs %8", store("VAR0", "%9")),
            (PRODUCT, store("VAR0", "%8")),
            {8},
            id="the other way round",
        ),
    ],
)
def test_bounds_start_where_no_side_looks_through(
    before: tuple[str, ...], after: tuple[str, ...], expected: set[int]
) -> None:
    first, second = certain(vertex(*before), vertex(*after))
    assert first | second == expected


def operations(before: Shader, after: Shader) -> list[set[int]]:
    """The numbers of the results whose operations round alike, on either side."""
    sides = unchanged_operations([before], [after])
    return [{value.index for value in side.operations if value.index > 4} for side in sides]


THIRD, OTHER = "32    %6 = load_const (0x3eaaaaab)", "32    %6 = load_const (0x3eaaaaac)"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            (PRODUCT, "32    %9 = fadd %8, %4", store("VAR0", "%9")),
            ("32    %8 = fmax %2, %3", "32    %9 = fadd %8, %4", store("VAR0", "%9")),
            {9},
            id="one operand is another",
        ),
        pytest.param(
            (THIRD, "32    %9 = fmul %2, %6", store("VAR0", "%9")),
            (OTHER, "32    %9 = fmul %2, %6", store("VAR0", "%9")),
            {9},
            id="another constant",
        ),
        pytest.param(
            (THIRD, "32    %8 = fmul %2, %6", "32    %9 = fmul %8, %6", store("VAR0", "%9")),
            (OTHER, "32    %9 = fmul %2, %6", store("VAR0", "%9")),
            set(),
            id="folded constants",
        ),
        pytest.param(
            (PRODUCT, "32    %9 = fadd %8, %4", store("VAR0", "%9")),
            (PRODUCT, "32    %9 = fadd! %8, %4", store("VAR0", "%9")),
            {8},
            id="another operation",
        ),
    ],
)
def test_operations_with_one_other_operand_round_alike(
    before: tuple[str, ...], after: tuple[str, ...], expected: set[int]
) -> None:
    first, second = operations(vertex(*before), vertex(*after))
    assert first & second == expected


LOADED = (
    "32    %8 = @load_ssbo (%0 (0x0), %0 (0x0)) (access=none, align_mul=4, align_offset=0, offset_shift=0)"
)


def test_a_load_that_a_store_may_change_is_not_alike() -> None:
    twice = "32    %9 = fadd %8, %8", store("VAR0", "%9")
    shader, twin = vertex(LOADED, *twice), vertex(LOADED, *twice)
    assert certain(shader, twin) == [set(), set()]


SOMEWHERE = store("VAR0", "%8").replace("%0 (0x0)) (base", "%2) (base").replace("slots=1", "slots=4")
CONSUMER = pairs.fragment(
    pairs.interpolated(40, "VAR0"),
    "32    %41 = fmul %40, %40",
    store("VAR0", "%41").replace("VARYING_SLOT_VAR0", "FRAG_RESULT_DATA0"),
)
FLAT_CONSUMER = pairs.fragment(
    load(40, "VAR0"),
    "32    %41 = fmul %40, %40",
    store("VAR0", "%41").replace("VARYING_SLOT_VAR0", "FRAG_RESULT_DATA0"),
)


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        pytest.param((PRODUCT, store("VAR0", "%8")), {40, 41}, id="nothing changed"),
        pytest.param((PRODUCT, store("VAR0", "%8"), store("VAR1", "%2")), {40, 41}, id="less is stored"),
        pytest.param(("32    %8 = fmul! %2, %4", store("VAR0", "%8")), set(), id="another value is stored"),
        pytest.param((store("VAR1", "%2"),), set(), id="nothing was stored"),
        pytest.param((LOADED, store("VAR0", "%8")), set(), id="the value depends on other invocations"),
        pytest.param((PRODUCT, SOMEWHERE), set(), id="the slot is not known"),
    ],
)
def test_inputs_are_alike_if_the_stage_in_front_stores_the_same(
    stored: tuple[str, ...], expected: set[int]
) -> None:
    """`test_sum_of_two_bilinear_interpolations` of backward motion needs this of operations too."""
    kept = stored if LOADED in stored or SOMEWHERE in stored else (PRODUCT, store("VAR0", "%8"))
    for consumer in (CONSUMER, FLAT_CONSUMER):
        sides = unchanged_operations([vertex(*stored), consumer], [vertex(*kept), clone_shader(consumer)])
        certain = [{value.index for value in side.certain if value.index >= 40} for side in sides]
        assert certain == [expected] * 2
        assert {value.index for value in sides[1].operations if value.index >= 40} == expected


def test_shaders_that_cannot_be_numbered_have_none() -> None:
    other = parse_dump(shader_text("FRAGMENT", ZERO).encode())
    assert certain(vertex(PRODUCT), other) == [set(), set()]


def branching(condition: str) -> Shader:
    """A fragment shader with an if, whose condition is given, before another one."""
    text = f"""shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {{
    block b0:    // preds:
    {ZERO}
    {ONE}
    32x2   %2 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)
    {pairs.interpolated(3, "VAR0")}
    {pairs.interpolated(4, "VAR1")}
    32    %10 = @ddx (%3)
    32    %22 = fddx %3
    1     %24 = @is_helper_invocation
    1     %11 = {condition}
    1     %12 = flt %4, %0
    // succs: b1 b2
    if %11 {{
        block b1:  // preds: b0
        32  %13 = fmul %3, %4
        // succs: b3
    }} else {{
        block b2:  // preds: b0, succs: b3
    }}
    block b3:      // preds: b1 b2
    32    %14 = phi b1: %13, b2: %3
    32    %15 = fmul %4, %4
    // succs: b4 b5
    if %12 {{
        block b4:  // preds: b3
        32  %16 = fadd %15, %3
        // succs: b6
    }} else {{
        block b5:  // preds: b3, succs: b6
    }}
    block b6:      // preds: b4 b5
    32    %17 = phi b4: %16, b5: %15
    32    %18 = @ddx (%3)
    32    %23 = fddx %3
    32    %19 = fadd %14, %17
    32    %20 = fadd %17, %10
    32    %21 = fadd %20, %18
    {store("VAR0", "%19").replace("VARYING_SLOT_VAR0", "FRAG_RESULT_DATA0")}
    {store("VAR1", "%21").replace("VARYING_SLOT_VAR1", "FRAG_RESULT_DATA1")}
    // succs: b7
    block b7:
}}
"""
    parsed = parse_dump(text.encode())
    assert not parsed.unreadable, parsed.unreadable
    return parsed


def test_a_changed_branch_leaves_alike_what_it_does_not_select() -> None:
    same, other = branching("flt! %3, %0"), branching("fge! %3, %1")
    every = {*range(10, 24)}
    assert certain(same, clone_shader(same)) == [every, every]
    # %18 and %23 are derivatives behind the branch, where other invocations may have ended.
    assert certain(same, other) == [{10, 12, 13, 15, 16, 17, 20, 22}] * 2


def test_branches_on_undefined_references_leave_nothing_alike() -> None:
    text = shader_text("VERTEX", ZERO, ONE, *INPUTS, PRODUCT)
    branch = (
        "    // succs: b1 b2\n    if %50 {\n        block b1:  // preds: b0, succs: b3\n    } else {\n"
        "        block b2:  // preds: b0, succs: b3\n    }\n"
        "    block b3:  // preds: b1 b2, succs: b4\n    block b4:\n}\n"
    )
    text = text.partition("               // succs")[0] + branch
    assert certain(parse_dump(text.encode()), parse_dump(text.encode())) == [set(), set()]
    sides = unchanged_operations(
        [parse_dump(text.encode()), FLAT_CONSUMER], [parse_dump(text.encode()), FLAT_CONSUMER]
    )
    assert not any(value.index >= 40 for side in sides for value in side.certain)


CANCELLED = (
    "32    %5 = fsub %2, %3",
    "32    %6 = fmul %5, %5",
    "32    %7 = fsub %6, %3",
)
"""An operand with a bound that excuses much: the difference of two inexact numbers of one size."""


def squared(*lines: str) -> Shader:
    return vertex(*CANCELLED, *lines, store("VAR0", "%9"))


def test_rounding_of_operands_excuses_no_other_rounding_of_what_changed() -> None:
    fused, rounded = ("32    %9 = ffma! %7, %7, %7",), ("32    %8 = fmul! %7, %7", "32    %9 = fadd! %8, %7")
    assert isinstance(verify_shaders(squared(*fused), squared(*rounded)), Different)
    inexact = (line.replace("!", "") for line in rounded)
    assert isinstance(verify_shaders(squared(fused[0].replace("!", "")), squared(*inexact)), Equivalent)


def test_a_product_that_the_pass_fuses_rounds_as_a_whole() -> None:
    before = vertex(PRODUCT, "32    %9 = fsub %8, %4", *STORES)
    after = vertex(PRODUCT, "32    %10 = fneg %4", "32    %9 = ffma %2, %3, %10", *STORES)
    assert isinstance(verify_shaders(before, after), Equivalent)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(THIRD, OTHER, Different, id="next constant"),
        pytest.param("32    %6 = fmul! %2, %5", "32    %6 = fmul! %5, %2", Equivalent, id="commuted"),
    ],
)
def test_what_uses_a_changed_value_excuses_no_difference(before: str, after: str, expected: type) -> None:
    """The sum of products rounds more than the last bit of one operand."""
    root = "32    %5 = fsqrt %3"
    use = (
        "32    %7 = fmul %6, %4",
        "32    %8 = ffma %7, %3, %2",
        "32    %9 = fmul %8, %8",
        store("VAR0", "%9"),
    )
    assert isinstance(verify_shaders(vertex(root, before, *use), vertex(root, after, *use)), expected)


def test_a_zero_that_an_inexact_sum_makes_has_no_certain_sign() -> None:
    """`0 + -0` is 0, and -0 where the sum with zero is left out: both are right."""
    sums = ("32    %5 = fneg %0", "32    %6 = fadd %0, %5")
    before, after = vertex(*sums, store("VAR0", "%6")), vertex(sums[0], store("VAR0", "%5"))
    assert isinstance(verify_shaders(before, after), Equivalent)
    exact = vertex(sums[0], sums[1].replace("fadd", "fadd!"), store("VAR0", "%6"))
    assert isinstance(verify_shaders(exact, after), Different)
