"""Walks over graphs of instructions, values or other nodes, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import TypeVar

from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import Instr
from nirls.ir.model.values import Src

NodeT = TypeVar("NodeT")


def makers(sources: Iterable[Src]) -> Iterator[Instr]:
    """Yield the instructions that define the values of sources, none for a register or undefined number."""
    for src in sources:
        maker = src.def_instr
        if maker is not None:
            yield maker


def closure(starts: Iterable[NodeT], following: Callable[[NodeT], Iterable[NodeT]]) -> dict[NodeT, None]:
    """Return some nodes with all that can be reached from them, in the order in which they were found."""
    found = dict.fromkeys(starts)
    work = list(found)
    while work:
        for node in following(work.pop()):
            if node not in found:
                found[node] = None
                work.append(node)
    return found


def reachable(starts: Sequence[Block], last: Block | None = None, *, backwards: bool = False) -> set[Block]:
    """Return the blocks on the paths from `starts` to `last`, both included, or on all paths for None."""

    def following(block: Block) -> Iterable[Block]:
        if block is last:
            return ()
        return block.predecessors if backwards else block.successors

    return set(closure(starts, following))


def operands_first(
    top: NodeT, operands: Callable[[NodeT], Iterable[NodeT]], known: Container[NodeT]
) -> Iterator[NodeT]:
    """Yield a node and all that it depends on, unless they are known, each behind its operands.

    The caller adds each node to `known`. No node may depend on itself.
    """
    work = [top]
    while work:
        node = work[-1]
        waiting = [] if node in known else [operand for operand in operands(node) if operand not in known]
        work += waiting
        if not waiting:
            work.pop()
            if node not in known:
                yield node
