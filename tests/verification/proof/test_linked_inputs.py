from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.proof.same_expressions import same_linked_expressions
from tests.verification.proof.forwarding_shaders import (
    UNIFORM,
    parsed,
    producer,
    put_x,
    scalar,
    varyings,
)

Lines = tuple[str, ...]
Side = tuple[Lines, Lines, str]
"""Lines of the vertex shader, lines of the fragment shader, and the value of its color."""

A, B, U = "32 %31 = mov %36.x", "32 %33 = mov %36.y", "32 %35 = mov %4.x"
"""Two attributes and a uniform."""

STORED_A, STORED_B, STORED_U = (A, put_x("%31")), (B, put_x("%33", "VAR1")), (U, put_x("%35", "VAR2"))
READ_A, READ_B, READ_U = scalar(31, "VAR0"), scalar(33, "VAR1"), scalar(35, "VAR2")
PRESERVED = f"float_controls_execution_mode: 0x00000090\n{UNIFORM}"
FLUSHED = f"float_controls_execution_mode: 0x00002000\n{UNIFORM}"


def flat(number: int, slot: str) -> str:
    return (
        f"32 %{number} = @load_input (%0) (base=0, range=0, component=0, dest_type=float32, "
        f"io location=VARYING_SLOT_{slot} slots=1)"
    )


def pair(side: Side, declared: tuple[str, str] = (UNIFORM, UNIFORM)) -> tuple[Shader, Shader]:
    first, second, value = side
    return producer(*first, declared=declared[0]), varyings(*second, value=value, declared=declared[1])


def moved(operation: str, *, is_flat: bool = False) -> tuple[Side, Side]:
    """An operation on varyings and the uniform, behind the interpolation and in front of it."""
    read_a, read_b = (flat(31, "VAR0"), flat(33, "VAR1")) if is_flat else (READ_A, READ_B)
    behind = (*STORED_A, *STORED_B), (read_a, read_b, U, operation), "%37"
    read = flat(37, "VAR0") if is_flat else scalar(37, "VAR0")
    in_front = (A, B, U, operation, put_x("%37")), (read,), "%37"
    return behind, in_front


@pytest.mark.parametrize(
    ("operation", "may_move"),
    [
        ("32 %37 = fadd %31, %33", True),
        ("32 %37 = fadd %31, %35", True),
        ("32 %37 = fsub %35, %31", True),
        ("32 %37 = fneg %31", True),
        ("32 %37 = fmul %31, %35", True),
        ("32 %37 = ffma %35, %31, %33", True),
        ("32 %37 = fdiv %31, %35", True),
        ("32 %37 = flrp %31, %33, %35", True),
        # Not linear, exact, or of another size.
        ("32 %37 = fmul %31, %33", False),
        ("32 %37 = ffma %31, %33, %35", False),
        ("32 %37 = fdiv %35, %31", False),
        ("32 %37 = flrp %31, %33, %31", False),
        ("32 %37 = fabs %31", False),
        ("32 %37 = fmax %31, %35", False),
        ("32 %37 = iadd %31, %33", False),
        ("32 %37 = fadd! %31, %33", False),
        ("32 %37 = fadd.sat %31, %33", False),
    ],
)
def test_operations_that_commute_with_interpolation(operation: str, may_move: bool) -> None:
    behind, in_front = map(pair, moved(operation))
    assert same_linked_expressions(behind, in_front) is may_move
    # What is read flat is the value of one vertex, whatever the operation.
    behind, in_front = map(pair, moved(operation, is_flat=True))
    assert same_linked_expressions(behind, in_front)


@pytest.mark.parametrize("declared", [(PRESERVED, PRESERVED), (FLUSHED, FLUSHED), (UNIFORM, FLUSHED)])
def test_float_controls_stop_motion_across_interpolation(declared: tuple[str, str]) -> None:
    behind, in_front = (pair(side, declared) for side in moved("32 %37 = fadd %31, %33"))
    assert same_linked_expressions(behind, behind)
    assert not same_linked_expressions(behind, in_front)


def test_another_operation_is_another_value() -> None:
    behind = pair(moved("32 %37 = fadd %31, %33")[0])
    for other in ("fsub %31, %33", "fadd %31, %35", "fadd %31, %31", "fadd %31, %36.z"):
        in_front = pair(((A, B, U, f"32 %37 = {other}", put_x("%37")), (scalar(37, "VAR0"),), "%37"))
        assert not same_linked_expressions(behind, in_front)


def test_two_readings_of_a_varying_are_two_values() -> None:
    def difference(first: str, second: str) -> tuple[Shader, Shader]:
        reads = scalar(31, "VAR0", point=first), scalar(33, "VAR0", point=second)
        return pair((STORED_A, (*reads, "32 %37 = fsub! %31, %33"), "%37"))

    assert same_linked_expressions(difference("%8", "%9"), difference("%8", "%9"))
    assert not same_linked_expressions(difference("%8", "%9"), difference("%8", "%8"))
    assert not same_linked_expressions(difference("%8", "%9"), difference("%9", "%8"))


FLUSH = "32 %38 = load_const (0x00000000)", "32 %39 = ffma! %35, %38, %35"
INTERPOLATED: Side = STORED_U, (READ_U,), "%35"
DIRECT: Side = (), (U,), "%35"
OTHER_UNIFORM: Side = (), ("32 %35 = mov %4.y",), "%35"
FLAT: Side = STORED_U, (flat(35, "VAR2"),), "%35"
FLUSHING: Side = (), (U, *FLUSH), "%39"
OF_BLOCK = (
    "32 %40 = load_const (0x00000001)",
    ("32 %35 = @load_ubo (%40, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=16)"),
)


def block_read(lines: Lines) -> Side:
    """A varying with a component of a block."""
    return (*lines, put_x("%35", "VAR2")), (READ_U,), "%35"


OF_DESCRIPTOR = (
    "32x2 %43 = @vulkan_resource_index (%0) (desc_set=0, binding=1, desc_type=UBO)",
    "32x2 %44 = @load_vulkan_descriptor (%43) (desc_type=UBO)",
    "32 %40 = mov %44.x",
    OF_BLOCK[1],
)
OF_OTHER_DESCRIPTOR = OF_DESCRIPTOR[0].replace("binding=1", "binding=2"), *OF_DESCRIPTOR[1:]


@pytest.mark.parametrize(
    ("before", "after", "declared", "is_proved"),
    [
        # A uniform needs no varying. The other way around, interpolation may change the bits of an integer.
        (INTERPOLATED, DIRECT, UNIFORM, True),
        (DIRECT, INTERPOLATED, UNIFORM, False),
        (FLAT, DIRECT, UNIFORM, True),
        (DIRECT, FLAT, UNIFORM, True),
        (FLAT, INTERPOLATED, UNIFORM, False),
        (INTERPOLATED, (STORED_U, (scalar(35, "VAR2", point="%9"),), "%35"), UNIFORM, True),
        # Another uniform, and a block whose number is that of the stage.
        (INTERPOLATED, OTHER_UNIFORM, UNIFORM, False),
        (block_read(OF_BLOCK), ((), OF_BLOCK, "%35"), UNIFORM, False),
        (block_read(OF_DESCRIPTOR), ((), OF_DESCRIPTOR, "%35"), UNIFORM, True),
        (block_read(OF_DESCRIPTOR), ((), OF_OTHER_DESCRIPTOR, "%35"), UNIFORM, False),
        # Where infinities count, interpolation makes them NaN.
        (INTERPOLATED, DIRECT, PRESERVED, False),
        (INTERPOLATED, FLUSHING, PRESERVED, True),
        (FLAT, DIRECT, PRESERVED, True),
        (FLAT, FLUSHING, PRESERVED, False),
    ],
)
def test_uniforms(before: Side, after: Side, declared: str, is_proved: bool) -> None:
    sides = (pair(side, (declared, declared)) for side in (before, after))
    assert same_linked_expressions(*sides) is is_proved


LOOP = """    // succs: b1
    loop {{
        block b1:  // preds: b0 b3
        32 %41 = phi b0: %31, b3: %42
        {}
        1 %43 = flt %41, %33
        // succs: b2 b3
        if %43 {{
            block b2:  // preds: b1
            break
            // succs: b4
        }} else {{
            block b3:  // preds: b1
            32 %42 = fadd %41, %33
            // succs: b1
        }}
    }}
    block b4:  // preds: b2
    // succs: b5
    block b5:
}}"""
END = "    // succs: b1\n    block b1:\n}"


def looping(*lines: str, behind: Lines = ()) -> Shader:
    """A vertex shader that stores in a loop and behind it."""
    text = producer(A, B).source.decode()
    assert END in text
    end = "    block b4:  // preds: b2\n"
    loop = LOOP.format("\n        ".join(lines)).replace(end, end + "\n".join(("", *behind, "")))
    return parsed(text.replace(END, loop))


def test_operations_in_loops_stay() -> None:
    operation = "32 %37 = fadd %41, %33"
    behind = (
        looping(put_x("%41"), put_x("%33", "VAR1")),
        varyings(scalar(41, "VAR0"), READ_B, operation, value="%37"),
    )
    in_front = looping(operation, put_x("%37")), varyings(scalar(37, "VAR0"), value="%37")
    assert same_linked_expressions(behind, behind)
    assert same_linked_expressions(in_front, in_front)
    assert not same_linked_expressions(behind, in_front)
    last = looping(behind=(operation, put_x("%37"))), in_front[1]
    assert same_linked_expressions(last, last)
    before_last = looping(behind=(put_x("%41"), put_x("%33", "VAR1"))), behind[1]
    assert not same_linked_expressions(before_last, last)


def test_stages_of_another_kind_are_not_proved() -> None:
    first, second = pair(INTERPOLATED)
    assert not same_linked_expressions((first, second), (first, first))
    assert not same_linked_expressions((first, second), (second, second))
