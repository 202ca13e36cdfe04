"""Seed faults of a broken pass into logs, and tell whether `nirls verify` names exactly that pass.

A fault is a wrong change to one instruction of a snapshot. It is made in the snapshot behind the pass that is
to blame and in all later ones of the shader, as long as the instruction is found again in them.
`python -m tools.corpus --only logs` counts the outcomes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from nirls.ir.analysis.correspondence import correspondence, instr_content
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.verification.log import ReadLog, read_log
from nirls.server.engine.verification.transitions import Transition
from nirls.server.engine.verification.unit import verify_unit
from nirls.verification.options import VerificationOptions
from nirls.verification.snapshots import RunnableSnapshot, compare_snapshots
from nirls.verification.verdict import Different
from tools.corpus.mutations import mutant, mutations

KINDS: dict[str, tuple[str, ...]] = {
    "swapped sources": ("swap sources",),
    "wrong comparison": ("negate a comparison",),
    "wrong component": ("wrong swizzle", "load another component", "store to another component"),
    "dropped store": ("drop a store",),
    "wrong constant": ("change a constant",),
    "another value": (
        "read another value",
        "store another value",
        "wrong phi source",
        "one side of a select",
    ),
    "another place": ("load another slot", "flip an interpolation", "other barycentrics"),
    "wrong discard": ("drop a discard", "negate a discard", "discard across what must stay"),
    "other operation": ("other operation",),
    "missing barrier": ("drop a barrier", "barrier without memory"),
    "another texture": ("another texture", "another sampler", "another binding"),
}
"""The kinds of faults, and the wrong changes that each may be."""

_MOST_TRIALS = 20
_THOROUGH = VerificationOptions(runs=8, most_runs=24, lanes=32, seed=7000)


@dataclass(frozen=True, slots=True)
class SeededFault:
    """A wrong change of a kind to the instruction on `text`, made by the pass of a transition."""

    kind: str
    transition: Transition
    text: str


def seeded(log: ReadLog, kind: str, choice: random.Random) -> tuple[SeededFault, bytes] | None:
    """The log with a fault of a kind at a transition chosen at random; None if there is no place for it."""
    transition = choice.choice([transition for transition in log.transitions if transition.is_changed])
    shader = parse_dump(log.text(transition.after))
    places = list(mutations(shader, KINDS[kind]))
    if not places:
        return None
    mutation = choice.choice(places)
    texts: dict[int, bytes] = {}
    line = ""
    for dump in [one.after for one in log.transitions if one.shader == transition.shader]:
        if dump < transition.after:
            continue
        if dump > transition.after:
            following = parse_dump(log.text(dump))
            place = _place_in(shader, mutation.place, following)
            if place is None:
                break
            shader, mutation = following, replace(mutation, place=place)
            if mutation not in set(mutations(shader)):
                break
        changed, text = mutant(shader, mutation)
        line = line or text
        texts[dump] = apply_edits(shader.source, text_edits(shader, changed))
    if texts[transition.after] == log.text(transition.after):
        return None
    return SeededFault(kind, transition, line), _with(log.snapshot, texts)


def _instrs(shader: Shader) -> list[Instr]:
    return [] if shader.entrypoint is None else list(shader.entrypoint.instrs())


def _place_in(shader: Shader, place: int, following: Shader) -> int | None:
    """Return the position of an instruction in the next snapshot, None if it has no counterpart."""
    first, second = shader.entrypoint, following.entrypoint
    if first is None or second is None:
        return None
    instr, others = _instrs(shader)[place], _instrs(following)
    if instr.def_ is not None:
        for twin, value in correspondence(first, second).values.items():
            if value is instr.def_ and twin.instr is not None:
                return others.index(twin.instr)
        return None
    content = instr_content(instr)
    alike = [instr for instr in _instrs(shader) if instr_content(instr) == content]
    twins = [number for number, one in enumerate(others) if instr_content(one) == content]
    return twins[alike.index(instr)] if len(alike) == len(twins) else None


def _with(snapshot: Snapshot, texts: Mapping[int, bytes]) -> bytes:
    dumps = {dump.index: texts[dump.number] for dump in snapshot.dumps() if dump.number in texts}
    return b"".join(dumps.get(number, piece.text) for number, piece in enumerate(snapshot.pieces))


@dataclass(frozen=True, slots=True)
class FaultOutcome:
    """The verdict on the transition of a fault; `is_visible` False if no run shows that it matters."""

    fault: SeededFault
    verdict: str
    reason: str
    is_visible: bool


def outcomes(logs: Sequence[ReadLog], count: int, seed: int = 1) -> Iterator[FaultOutcome]:
    """Seed so many faults, kinds and logs in turn, and verify the transition of each.

    Logs in which no pass changed anything are left out.
    """
    logs = [log for log in logs if any(transition.is_changed for transition in log.transitions)]
    if not logs:
        return
    choice = random.Random(seed)
    kinds = list(KINDS)
    made = failed = 0
    while made < count:
        turn = made + failed // _MOST_TRIALS
        log, kind = logs[turn % len(logs)], kinds[turn // len(logs) % len(kinds)]
        found = seeded(log, kind, choice)
        if found is None:
            failed += 1  # a log may have no place at all for a kind
            continue
        made += 1
        fault, text = found
        broken = read_log(text)
        transition = next(
            transition for transition in broken.transitions if transition.after == fault.transition.after
        )
        verdict = verify_unit(broken.unit(transition))
        is_visible = verdict.verdict == "different" or _is_visible(log, broken, transition)
        yield FaultOutcome(fault, verdict.verdict, verdict.reason, is_visible)


def _is_visible(log: ReadLog, broken: ReadLog, transition: Transition) -> bool:
    """Whether the snapshot with the fault does something else than without, on many more runs."""
    right, wrong = (RunnableSnapshot(parse_dump(one.text(transition.after))) for one in (log, broken))
    return isinstance(compare_snapshots(right, wrong, "", _THOROUGH).verdict, Different)
