from __future__ import annotations

import pytest

from nirls.passes.uniforms.deciders import BRANCH, LOOP, SELECT, find_deciding
from nirls.passes.uniforms.places import MOST_BYTES
from tests.passes.expectation import parse_body
from tests.passes.registers.test_lower_vec_and_coalesce import register_form

UBO = "(access=none, align_mul=4, align_offset=0, range_base=0, range=256)"
HEAD = f"""
block b0:
32    %0 = load_const (0x00000000)
32    %1 = load_const (0x00000001)
32    %2 = load_const (0x00000004)
32    %3 = load_const (0x00000008)
32    %4 = @load_ubo (%0 (0x0), %0 (0x0)) {UBO}
32    %5 = @load_ubo (%0 (0x0), %2 (0x4)) {UBO}
32    %6 = @load_ubo (%1 (0x1), %0 (0x0)) {UBO}
32    %7 = @load_sample_id
"""


def store(value: str) -> str:
    return f"@store_ssbo ({value}, %0 (0x0), %0 (0x0)) (wrmask=x, access=none, align_mul=4, align_offset=0)"


def branch(condition: str) -> str:
    return f"if {condition} {{\nblock b1:\n{store('%1')}\n}} else {{\nblock b2:\n}}\nblock b3:\nblock b4:\n"


def decided(body: str, buffers: str = "0", limit: int = 4) -> list[tuple[str, tuple[str, ...]]]:
    shader = parse_body(HEAD + body)
    found = find_deciding(shader, frozenset(buffers.split(",")), limit)
    return [(one.kind, tuple(map(str, one.places))) for one in found.decisions]


def test_condition_of_constants_and_uniforms() -> None:
    body = f"32 %8 = iadd %4, %1\n1 %9 = ilt %8, %5\n{branch('%9')}"
    assert decided(body) == [(BRANCH, ("0:0", "0:4"))]


def test_components_are_followed_through_moves() -> None:
    vector = f"32x2 %8 = @load_ubo (%0 (0x0), %3 (0x8)) {UBO}\n32x2 %9 = mov %8.yx\n"
    assert decided(f"{vector}1 %10 = ilt %9.y, %0\n{branch('%10')}") == [(BRANCH, ("0:8",))]
    assert decided(f"{vector}1 %10 = ilt %9.x, %0\n{branch('%10')}") == [(BRANCH, ("0:12",))]


def test_anything_else_in_the_condition_decides_too() -> None:
    assert decided(f"32 %8 = iadd %4, %7\n1 %9 = ilt %8, %5\n{branch('%9')}") == []


def test_buffers_are_a_setting() -> None:
    body = f"1 %9 = ilt %6, %0\n{branch('%9')}"
    assert decided(body) == []
    assert decided(body, "0,1") == [(BRANCH, ("1:0",))]
    assert decided(body, "all") == [(BRANCH, ("1:0",))]
    both = f"1 %9 = ilt %6, %4\n{branch('%9')}"
    assert decided(both) == []
    assert decided(both, "0,1") == [(BRANCH, ("1:0", "0:0"))]


def test_a_decision_is_taken_whole_or_not_at_all() -> None:
    body = f"1 %9 = ilt %4, %5\n{branch('%9')}"
    assert decided(body, limit=1) == []
    assert decided(body, limit=2) == [(BRANCH, ("0:0", "0:4"))]


def test_a_decision_that_the_others_leave_no_words_for_is_not_taken() -> None:
    second = branch("%10").replace("block b", "block b1")
    body = f"1 %9 = ilt %4, %0\n1 %10 = ilt %5, %0\n{branch('%9').replace('block b4:', '')}{second}"
    assert decided(body, limit=1) == [(BRANCH, ("0:0",))]
    assert decided(body, limit=2) == [(BRANCH, ("0:0",)), (BRANCH, ("0:4",))]


@pytest.mark.parametrize(("offset", "is_taken"), [(MOST_BYTES, True), (MOST_BYTES + 4, False)])
def test_a_word_beyond_the_numbers_of_mesa_is_not_inlined(offset: int, is_taken: bool) -> None:
    load = f"32 %8 = load_const ({offset:#010x})\n32 %9 = @load_ubo (%0, %8) {UBO}\n"
    found = decided(f"{load}1 %10 = ilt %9, %0\n{branch('%10')}")
    assert found == ([(BRANCH, (f"0:{offset}",))] if is_taken else [])


def test_selection_by_a_register_is_no_decision() -> None:
    lines = (
        "r1.x = flt ssa_1.x, ssa_1.y",
        "vec1 32 ssa_4 = bcsel r1.x, ssa_1.x, ssa_3.x",
        "r0.x = mov ssa_4",
    )
    assert find_deciding(register_form(*lines), ("all",), 4).decisions == []


def test_selection_between_loads() -> None:
    select = "32 %9 = bcsel %8, %5, %0\n32 %10 = bcsel %8, %9, %1\n32 %11 = bcsel %8, %0, %1\n"
    body = f"1 %8 = ilt %4, %0\n{select}{store('%10')}\n{store('%11')}\nblock b1:"
    assert decided(body) == [(SELECT, ("0:0",)), (SELECT, ("0:0",))]


def test_selection_that_a_loaded_number_decides_is_between_constants() -> None:
    assert decided(f"32 %9 = fcsel %4, %0, %1\n{store('%9')}\nblock b1:") == []


def test_selection_by_something_else_is_no_decision() -> None:
    assert decided(f"1 %8 = ilt %7, %0\n32 %9 = bcsel %8, %5, %0\n{store('%9')}\nblock b1:") == []


def test_all_components_of_an_operand_of_fixed_size_decide() -> None:
    product = "32x2 %8 = vec2 %4, {}\n32 %9 = fdot2 %8, %8\n1 %10 = flt %9, %0\n"
    assert decided(product.format("%5") + branch("%10")) == [(BRANCH, ("0:0", "0:4"))]
    assert decided(product.format("%7") + branch("%10")) == []


def test_the_smallest_decision_with_a_word() -> None:
    second = branch("%10").replace("block b", "block b1")
    body = f"1 %9 = ilt %4, %5\n1 %10 = ilt %4, %0\n{branch('%9').replace('block b4:', '')}{second}"
    found = find_deciding(parse_body(HEAD + body), frozenset(("0",)), 4)
    first, other = found.places
    assert (str(first), str(other)) == ("0:0", "0:4")
    assert found.needed_with(first) == (first,)
    assert found.needed_with(other) == (first, other)


def test_float_selection_between_loads() -> None:
    """Intel's and other drivers' fcsel, whose condition is a number."""
    body = f"32 %8 = i2f32 %4\n32 %9 = fcsel %8, %5, %6\n{store('%9')}\nblock b1:"
    assert decided(body) == [(SELECT, ("0:0",))]


def test_only_the_component_that_counts_is_followed() -> None:
    body = f"32x2 %8 = vec2 %4, %7\n1 %9 = ilt %8.x, %0\n{branch('%9')}"
    assert decided(body) == [(BRANCH, ("0:0",))]
    assert decided(body.replace("%8.x", "%8.y")) == []


LOOP_BODY = """
loop {
    block b1:
    32 %20 = phi b0: START, b4: %23
    1 %21 = ige %20, LIMIT
    if %21 {
        block b2:
        break
    } else {
        block b3:
    }
    block b4:
    32 %23 = iadd %20, STEP
    STORE
    continue
}
block b5:
block b6:
"""


def loop(start: str, limit: str, step: str) -> str:
    body = LOOP_BODY.replace("START", start).replace("LIMIT", limit)
    return body.replace("STEP", step).replace("STORE", store("%20"))


def test_end_of_a_loop_by_its_start_limit_and_step() -> None:
    assert decided(loop("%0", "%4", "%1")) == [(LOOP, ("0:0",))]
    assert decided(loop("%4", "%5", "%1")) == [(LOOP, ("0:0", "0:4"))]
    assert decided(loop("%0", "%1", "%5")) == [(LOOP, ("0:4",))]


IF = "if {} {{\nblock b{}:\n{}\n}} else {{\nblock b{}:\n}}\nblock b{}:\n"


@pytest.mark.parametrize("inner", [store("%1"), IF.format("%8", 7, "break", 8, 9)])
def test_an_if_in_a_loop_that_does_not_end_it_itself_is_a_branch(inner: str) -> None:
    body = IF.format("%8", 2, inner, 3, 4) + IF.format("%9", 5, "break", 6, 10)
    compared = "1 %8 = ilt %4, %0\n1 %9 = ilt %7, %0\n"
    assert set(decided(f"{compared}loop {{\nblock b1:\n{body}}}\nblock b11:\nblock b12:")) == {
        (BRANCH, ("0:0",))
    }


def test_end_of_a_loop_by_the_next_value_of_its_counter() -> None:
    update = "    32 %23 = iadd %20, %5\n"
    body = loop("%0", "%4", "%5").replace(update, "").replace("    1 %21", f"{update}    1 %21")
    assert decided(body.replace("ige %20", "ige %23")) == [(LOOP, ("0:4", "0:0"))]


def test_a_loop_that_other_things_decide() -> None:
    assert decided(loop("%7", "%4", "%1")) == []
    assert decided(loop("%0", "%7", "%1")) == []
    assert decided(loop("%0", "%4", "%7")) == []


def test_a_long_chain_needs_no_recursion() -> None:
    chain = "".join(f"32 %{number + 1} = iadd %{number}, %1\n" for number in range(10, 4000))
    body = f"32 %10 = iadd %4, %1\n{chain}1 %9 = ilt %4000, %0\n{branch('%9')}"
    assert decided(body) == [(BRANCH, ("0:0",))]
