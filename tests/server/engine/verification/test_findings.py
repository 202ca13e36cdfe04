"""Finding on a snapshot that differs: its place, its message and its related places."""

from __future__ import annotations

from dataclasses import replace

from nirls.ir.finding import Finding, Place
from nirls.server.engine.verification.findings import finding_of
from nirls.server.engine.verification.log import ReadLog, read_log
from nirls.server.engine.verification.unit import TransitionVerdict, verify_unit
from tests.passes.shader_text import store
from tests.server.engine.verification.test_transitions import vertex

FIRST = vertex("32 %3 = fadd %2, %1", store("POS", "%3"))
WRONG = vertex("32 %4 = mov %0", "32 %3 = fadd %2, %2", store("POS", "%3"))
LOG = read_log(f"nir_a\n{FIRST}nir_b\n{WRONG}".encode())


def verdict_on(log: ReadLog) -> TransitionVerdict:
    found = verify_unit(log.unit(log.transitions[0]))
    assert found.verdict == "different"
    return found


def text_at(log: ReadLog, place: Place, dumps: tuple[int, int]) -> str:
    """The text of a place whose dump is one of the two given numbers."""
    return log.text(dumps.index(place.dump))[place.start : place.end].decode().strip()


def test_difference_is_at_the_later_snapshot() -> None:
    found = finding_of(LOG, LOG.transitions[0], verdict_on(LOG), (7, 9))
    assert found.code == "different-snapshot"
    assert found.place == Place(9, 0, len("shader:"))
    assert found.message.startswith("nir_b changed what the shader computes: VARYING_SLOT_POS.x: ")
    assert found.data == {"dump": 1}


def test_first_instruction_that_differs_is_related_in_both_snapshots() -> None:
    found = finding_of(LOG, LOG.transitions[0], verdict_on(LOG), (7, 9))
    assert [(one.place.dump, text_at(LOG, one.place, (7, 9)), one.message) for one in found.related] == [
        (7, "32 %3 = fadd %2, %1", "the first instruction that differs, before"),
        (9, "32 %3 = fadd %2, %2", "the same instruction after the pass"),
    ]


def related(verdict: TransitionVerdict) -> list[int]:
    found: Finding = finding_of(LOG, LOG.transitions[0], verdict, (0, 1))
    return [one.place.dump for one in found.related]


def test_unknown_instructions_are_not_related() -> None:
    verdict = verdict_on(LOG)
    assert verdict.instruction is not None
    gone = replace(verdict.instruction, after_line=None)
    assert related(replace(verdict, instruction=gone)) == [0]
    assert related(replace(verdict, instruction=None)) == []


def test_finding_is_on_the_line_of_the_shader_below_directives() -> None:
    log = read_log(f"nir_a\n{FIRST}nir_b\n// nirls: allow(dead-code)\n{WRONG}".encode())
    found = finding_of(log, log.transitions[0], verdict_on(log), (0, 1))
    assert text_at(log, found.place, (0, 1)) == "shader:"
