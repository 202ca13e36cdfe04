"""Text files about a transition: what explains the verdict `different`, and a unit test for Mesa."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.mesa_test import NotBuildableError
from nirls.server.engine.verification.mesa_test import api_for, mesa_test_of
from nirls.server.engine.verification.reduction import reduce_transition
from nirls.server.engine.verification.unit import TransitionUnit, TransitionVerdict
from nirls.server.ide.history.snapshot_diff import texts_of_dumps

REDUCE_SECONDS = 120.0


def counterexample_text(pass_name: str, verdict: TransitionVerdict) -> str:
    """Format the inputs, the first output that differs, and the first instruction that differs."""
    example, start = verdict.counterexample, verdict.instruction
    if example is None:
        return f"{pass_name}: {verdict.verdict}: {verdict.reason}\n"
    lines = [
        f"{pass_name}: {example.summary}",
        f"invocation {example.lane} of seed {example.seed} ({example.input_kind})",
        "",
        "inputs",
        *(f"    {value}" for value in example.inputs),
    ]
    if start is not None:
        lines += ["", "first instruction that gives another value", f"    before  {start.before}"]
        lines += [f"    after   {start.after or 'nothing'}", "", "values"]
        lines += [
            f"    {value.before_name} = {value.before} before, {value.after_name} = {value.after} after"
            for value in start.values
        ]
    return "\n".join(lines) + "\n"


def difference_text(unit: TransitionUnit, verdict: TransitionVerdict) -> str:
    """Format the first instruction that differs, and both snapshots as a unified diff."""
    start = verdict.instruction
    head = ""
    if start is not None:
        added = f"+{start.after}\n" if start.after else ""
        head = f"-{start.before}\n{added}\n"
    texts = texts_of_dumps(unit.before, unit.after)
    return head + texts.unified(f"before {unit.pass_name}", f"after {unit.pass_name}")


def reduced_text(unit: TransitionUnit) -> str | None:
    """Reduce the transition to a small log; None if the two snapshots alone do not differ."""
    reduced_transition = reduce_transition(unit, REDUCE_SECONDS)
    return (
        None
        if reduced_transition is None
        else reduced_transition.log(unit.pass_name).decode("utf-8", "replace")
    )


@dataclass(frozen=True, slots=True)
class MesaTest:
    """A unit test for Mesa; without `text`, `problem` names what cannot be built."""

    text: str | None
    problem: str = ""
    notes: tuple[str, ...] = ()


def mesa_test_text(
    before: bytes,
    after: bytes,
    pass_name: str,
    verdict: TransitionVerdict | None,
    unprinted: tuple[str, ...] = (),
) -> MesaTest:
    """Write the unit test of a pass from two snapshots, for the Mesa that printed them."""
    unit = TransitionUnit(before, after, pass_name, unprinted=unprinted)
    is_wrong = verdict is not None and verdict.verdict == "different"
    changed = texts_of_dumps(before, after).unified() if is_wrong else ""
    try:
        test = mesa_test_of(unit, verdict, api_for(before), changed_lines=changed)
    except NotBuildableError as error:
        return MesaTest(None, ", ".join(error.reasons))
    return MesaTest(test.text, notes=test.notes)
