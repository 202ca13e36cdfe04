"""Inlay hints.

- constants: values of constant sources, in dumps from before Mesa printed them;
- convergence: `con` or `div` before each value, if the dump does not print it;
- varyings: the matching stores at each load, and the matching loads at each store, right after the opcode.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain, islice
from typing import Final

from nirls.ir.finding import Place
from nirls.ir.io.access import IoAccess
from nirls.ir.model.control_flow import FunctionImpl, If
from nirls.ir.model.instructions import (
    AluInstr,
    Instr,
    IntrinsicInstr,
    ParallelCopyInstr,
    TexInstr,
    constant_of,
)
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import AluSrc, Src, TexSrc
from nirls.ir.text.printing.constants import FLOAT, inlined_text
from nirls.ir.text.printing.source_types import alu_types, intrinsic_src_type, tex_src_type
from nirls.ir.text.printing.type_inference import ConstantTypes
from nirls.passes.varyings.interface.accesses import feeds_fixed_hardware, name_of
from nirls.server.engine.checks.finding_places import narrow
from nirls.server.ide.convergence import Convergence
from nirls.server.ide.cursor.entities import start_of_destination
from nirls.server.ide.cursor.places import Node
from nirls.server.ide.packing.varying_flow import OtherEnd, VaryingFlow

_NUMBER = re.compile(rb"(?:%|\bssa_)(\d{1,9})\b(?:\.[a-pw-z]+)?")
_IS_INLINED = re.compile(rb" \((?:0x|-?\d|true|false|-?nan|-?inf)| /\*\(")
_LONGEST_LINE = 4096  # bytes; hints in longer lines are not visible


Nodes = Iterable[tuple[Node, FunctionImpl | None]]


MOST_ENDS: Final = 8
"""Matching loads or stores listed in a tooltip."""


class HintKind(Enum):
    """The kind of a hint; the value is the name of its setting."""

    CONSTANT = "constants"
    CONVERGENCE = "convergence"
    VARYING = "varyings"


@dataclass(frozen=True, slots=True)
class Hint:
    """A text to show at a byte offset of the dump; `ends` are the first `MOST_ENDS` matching accesses."""

    offset: int
    label: str
    kind: HintKind
    ends: tuple[OtherEnd, ...] = ()


def constant_hints(shader: Shader, nodes: Nodes) -> Iterator[Hint]:
    """Yield the values of constant sources of nodes, if the dump does not print them."""
    types = ConstantTypes()
    for node, _ in nodes:
        if isinstance(node, Instr):
            yield from _constants_of_instr(shader, node, types)
        elif isinstance(node, If) and node.span is not None:
            sources = [(node.condition, "bool")]
            yield from _constants(shader, sources, node.span.start, node.span.end, types)


def _constants_of_instr(shader: Shader, instr: Instr, types: ConstantTypes) -> Iterator[Hint]:
    if instr.span is None or isinstance(instr, ParallelCopyInstr):
        return
    if instr.span.end - instr.span.start > _LONGEST_LINE:
        return
    sources = [(src, _base_type(instr, position, src)) for position, src in enumerate(instr.srcs())]
    if all(constant_of(src.def_) is None for src, _ in sources):
        return
    own = start_of_destination(shader.source, instr)
    start = shader.source.find(b"=", max(own, instr.span.start), instr.span.end) + 1
    from_ = start if start > 0 and (own >= 0 or instr.reg_dest is not None) else instr.span.start
    yield from _constants(shader, sources, from_, instr.span.end, types)


def _constants(
    shader: Shader, sources: Sequence[tuple[Src, str]], start: int, end: int, types: ConstantTypes
) -> Iterator[Hint]:
    position = start
    for src, base_type in sources:
        if src.def_ is None:
            continue
        place = _next_place(shader.source, src.def_.index, position, end)
        if place is None:
            return
        position = place
        values = constant_of(src.def_)
        if values is None or _IS_INLINED.match(shader.source, position):
            continue
        bit_size = src.def_.bit_size
        if isinstance(src, AluSrc):
            values = tuple(values[i] for i in src.swizzle if i < len(values))
        if not base_type and types.of(src.def_) == FLOAT:
            base_type = "float"
        yield Hint(position, inlined_text(values, bit_size, base_type), HintKind.CONSTANT)


def _next_place(text: bytes, number: int, start: int, end: int) -> int | None:
    """Return the end of the next reference to a value, including its swizzle."""
    for match in _NUMBER.finditer(text, start, end):
        if int(match[1]) == number:
            return match.end()
    return None


def _base_type(instr: Instr, position: int, src: Src) -> str:
    match instr:
        case AluInstr():
            types = alu_types(instr.op)
            return types[0][position] if types is not None and position < len(types[0]) else ""
        case IntrinsicInstr():
            return intrinsic_src_type(instr, position)
        case TexInstr():
            return tex_src_type(instr, src.kind) if isinstance(src, TexSrc) else ""
        case _:
            return ""


def convergence_hints(convergence: Convergence, nodes: Nodes) -> Iterator[Hint]:
    """Yield `con` or `div` for the values that nodes define, unless the dump prints it."""
    for node, _ in nodes:
        if not isinstance(node, Instr) or node.def_ is None or node.span is None:
            continue
        if node.def_.divergent is None:
            word = "div" if convergence.is_divergent(node.def_) else "con"
            yield Hint(node.span.start, word, HintKind.CONVERGENCE)


def varying_hints(flow: VaryingFlow, position: int, nodes: Nodes) -> Iterator[Hint]:
    """Yield the matching stores or loads of the accesses among the nodes of the stage at `position`."""
    stage = flow.stages[position]
    for node, _ in nodes:
        if not isinstance(node, IntrinsicInstr) or node.span is None:
            continue
        accesses = stage.accesses_of(node)
        if not accesses:
            continue
        access = accesses[0]
        other = position + 1 if access.is_output else position - 1
        if not 0 <= other < len(flow.stages):
            continue
        ends = flow.ends_by_stage(position, node)
        consumer = flow.stages[other].shader.stage
        if not ends and access.is_store and _are_for_hardware(accesses, consumer):
            continue
        names = " ".join(name_of(access) for access in accesses)
        label = f"{names} {_ends_text(flow, ends, other, is_store=access.is_store)}"
        opcode = narrow(Place.of(node.span), [stage.shader.source])
        first = tuple(islice(chain.from_iterable(ends), MOST_ENDS))
        yield Hint(opcode.end, label, HintKind.VARYING, first)


def _are_for_hardware(stores: Iterable[IoAccess], consumer: Stage | None) -> bool:
    """Whether fixed hardware reads the outputs, so that no load is expected."""
    return consumer is not None and all(feeds_fixed_hardware(store, consumer) for store in stores)


def _ends_text(flow: VaryingFlow, ends: Sequence[Sequence[OtherEnd]], other: int, *, is_store: bool) -> str:
    if not ends:
        return f"{'not read' if is_store else 'not written'} by {_stage(flow, other)}"
    arrow = "\N{RIGHTWARDS ARROW}" if is_store else "\N{LEFTWARDS ARROW}"
    texts = []
    for there in ends:
        noun = "loads" if is_store else "stores"
        words = _value_of(flow, there[0]) if len(there) == 1 else f"{len(there)} {noun}"
        texts.append(f"{_stage(flow, there[0].position)} {words}")
    return f"{arrow} {', '.join(texts)}"


def _value_of(flow: VaryingFlow, end: OtherEnd) -> str:
    """Return the name of the value that a store writes or a load defines."""
    source = end.instr.sources[-1 if end.instr.name == "store_deref" else 0] if end.instr.sources else None
    value = source.def_ if end.is_store and source is not None else end.instr.def_
    if value is None:
        return "1 store" if end.is_store else "1 load"
    text = flow.stages[end.position].shader.source
    return f"{'%' if b'%' in text[end.span.start : end.span.end] else 'ssa_'}{value.index}"


def _stage(flow: VaryingFlow, position: int) -> str:
    stage = flow.stages[position].shader.stage
    return "the linked stage" if stage is None else stage.abbreviation
