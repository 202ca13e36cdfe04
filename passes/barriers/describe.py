"""Descriptions of barriers: their effect in words, and the instructions that they order."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.model.control_flow import FunctionImpl, If, Loop
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.passes.barriers.accesses import SharedAccess
from nirls.passes.barriers.effects import DEVICE, SUBGROUP, WORKGROUP, BarrierEffect, barrier_effect
from nirls.passes.barriers.order import judge
from nirls.passes.barriers.regions import Barrier, Events

_WAITS = {SUBGROUP: "the subgroup", WORKGROUP: "the workgroup", DEVICE: "the device"}
_CLASS_NAMES = {
    "buffer": "buffers",
    "image": "images",
    "shared": "shared memory",
    "shader_out": "outputs",
    "task_payload": "the task payload",
}


@dataclass(frozen=True, slots=True, eq=False)
class BarrierDescription:
    """A sentence on what the barrier does, and the accesses before and after it that only it orders.

    `needless` says why it orders nothing, "" if it does. `before` and `after` may hold barriers too, where
    what is ordered is an access against a wait.
    """

    effect: str
    before: tuple[Instr, ...]
    after: tuple[Instr, ...]
    needless: str = ""


def describe_barrier(shader: Shader, instr: Instr) -> BarrierDescription | None:
    """The description of a barrier; None for other instructions, and outside of functions."""
    effect = barrier_effect(instr)
    impl = _function_of(instr)
    if effect is None or impl is None:
        return None
    events = Events(shader, impl)
    barrier = next((one for one in events.barriers() if one.instr is instr), None)
    if barrier is None:
        return None
    judgement = judge(events, barrier)
    words = _effect_in_words(effect, is_patch="TESS_CTRL" in str(shader.stage))
    if judgement.is_needless:
        return BarrierDescription(words, (), (), judgement.reason)
    pairs = [pair for pair in judgement.ordered if not _is_itself(pair.before, barrier)]
    return BarrierDescription(
        words,
        tuple(dict.fromkeys(pair.before.instr for pair in pairs)),
        tuple(dict.fromkeys(pair.after.instr for pair in pairs)),
    )


def _is_itself(one: SharedAccess | Barrier, barrier: Barrier) -> bool:
    """A barrier of a function whose callers are not known is paired with itself."""
    return one is barrier


def _effect_in_words(effect: BarrierEffect, *, is_patch: bool) -> str:
    parts = []
    if effect.waits:
        group = _WAITS.get(effect.waits, "the queue family")
        if is_patch and effect.waits == WORKGROUP:
            group = "the patch"
        parts.append(f"waits for all invocations of {group}")
    classes = [_CLASS_NAMES[name] for name in sorted(effect.classes)]
    if classes and (effect.releases or effect.acquires):
        verbs = [
            verb for verb, does in (("releases", effect.releases), ("acquires", effect.acquires)) if does
        ]
        parts.append(f"{' and '.join(verbs)} {', '.join(classes)}")
    text = "; ".join(parts) or "does nothing at all"
    return f"{text[0].upper()}{text[1:]}."


def _function_of(instr: Instr) -> FunctionImpl | None:
    at = None if instr.block is None else instr.block.parent
    while isinstance(at, If | Loop):
        at = at.parent
    return at
