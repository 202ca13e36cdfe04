"""Text files that explain a transition with the verdict `different`."""

from __future__ import annotations

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
