"""What a barrier orders, for people."""

from __future__ import annotations

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.passes.barriers.describe import BarrierDescription, describe_barrier
from tests.passes.barriers.bodies import barriers, compute, control


def names(instrs: object) -> list[str]:
    return [instr.name for instr in instrs if isinstance(instr, IntrinsicInstr)]  # type: ignore[attr-defined]


def described(body: str, number: int = 0) -> BarrierDescription:
    shader = control(body)
    found = describe_barrier(shader, barriers(shader)[number])
    assert found is not None
    return found


def test_what_comes_before_what() -> None:
    found = described("out VAR0.x [%1] = %1\nbarrier\n%9 = load VAR0.x [%0]\nout VAR1.x [%1] = %9")
    assert found.effect == "Waits for all invocations of the patch; releases and acquires outputs."
    assert names(found.before) == ["store_per_vertex_output"]
    assert names(found.after) == ["load_per_vertex_output"]
    assert not found.needless


def test_nothing() -> None:
    found = described("out VAR0.x [%1] = %1\nbarrier\nout VAR1.x [%1] = %1")
    assert found.before == found.after == ()
    assert found.needless == "no access after it conflicts with an access of another invocation before it"


def test_memory_against_a_wait() -> None:
    shader = compute("sst %2 [%3]\nfence shared\nwait image\n%9 = sld [%0]\ngst %9")
    fence, wait = barriers(shader)
    found = describe_barrier(shader, fence)
    assert found is not None
    assert found.effect == "Releases and acquires shared memory."
    assert names(found.after) == ["barrier"] or names(found.after) == ["load_shared"]
    assert describe_barrier(shader, wait) is not None


def test_other_instructions_are_no_barriers() -> None:
    shader = control("out VAR0.x [%1] = %1")
    impl = shader.entrypoint
    assert impl is not None
    assert all(describe_barrier(shader, instr) is None for instr in impl.instrs())
