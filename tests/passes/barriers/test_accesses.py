"""Accesses that invocations share, and which may meet."""

from __future__ import annotations

import pytest

from nirls.ir.effects import MemoryModel
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.io_semantics import IoSemantics
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.passes.barriers.accesses import Affine, SharedAccess, only_invocation, shared_access
from tests.passes.barriers.bodies import compute, control
from tests.passes.expectation import parse_body

ONE = "32 %7 = load_const (0x00000001)"


def accesses(shader: Shader) -> list[SharedAccess]:
    impl = shader.entrypoint
    assert impl is not None
    found = [shared_access(instr, shader.stage, MemoryModel(shader)) for instr in impl.instrs()]
    return [access for access in found if access is not None]


@pytest.mark.parametrize(
    ("first", "second", "meet"),
    [
        ("out VAR0.x [%1] = %1", "%9 = load VAR0.x [%0]", True),
        ("out VAR0.x [%1] = %1", "%9 = load VAR0.x [%1]", False),
        ("out VAR0.x [%1] = %1", "%9 = load VAR0.y [%0]", False),
        ("out VAR0.x [%0] = %1", "%9 = load VAR0.x [%0]", True),
        ("%9 = load VAR0.x [%0]", "%10 = load VAR0.x [%1]", False),
        ("patch PATCH0.x = %1", "patch PATCH0.x = %0", True),
        ("32 %8 = mov %1\nout VAR0.x [%8] = %1", "%9 = load VAR0.x [%1]", False),
        (f"{ONE}\n32 %8 = iadd %1, %7\nout VAR0.x [%8] = %1", "%9 = load VAR0.x [%1]", True),
        (f"{ONE}\n32 %8 = iadd %1, %7\nout VAR0.x [%8] = %1", "%9 = load VAR0.x [%8]", False),
        (f"{ONE}\n32 %8 = ishl %1, %7\nout VAR0.x [%8] = %1", "%9 = load VAR0.x [%8]", False),
        (f"{ONE}\n32 %8 = ishl %1, %7\nout VAR0.x [%8] = %1", "%9 = load VAR0.x [%7]", False),
        (f"{ONE}\n32 %8 = ishl %1, %7\nout VAR0.x [%8] = %1", "%9 = load VAR0.x [%1]", True),
        (f"{ONE}\n32 %8 = iand %1, %7\nout VAR0.x [%8] = %1", "%9 = load VAR0.x [%8]", True),
    ],
)
def test_outputs(first: str, second: str, meet: bool) -> None:
    one, two = accesses(control(f"{first}\n{second}"))
    assert one.may_meet(two) is meet
    assert two.may_meet(one) is meet


@pytest.mark.parametrize(
    ("stage", "is_shared"), [("TESS_CTRL", True), ("MESH", True), ("VERTEX", False), ("FRAGMENT", False)]
)
def test_outputs_that_invocations_share(stage: str, is_shared: bool) -> None:
    slot = "FRAG_RESULT_DATA0" if stage == "FRAGMENT" else "VARYING_SLOT_PATCH0"
    store = f"@store_output (%0, %0) (base=0, wrmask=x, component=0, io location={slot} slots=1)"
    shader = parse_body(f"block b0:\n32 %0 = load_const (0x00000000)\n{store}\nblock b1:", stage, valid=False)
    assert len(accesses(shader)) == is_shared


@pytest.mark.parametrize(
    ("stored", "loaded", "slots", "meet"),
    [
        ("%1", "%1", (64, 64), False),
        ("%1", "%0", (64, 64), True),
        ("%8", "%1", (64, 64), True),
        ("%8", "%8", (64, 64), False),
        # Slot 65 + (id - 1) is slot 64 + id.
        ("%9", "%1", (65, 64), False),
        ("%9", "%8", (65, 64), True),
    ],
)
def test_patch_outputs_at_an_offset(stored: str, loaded: str, slots: tuple[int, int], meet: bool) -> None:
    store = f"@store_output (%0, {stored}) (base=0, range=1, wrmask=x, component=0, src_type=float32, {{}})"
    load = f"32 %10 = @load_output ({loaded}) (base=0, range=1, component=0, dest_type=float32, {{}})"
    first, second = (f"io location={slot} slots=3" for slot in slots)
    body = f"{ONE}\n32 %8 = iadd %1, %7\n32 %9 = isub %1, %7\n{store.format(first)}\n{load.format(second)}"
    one, two = accesses(control(body))
    assert one.may_meet(two) is meet
    assert two.may_meet(one) is meet


def test_bytes_of_shared_memory() -> None:
    own, at_0, at_4 = accesses(compute("sst %2 [%3]\n%9 = sld [%0]\n%10 = sld [%1]"))
    assert own.may_meet(at_0)
    assert not at_0.may_meet(at_4)
    assert own.may_meet(own)


def test_memory_of_different_kinds_never_meets() -> None:
    shared, buffer = accesses(compute("sst %2 [%3]\ngst %2"))
    assert not shared.may_meet(buffer)
    assert buffer.may_meet(buffer)
    assert not buffer.synchronizes


def test_atomics_are_seen_by_those_who_do_not_wait() -> None:
    (atomic,) = accesses(compute("32 %9 = @shared_atomic (%0, %1) (base=0, atomic_op=iadd)"))
    assert (atomic.reads, atomic.writes, atomic.synchronizes) == (True, True, True)


def test_values_and_inputs_are_nobody_elses() -> None:
    assert accesses(control("%9 = in VAR0.x [%0]\n32 %10 = fadd %9, %9")) == []


def test_the_one_invocation_that_an_if_lets_through() -> None:
    shader = control("""1 %8 = ieq %1, %0
        if %8 {
            block b1:  // preds: b0
            patch PATCH0.x = %0
        } else {
            block b2:  // preds: b0
            patch PATCH0.y = %0
        }
        block b3:  // preds: b1 b2
    """)
    first, second = accesses(shader)
    assert (first.outputs.only, second.outputs.only) == (0, None)
    assert only_invocation(first.instr) == 0
    assert not first.may_meet(first)
    assert second.may_meet(second)


def test_an_access_without_operands_may_be_anywhere() -> None:
    (whole,) = accesses(control("out VAR0.x [%1] = %1"))
    broken = IntrinsicInstr("load_output", [], {"io_semantics": IoSemantics(32)})
    broken.make_def(9, 1, 32)
    access = shared_access(broken, Stage.TESS_CTRL, MemoryModel(Shader(Stage.TESS_CTRL)))
    assert access is not None
    assert access.may_meet(whole)


def test_indices_are_signed_and_wrap() -> None:
    assert Affine(-1, 0).at(1) == -1
    assert Affine(1, 2).at(3) == 5
    assert Affine(1 << 30, 0).at(2) == -(1 << 31)
