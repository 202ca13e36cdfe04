"""Proof that two shaders compute the same, by numbering the values of both at once.

Two values have the same number if they are the same operation on values with the same numbers. If all
branches, stores and other instructions with effects correspond one to one and read values with the same
numbers, every execution of one shader is an execution of the other, whatever the operations mean. This
decides what runs cannot: operations without a known meaning, undefined values, code that is never reached.
Where a pass replaces a computation by another one, operations with a known meaning have normal forms
(`algebra`) that are equal bit for bit, those of inexact floats as functions of real numbers.

The numbering is Simpson's reverse postorder algorithm ("Value-Driven Redundancy Elimination", 1996); the use
for validation is that of Tristan, Govereau and Morrisett ("Evaluating Value-Graph Translation Validation for
LLVM", PLDI 2011). Only Mesa's tables say what may be removed and repeated; what they do not list may not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def
from nirls.verification.proof.algebra import Algebra
from nirls.verification.proof.body_proof import BodyProof
from nirls.verification.proof.context import Context
from nirls.verification.proof.prepared import Prepared, prepared
from nirls.verification.proof.values import Owner, UnprovedError

_LINKED = ([Stage.VERTEX, Stage.FRAGMENT], [Stage.TESS_EVAL, Stage.FRAGMENT])


def same_expressions(
    before: Shader | Prepared, after: Shader | Prepared, *, new_outputs_count: bool = True
) -> bool:
    """Return whether both shaders have the same effects on the same values; False if that is not certain.

    The store of an undefined value to an output may be missing after; without `new_outputs_count`, it may be
    new too.
    """
    one, other = prepared(before), prepared(after)
    if len(one.surroundings.functions) != len(other.surroundings.functions):
        one = one.inlined
    context = Context.of(one, other, new_outputs_count=new_outputs_count)
    return context is not None and all(_proof(context, impls) is not None for impls in context.bodies)


def same_linked_expressions(before: Sequence[Shader | Prepared], after: Sequence[Shader | Prepared]) -> bool:
    """Return whether a fragment shader and the stage in front of it have the same effects as before.

    Varyings may change their slots, be shared or disappear: a load of one is an interpolation of the value
    that the first stage stores, and interpolation depends on the values at the vertices and on how it is
    done, not on the slot. Operations may move from one stage to the other (`LinkedInputs`). False if the
    result is not certain.
    """
    if [prepared(shader).shader.stage for shader in before] not in _LINKED or len(after) != len(before):
        return False
    contexts = [Context.of(*sides, new_outputs_count=True) for sides in zip(before, after, strict=True)]
    producer, consumer = contexts
    if producer is None or consumer is None or not producer.is_alone or not consumer.is_alone:
        return False
    first = _proof(replace(producer, feeds_next=True), producer.bodies[0])
    stored = None if first is None else first.stored()
    if stored is None:
        return False
    if producer.controls != consumer.controls:
        # An operation may not mean the same in both stages.
        stored = replace(stored[0], numbers={}), replace(stored[1], numbers={})
    return _proof(replace(consumer, stored=stored), consumer.bodies[0]) is not None


def numbering(before: Shader | Prepared, after: Shader | Prepared) -> BodyProof | None:
    """Number the values of two shaders with one function each, operations as they are; None if that fails."""
    context = Context.of(before, after, new_outputs_count=True)
    if context is None or not context.is_alone:
        return None
    with suppress(UnprovedError, IndexError):
        numbers = BodyProof(context, context.bodies[0])
        if numbers.reaches_fixed_point():
            return numbers
    return None


def _proof(context: Context, impls: tuple[FunctionImpl, FunctionImpl]) -> BodyProof | None:
    """Compare two bodies with all ifs, then with some flattened; None if they may differ."""
    for flattens in (False, True):
        # Invalid instructions may have too few sources.
        with suppress(UnprovedError, IndexError):
            for proof in _attempts(context, impls, flattens):
                if flattens and not proof.is_flattened:
                    return None
                if proof.holds():
                    return proof
    return None


def _attempts(
    context: Context, impls: tuple[FunctionImpl, FunctionImpl], flattens: bool
) -> Iterator[BodyProof]:
    """Yield proofs with operations as they are, then in normal form.

    What cancels disappears where the second shader has no such operation of the same number, then nowhere,
    then everywhere. It disappears nowhere first if no operations on constants are gone.
    """
    proof = partial(BodyProof, context, impls, flattens=flattens)
    yield proof()
    before, after = context.sides

    def is_gone(owner: Owner) -> bool:
        if not isinstance(owner, Def) or not isinstance(owner.instr, AluInstr):
            return True
        return (owner.index, owner.instr.op) not in after.operations

    ways = [partial(Algebra, cancels=is_gone), partial(Algebra, cancels=lambda _: False)]
    if before.constant_operands == after.constant_operands:
        ways.reverse()
    first = proof(algebra=ways[0])
    yield first
    if first.algebra is not None and (first.algebra.has_cancelled or first.algebra.has_kept):
        yield proof(algebra=ways[1])
        yield proof(algebra=partial(Algebra, cancels=lambda _: True, reduces=True))
