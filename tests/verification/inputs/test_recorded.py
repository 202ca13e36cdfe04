from __future__ import annotations

from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.inputs.recorded import recorded_run
from tests.passes.shader_text import ONE, ZERO, shader, store


def test_values_at_the_end_of_a_run() -> None:
    lines = ("32 %2 = undefined", "32 %3 = vec2 %1, %2".replace("32", "32x2"), store("VAR0"))
    machine = Machine(shader("VERTEX", ZERO, ONE, *lines))
    recorded = recorded_run(machine, Environment(1, draws=2), 4, RunOptions())
    defs = {value.index: value for value in machine.program.defs}
    assert recorded.bits(defs[1], 0, 3) == 0x3F800000
    assert recorded.bits(defs[3], 0, 3) == 0x3F800000
    assert recorded.bits(defs[3], 1, 3) is None, "undefined"
    assert recorded.bits(defs[3], 2, 3) is None, "no such component"
    assert recorded.known(None) is None
    assert len(recorded.draw) == recorded.launch.lanes


def test_private_stores_are_found_by_what_they_store() -> None:
    lines = (
        "32 %2 = undefined",
        *(f"@store_scratch (%{value}, %0) (wrmask=x, align_mul=4, align_offset=0)" for value in (1, 0, 2, 1)),
        store("VAR0"),
    )
    machine = Machine(shader("VERTEX", ZERO, ONE, *lines, header=["scratch: 4"]))
    recorded = recorded_run(machine, Environment(1, draws=2), 4, RunOptions())
    defs = {value.index: value for value in machine.program.defs}
    assert recorded.private_stores(0x3F800000, 2) == [(defs[1], 0), (defs[1], 0)]
    assert (defs[2], 0) not in recorded.private_stores(0, 2), "undefined"
    assert recorded.private_stores(7, 2) == ()
