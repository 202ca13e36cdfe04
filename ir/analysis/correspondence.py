"""Correspondence of values, blocks and registers between a function body and a later version of it.

`nirls.ir.analysis.compare` tests whether two bodies are equal; here they may differ, and everything that a
pass left unchanged is matched with its new number.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from nirls.ir.analysis.alignment import aligned
from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.instructions import (
    AluInstr,
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    LoadConstInstr,
    PhiInstr,
    TexInstr,
)
from nirls.ir.model.shader import unnumbered
from nirls.ir.model.values import AluSrc, Def, RegDest, Register, Src, TexSrc

_NOT_YET = -1
_NEIGHBOURS = 2
_MOST_ROUNDS = 4


@dataclass(slots=True)
class Correspondence:
    """One-to-one map from objects of the second body to the first; an object without an entry is new."""

    values: dict[Def, Def] = field(default_factory=dict)
    instrs: dict[Instr, Instr] = field(default_factory=dict)
    blocks: dict[Block, Block] = field(default_factory=dict)
    registers: dict[Register, Register] = field(default_factory=dict)


def correspondence(first: FunctionImpl, second: FunctionImpl) -> Correspondence:
    """Match two bodies: by the computation of values, then by position, by uses, and by sources.

    Two bodies that only differ in numbering are matched completely.
    """
    matching = _Matching(first, second)
    for _ in range(_MOST_ROUNDS):
        before = len(matching.found.values)
        matching.by_value()
        if matching.is_complete:
            break
        matching.by_place(_NEIGHBOURS)
        matching.by_users()
        matching.by_sources()
        # Matched values count as equal, so that values computed from them can be matched too.
        if len(matching.found.values) == before:
            break
    if not matching.is_complete:
        matching.by_place(0)
        matching.by_users()
    matching.match_blocks()
    return matching.found


class _Matching:
    """The instructions of both bodies in printed order, numbers of their contents, and the matches so far."""

    def __init__(self, first: FunctionImpl, second: FunctionImpl) -> None:
        self.bodies = (first, second)
        self.instrs = (list(first.instrs()), list(second.instrs()))
        numbers: dict[Hashable, int] = {}
        self.contents = tuple(
            [numbers.setdefault(_unnumbered_content(instr), len(numbers)) for instr in instrs]
            for instrs in self.instrs
        )
        self.found = Correspondence()
        self._taken: set[Def] = set()
        self._twin: dict[Instr, Instr] = {}  # of the second, by that of the first
        self._origin = self.found.instrs
        self._match_registers()

    @property
    def is_complete(self) -> bool:
        """Whether all instructions of one of the bodies are matched."""
        return len(self._origin) == min(map(len, self.instrs))

    def by_value(self) -> None:
        """Match instructions with equal content and sources; several equal ones in order."""
        numbers: dict[Hashable, int] = {}
        twins = dict(self._origin)
        ids = [
            _value_numbers(instrs, contents, numbers, twins)
            for instrs, contents in zip(self.instrs, self.contents, strict=True)
        ]
        for position, other in aligned(*ids):
            self._pair(self.instrs[0][position], self.instrs[1][other])
        left: dict[int, list[Instr]] = defaultdict(list)
        for number, instr in zip(reversed(ids[0]), reversed(self.instrs[0]), strict=True):
            if instr not in self._twin:
                left[number].append(instr)
        for number, instr in zip(ids[1], self.instrs[1], strict=True):
            if instr not in self._origin and left[number]:
                self._pair(left[number].pop(), instr)

    def by_place(self, neighbours: int) -> None:
        """Match remaining instructions with equal content at the same position among matched ones.

        `neighbours` instructions on each side must have equal content too.
        """
        tokens: list[list[Hashable]] = []
        for instrs, found in zip(self.instrs, self.contents, strict=True):
            padded = [None] * neighbours + found + [None] * neighbours
            around = [tuple(padded[place : place + 2 * neighbours + 1]) for place in range(len(found))]
            # Both sides represent a matched instruction by that of the first body.
            tokens.append(
                [
                    id(self._origin.get(instr, instr)) if self._is_matched(instr) else context
                    for instr, context in zip(instrs, around, strict=True)
                ]
            )
        for position, other in aligned(*tokens):
            self._pair(self.instrs[0][position], self.instrs[1][other])

    def _is_matched(self, instr: Instr) -> bool:
        return instr in self._twin or instr in self._origin

    def by_users(self) -> None:
        """Match remaining values that matched instructions and ifs read in the same src."""
        work = [(instr, other) for other, instr in self._origin.items()]
        while work:
            instr, other = work.pop()
            for src, twin in zip(instr.all_srcs(), other.all_srcs(), strict=False):
                pair = self._pair_of_sources(src, twin)
                if pair is not None:
                    work.append(pair)

    def by_sources(self) -> None:
        """Match remaining instructions of one operation of which at least half of the sources are matched.

        One of these must not be a constant. This finds readers of a copy that now read its original.
        """
        readers: dict[Hashable, list[Instr]] = defaultdict(list)
        for instr in self.instrs[0]:
            if instr not in self._twin:
                for read in _varying_reads(instr, None):
                    readers[_operation(instr), read].append(instr)
        for other in self.instrs[1] if readers else ():
            if other in self._origin:
                continue
            common: Counter[Instr] = Counter()
            for read in _varying_reads(other, self.found.values):
                for instr in readers.get((_operation(other), read), ()):
                    common[instr] += instr not in self._twin
            best = max(common, key=lambda instr: common[instr], default=None)
            if best is not None and common[best] and common[best] * 2 >= len(other.srcs()):
                self._pair(best, other)

    def _pair_of_sources(self, src: Src, twin: Src) -> tuple[Instr, Instr] | None:
        value, other = src.def_, twin.def_
        if value is None or other is None or value in self._taken or other in self.found.values:
            return None
        if (value.bit_size, value.num_components) != (other.bit_size, other.num_components):
            return None
        maker, other_maker = value.instr, other.instr
        if maker is None or other_maker is None or maker.kind != other_maker.kind:
            return None
        if maker in self._twin or other_maker in self._origin:
            return None
        self._pair(maker, other_maker)
        return maker, other_maker

    def match_blocks(self) -> None:
        """Match each block with the origin of most of its instructions; the others by order."""
        votes: Counter[tuple[Block, Block]] = Counter()
        for other, instr in self._origin.items():
            if instr.block is not None and other.block is not None:
                votes[instr.block, other.block] += 1
        blocks = [impl.blocks() for impl in self.bodies]
        places = {block: place for place, block in enumerate(blocks[0])}
        taken: set[Block] = set()
        ranked = sorted(votes.items(), key=lambda vote: (-vote[1], places.get(vote[0][0], 0)))
        for (block, twin), _ in ranked:
            if block not in taken and twin not in self.found.blocks:
                self._pair_blocks(block, twin, taken)
        follows = [_what_follows(impl) for impl in self.bodies]
        tokens = [
            [id(block) if block in taken else follows[0].get(block) for block in blocks[0]],
            [
                id(self.found.blocks[block]) if block in self.found.blocks else follows[1].get(block)
                for block in blocks[1]
            ],
        ]
        for position, place in aligned(*tokens):
            block, twin = blocks[0][position], blocks[1][place]
            if block not in taken and twin not in self.found.blocks:
                self._pair_blocks(block, twin, taken)
        self.found.blocks[self.bodies[1].end_block] = self.bodies[0].end_block

    def _pair_blocks(self, block: Block, other: Block, taken: set[Block]) -> None:
        self.found.blocks[other] = block
        taken.add(block)

    def _match_registers(self) -> None:
        waiting: dict[Hashable, list[Register]] = defaultdict(list)
        for register in reversed(self.bodies[0].registers):
            waiting[_size(register)].append(register)
        for register in self.bodies[1].registers:
            if waiting[_size(register)]:
                self.found.registers[register] = waiting[_size(register)].pop()

    def _pair(self, instr: Instr, other: Instr) -> None:
        if instr in self._twin or other in self._origin:
            return
        self._twin[instr] = other
        self._origin[other] = instr
        for value, twin in zip(instr.defs(), other.defs(), strict=False):
            if value not in self._taken and twin not in self.found.values:
                self.found.values[twin] = value
                self._taken.add(value)


def is_rewritten(instr: Instr, origin: Instr, found: Correspondence) -> bool:
    """Whether an instruction of the second body differs from its origin in content or in the values it reads.

    Sources of a phi are compared without their order.
    """
    if _unnumbered_content(instr) != _unnumbered_content(origin):
        return True
    sources = [_source_in_first(src, found) for src in instr.all_srcs()]
    origins = [_source_in_first(src, None) for src in origin.all_srcs()]
    return Counter(sources) != Counter(origins) if isinstance(instr, PhiInstr) else sources != origins


def _source_in_first(src: Src, found: Correspondence | None) -> Hashable:
    """Return what a source reads: an object of the first body if `found` has one, else of its own body."""
    if src.reg is not None:
        return src.reg if found is None else found.registers.get(src.reg, src.reg)
    value = src.def_
    if value is None or value.instr is None:
        return None if value is None else value.index  # an undefined value
    return value if found is None else found.values.get(value, value)


def instr_content(instr: Instr) -> tuple[Hashable, ...]:
    """Return the content of an instruction without the numbers of values, registers and blocks.

    It is equal for two instructions that only differ in the values they read.
    """
    sizes = tuple((value.bit_size, value.num_components) for value in instr.defs())
    dest = instr.reg_dest
    written = None if dest is None else (dest.write_mask, dest.offset, _size(dest.reg))
    return (instr.kind, sizes, written, own_content(instr), tuple(_slot(src) for src in instr.all_srcs()))


def _unnumbered_content(instr: Instr) -> Hashable:
    """Return the content, without the number that the printer gives to variables with the same name."""
    if not isinstance(instr, DerefInstr) or instr.deref_kind != "var":
        return instr_content(instr)
    name = instr.var_name if instr.var is None else instr.var.name
    return ("variable", instr.mode, instr.type_name, unnumbered(name))


def own_content(instr: Instr) -> Hashable:
    """Return what distinguishes instructions of a class, besides their sources and destinations."""
    match instr:
        case AluInstr():
            return (instr.op, instr.flags)
        case LoadConstInstr():
            return instr.values
        case IntrinsicInstr():
            return (instr.name, tuple(instr.indices.items()))
        case TexInstr():
            numbers = (instr.texture_index, instr.sampler_index, instr.component)
            return (instr.op, instr.dest_type, numbers, instr.offsets, instr.flags)
        case DerefInstr():
            name = instr.var_name if instr.var is None else instr.var.name
            kind = (instr.deref_kind, instr.mode, instr.type_name)
            return (kind, name, instr.field, instr.const_index, instr.cast_info)
        case JumpInstr():
            return (instr.jump_kind, len(instr.targets))
        case CallInstr():
            return (instr.op, instr.callee_name, instr.is_indirect)
    return None


def _slot(src: Src) -> Hashable:
    if isinstance(src, AluSrc):
        return (src.swizzle, src.negate, src.abs)
    if isinstance(src, TexSrc):
        return src.kind
    return src.reg_offset


def value_numbers(instrs: Sequence[Instr], numbers: dict[Hashable, int]) -> list[int]:
    """Return a number for each instruction of a body: equal for equal content and equally numbered sources.

    `numbers` holds those of bodies to compare with.
    """
    return _value_numbers(instrs, list(map(instr_content, instrs)), numbers, {})


def _value_numbers(
    instrs: Sequence[Instr],
    contents: Sequence[Hashable],
    numbers: dict[Hashable, int],
    twins: Mapping[Instr, Instr],
) -> list[int]:
    """Return a value number for each instruction: equal for equal content and equally numbered sources.

    A matched pair of instructions has a number of its own. Sources of loop phis that are defined further
    down count as unknown.
    """
    matched = set(twins.values())
    number_of: dict[Instr, int] = {}
    for instr, content in zip(instrs, contents, strict=True):
        origin = twins.get(instr, instr if instr in matched else None)
        if origin is not None:
            number_of[instr] = numbers.setdefault(("twin", id(origin)), len(numbers))
            continue
        sources = tuple(_source_number(src, number_of) for src in instr.all_srcs())
        if isinstance(instr, PhiInstr):
            sources = tuple(sorted(sources, key=repr))
        number_of[instr] = numbers.setdefault((content, sources), len(numbers))
    return [number_of[instr] for instr in instrs]


def _source_number(src: Src, number_of: dict[Instr, int]) -> Hashable:
    if src.reg is not None:
        return (src.reg_offset, _size(src.reg))
    value = src.def_
    if value is None or value.instr is None:
        return None
    return number_of.get(value.instr, _NOT_YET)


def _operation(instr: Instr) -> Hashable:
    """Return the content of an instruction without its sources and their swizzles."""
    return instr_content(instr)[:-1]


def _varying_reads(instr: Instr, origins: Mapping[Def, Def] | None) -> Iterator[Hashable]:
    """Yield position, swizzle and value of each source that is not a constant, as in the first body.

    `origins` maps the values of the second body; those without an origin are left out.
    """
    for position, src in enumerate(instr.srcs()):
        value = src.def_ if origins is None or src.def_ is None else origins.get(src.def_)
        if value is not None and value.instr is not None and not isinstance(value.instr, LoadConstInstr):
            yield position, _slot(src), value


def _size(register: Register | RegDest) -> Hashable:
    reg = register.reg if isinstance(register, RegDest) else register
    return (reg.bit_size, reg.num_components, reg.num_array_elems, reg.name)


def _what_follows(impl: FunctionImpl) -> dict[Block, str]:
    """Return the kind of the node after each block in its list."""
    found: dict[Block, str] = {}
    for _, nodes in impl.node_lists():
        for node, following in zip_longest(nodes, nodes[1:]):
            if isinstance(node, Block):
                is_loop = isinstance(following, Loop)
                found[node] = "if" if isinstance(following, If) else "loop" if is_loop else "end"
    return found
