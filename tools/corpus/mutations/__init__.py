"""Wrong changes to a shader, of the kinds that a buggy pass makes; see `tools.corpus.mutants`.

A kind is a function that yields the ways to apply it to an instruction or an if; `mutant` applies one to a
copy. Places are numbers of instructions or ifs in printed order, so that they mean the same in every copy.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import FunctionImpl, If
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from tools.corpus.mutations import arithmetic, control, interface, memory, values

_KINDS = {**arithmetic.KINDS, **values.KINDS, **memory.KINDS, **interface.KINDS, **control.KINDS}
_IF_KINDS = control.IF_KINDS

KINDS: tuple[str, ...] = (*_KINDS, *_IF_KINDS)
"""Every kind of wrong change, in the order of the report."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """A wrong change: its kind, the place in printed order, and which of several there."""

    kind: str
    place: int
    variant: int = 0


def mutations(shader: Shader, kinds: Collection[str] = KINDS) -> Iterator[Mutation]:
    """Return all wrong changes of these kinds that can be made to the entry function."""
    impl = shader.entrypoint
    if impl is None:
        return
    for place, instr in enumerate(impl.instrs()):
        for kind, ways in _KINDS.items():
            if kind in kinds:
                for variant, _ in enumerate(ways(impl, instr)):
                    yield Mutation(kind, place, variant)
    for place, node in enumerate(_ifs(impl)):
        for kind, if_ways in _IF_KINDS.items():
            if kind in kinds and node.condition.def_ is not None:
                for variant, _ in enumerate(if_ways(impl, node)):
                    yield Mutation(kind, place, variant)


def mutant(shader: Shader, mutation: Mutation) -> tuple[Shader, str]:
    """Return a copy with the wrong change made, and the text of the line that it was made to."""
    copy = clone_shader(shader)
    impl = copy.entrypoint
    if impl is None:
        raise ValueError("no entry function to change")
    if mutation.kind in _IF_KINDS:
        node = _ifs(impl)[mutation.place]
        line = f"if %{node.condition.ssa.index}"
        changes = _IF_KINDS[mutation.kind](impl, node)
    else:
        instr = next(islice(impl.instrs(), mutation.place, None))
        line = _line(shader, instr)
        changes = _KINDS[mutation.kind](impl, instr)
    next(islice(changes, mutation.variant, None))()
    impl.link_blocks()
    return copy, line


def _line(shader: Shader, instr: Instr) -> str:
    if instr.span is None:
        return repr(instr)
    text = shader.source[instr.span.start : instr.span.end].decode("utf-8", "replace")
    return " ".join(text.split())[:160]


def _ifs(impl: FunctionImpl) -> list[If]:
    return [node for node in impl.cf_nodes() if isinstance(node, If)]
