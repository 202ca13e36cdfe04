from __future__ import annotations

from nirls.ir.model.instructions import Instr
from nirls.passes.cleanup.value_key import value_key
from tests.passes.expectation import parse_body

DECLARATIONS = "decl_var uniform INTERP_MODE_NONE none vec4[4] u (0, 0, 0)"


def instrs(*lines: str) -> list[Instr]:
    text = "\n".join(
        ["block b0:", "32x4 %0 = @load_frag_coord", "32 %1 = load_const (0x1)", *lines, "block b1:"]
    )
    (impl,) = parse_body(text, declarations=DECLARATIONS, valid=False).impls()
    return list(impl.instrs())[2:]


def test_equal_keys() -> None:
    one, other = instrs("32 %2 = fmul %0.x, %1", "32 %3 = fmul! %1, %0.x")
    assert value_key(one) == value_key(other) is not None
    _, first, second = instrs(
        "32 %2 = deref_var &u (uniform vec4[4])",
        "32 %3 = deref_array &(*%2)[%1] (uniform vec4)",
        "32 %4 = deref_array &(*%2)[%1] (uniform vec4)",
    )
    assert value_key(first) == value_key(second) is not None


def test_different_keys() -> None:
    pairs = [
        ("32 %2 = fmul %0.x, %1", "32 %3 = fmul %0.y, %1"),
        ("32 %2 = iadd %1, %1", "32 %3 = iadd nsw %1, %1"),
        ("32 %2 = deref_var &u (uniform vec4[4])", "64 %3 = deref_var &u (uniform vec4[4])"),
        ("32 %2 = load_const (0x2)", "32 %3 = load_const (0x3)"),
    ]
    for one, other in pairs:
        first, second = instrs(one, other)
        assert value_key(first) != value_key(second), (one, other)


def test_elements_with_different_indices_differ() -> None:
    _, _, first, second = instrs(
        "32 %2 = deref_var &u (uniform vec4[4])",
        "32 %5 = load_const (0x00000002)",
        "32 %3 = deref_array &(*%2)[%1] (uniform vec4)",
        "32 %4 = deref_array &(*%2)[%5] (uniform vec4)",
    )
    assert value_key(first) != value_key(second)
    _, *dynamic = instrs(
        "32 %2 = deref_var &u (uniform vec4[4])",
        "32 %5 = ineg %1",
        "32 %6 = f2i32 %0.x",
        "32 %3 = deref_array &(*%2)[%5] (uniform vec4)",
        "32 %4 = deref_array &(*%2)[%6] (uniform vec4)",
        "32 %7 = deref_array &(*%2)[%6] (uniform vec4)",
    )
    assert value_key(dynamic[2]) != value_key(dynamic[3]) == value_key(dynamic[4])


def test_no_key() -> None:
    for line in (
        "32 %2 = undefined",
        "32 %2 = @ddx (%1)",
        "32 %2 = @load_ssbo (%1, %1) (access=none, align_mul=4, align_offset=0)",
        "@terminate",
    ):
        (one,) = instrs(line)
        assert value_key(one) is None


def test_an_element_is_the_same_by_whatever_constant_it_is_named() -> None:
    """A dump prints the number only: two that differ in the constant behind it are the same there."""
    _, _, printed, computed = instrs(
        "32 %2 = deref_var &u (uniform vec4[4])",
        "32 %5 = load_const (0x00000001)",
        "32 %3 = deref_array &(*%2)[1] (uniform vec4)",
        "32 %4 = deref_array &(*%2)[%5] (uniform vec4)",
    )
    assert value_key(printed) == value_key(computed) is not None
