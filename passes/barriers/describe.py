"""Descriptions of barriers for hover: the effect in words, and the ordered instructions."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.effects.barriers import DEVICE, SUBGROUP, WORKGROUP, BarrierEffect, barrier_effect
from nirls.ir.model.control_flow import FunctionImpl, If, Loop
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.passes.barriers.order import judge
from nirls.passes.barriers.regions import BodyEvents

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
    """The effect of a barrier in one sentence, and the accesses that only this barrier orders.

    `needless` is the reason why it orders nothing, "" if it orders something. `before` and `after` can also
    hold barriers: a memory barrier can order an access relative to an execution barrier. One of them is empty
    where the barrier orders accesses of other shaders, such as a later stage or one that the driver merges
    with this one; both are where it orders those of unknown callers.
    """

    effect: str
    before: tuple[Instr, ...]
    after: tuple[Instr, ...]
    needless: str = ""


def describe_barrier(shader: Shader, instr: Instr) -> BarrierDescription | None:
    """Describe a barrier; None for other instructions, and for instructions outside a function."""
    effect = barrier_effect(instr)
    impl = _function_of(instr)
    if effect is None or impl is None:
        return None
    events = BodyEvents(shader, impl)
    barrier = next((barrier for barrier in events.barriers() if barrier.instr is instr), None)
    if barrier is None:
        return None
    judgement = judge(events, barrier)
    words = _effect_in_words(effect, is_patch="TESS_CTRL" in str(shader.stage))
    if judgement.is_needless:
        return BarrierDescription(words, (), (), judgement.reason)
    pairs = judgement.ordered
    return BarrierDescription(
        words,
        tuple(dict.fromkeys(pair.before.instr for pair in pairs if pair.before is not barrier)),
        tuple(dict.fromkeys(pair.after.instr for pair in pairs if pair.after is not barrier)),
    )


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
