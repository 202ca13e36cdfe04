"""Places of lowered inputs and outputs."""

from __future__ import annotations

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.verification.evaluate.steps.io_places import IoPlace, io_place
from tests.verification.evaluate.shader_text import shader_of, store


def first_store(line: str) -> IntrinsicInstr:
    shader = shader_of(
        f"    block b0:   // preds:\n    32     %0 = load_const (0x00000000)\n{line}\n                // succs: b99"  # noqa: E501
    )
    entry = shader.entrypoint
    assert entry is not None
    return next(instr for instr in entry.instrs() if isinstance(instr, IntrinsicInstr))


def test_semantics_say_the_slot() -> None:
    line = store("0", "0", "VARYING_SLOT_VAR3", 2).replace("slots=1", "slots=2 high_16bits")
    assert io_place(first_store(line)) == IoPlace(35, 2, True, "float")
    assert io_place(first_store(line.replace("float32", "uint16"))).base == "uint"


def test_unknown_slots_are_told_apart_by_their_base() -> None:
    line = store("0", "0").replace("io location=VARYING_SLOT_VAR0 slots=1, ", "")
    first, second = io_place(first_store(line)), io_place(first_store(line.replace("base=0", "base=1")))
    assert first.slot != second.slot
    assert first.slot < 0


def test_vectors_run_on_into_the_next_slot() -> None:
    place = IoPlace(32, 2, False, "float")
    assert [place.at(number, 32) for number in range(3)] == [(32, 2), (32, 3), (33, 0)]
    assert [place.at(number, 64) for number in range(2)] == [(32, 2), (33, 0)]


def test_halves_of_a_dvec4_attribute_are_apart() -> None:
    line = (
        "    32x4   %1 = @load_input (%0) (base=0, component=0, dest_type=uint32,"
        " io location=VERT_ATTRIB_GENERIC0 slots=1)"
    )
    low, high = (
        io_place(first_store(line)),
        io_place(first_store(line.replace("slots=1", "slots=1 high_dvec2"))),
    )
    assert [low.at(number, 32) for number in range(4)] == [(low.slot, number) for number in range(4)]
    assert [high.at(number, 32) for number in range(4)] == [(low.slot + 1, number) for number in range(4)]
