"""Proof that two shaders compute the same, by numbering the values of both at once.

Two values have the same number if they are the same operation on values with the same numbers. If all
branches, stores and other instructions with effects correspond one to one and read values with the same
numbers, every execution of one shader is an execution of the other, whatever the operations mean. This
decides what runs cannot: operations without a known meaning, undefined values, code that is never reached. It
proves nothing where a pass replaces a computation by another one.

The numbering is Simpson's reverse postorder algorithm ("Value-Driven Redundancy Elimination", 1996); the use
for validation is that of Tristan, Govereau and Morrisett ("Evaluating Value-Graph Translation Validation for
LLVM", PLDI 2011). Only Mesa's tables say what may be removed and repeated; what they do not list may not.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.passes.translation_validation.proof.body_proof import BodyProof
from nirls.passes.translation_validation.proof.chains import ChainFlow, UnprovedError
from nirls.passes.translation_validation.proof.context import Context
from nirls.passes.translation_validation.proof.private_variables import PrivateVariables
from nirls.passes.translation_validation.proof.surroundings import ambiguous_names

_LINKED = ([Stage.VERTEX, Stage.FRAGMENT], [Stage.TESS_EVAL, Stage.FRAGMENT])


def same_expressions(before: Shader, after: Shader, *, new_outputs_count: bool = True) -> bool:
    """Return whether both shaders have the same effects on the same values; False if that is not certain.

    The store of an undefined value to an output may be missing after; without `new_outputs_count`, it may be
    new too.
    """
    context = Context.of(before, after, new_outputs_count=new_outputs_count)
    return context is not None and all(_proof(context, impls) is not None for impls in context.bodies)


def same_linked_expressions(before: Sequence[Shader], after: Sequence[Shader]) -> bool:
    """Return whether a fragment shader and the stage in front of it have the same effects as before.

    Varyings may change their slots, be shared or disappear: a load of one is an interpolation of the value
    that the first stage stores, and interpolation depends on the values at the vertices and on how it is
    done, not on the slot. False if the result is not certain.
    """
    if [shader.stage for shader in before] not in _LINKED or len(after) != len(before):
        return False
    contexts = [Context.of(*sides, new_outputs_count=True) for sides in zip(before, after, strict=True)]
    producer, consumer = contexts
    if producer is None or consumer is None or not producer.is_alone or not consumer.is_alone:
        return False
    first = _proof(replace(producer, feeds_next=True), producer.bodies[0])
    values = None if first is None else first.varyings()
    if values is None:
        return False
    return _proof(replace(consumer, varyings=values), consumer.bodies[0]) is not None


def _proof(context: Context, impls: tuple[FunctionImpl, FunctionImpl]) -> BodyProof | None:
    """Compare two bodies, with all ifs and without those that do nothing; None if they may differ."""
    # Invalid instructions may have too few sources.
    with suppress(UnprovedError, IndexError):
        sides = _private_variables(context, impls)
        for skips_dead_ifs in (False, True):
            flows = [ChainFlow(*side, skips_dead_ifs) for side in zip(impls, sides, strict=True)]
            if skips_dead_ifs and not any(flow.has_dead_ifs for flow in flows):
                return None
            with suppress(UnprovedError, IndexError):
                proof = BodyProof(context, impls, sides, flows)
                if proof.holds():
                    return proof
    return None


def _private_variables(
    context: Context, impls: tuple[FunctionImpl, FunctionImpl]
) -> tuple[PrivateVariables, ...]:
    ambiguous = ambiguous_names(context.shaders, impls)
    return tuple(
        PrivateVariables(shader, impl, shader_temps=context.is_alone, ambiguous=ambiguous)
        for shader, impl in zip(context.shaders, impls, strict=True)
    )
