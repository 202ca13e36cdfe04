"""The pass `lower_dynamic_bo_access`: lowering of variable block indices to constant ones.

Follows the pass of that name in Mesa's zink driver, for backends that need constant buffer indices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from nirls.ir.finding import FindingCode, Place, Severity, counted
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl
from nirls.ir.model.control_flow_edit import BlockSplitter, last_block, relink_blocks
from nirls.ir.model.instructions import IntrinsicInstr, PhiInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def, PhiSrc
from nirls.passes.booleans import Booleans, booleans_of
from nirls.passes.buffers.accesses import DynamicAccess, dynamic_accesses, index_source
from nirls.passes.declaration import OptionError, Pass, Site, SiteFix

DYNAMIC_BLOCK_INDEX = FindingCode(
    "dynamic-block-index", "Buffer access with a variable block index", Severity.HINT
)
NO_POSSIBLE_BLOCK = FindingCode(
    "no-possible-block", "Buffer access without a possible block", Severity.WARNING
)


@dataclass(frozen=True)
class LowerDynamicBoAccess(Pass):
    """Lower UBO and SSBO accesses with a variable block index to constant indices."""

    name = "lower_dynamic_bo_access"
    codes = (DYNAMIC_BLOCK_INDEX, NO_POSSIBLE_BLOCK)

    def apply(self, shader: Shader) -> bool:
        return lower_dynamic_bo_access(shader)

    def check(self, shaders: Sequence[Shader]) -> None:
        for shader in shaders:
            for access in dynamic_accesses(shader):
                if access.obstacle is not None:
                    raise OptionError(f"{_described(access)} cannot be lowered: {access.obstacle}")

    def sites(self, shaders: Sequence[Shader]) -> Iterable[Site]:
        for dump, shader in enumerate(shaders):
            for access in dynamic_accesses(shader):
                yield self._site(shader, access, Place.of(access.instr.span, dump))

    def _site(self, shader: Shader, access: DynamicAccess, place: Place) -> Site:
        name = access.instr.name
        if access.obstacle is not None:
            message = f"{name} has a variable block index, but {access.obstacle}"
            return Site(NO_POSSIBLE_BLOCK.at(place, message))
        count = len(access.blocks)
        index = f"%{access.index.index}"
        message = (
            f"{name} takes its block index from {index}, which can only be {access.blocks.start}"
            if count == 1
            else f"{name} has a variable block index: {index} is one of {count} blocks"
        )
        if count > 1 and access.is_load:
            message += f"; lowering makes {count} loads and {counted(count - 1, 'selection')}"
        elif count > 1:
            message += f"; lowering makes {count} branches in {counted(count - 1, 'if')}"
        data = {"first": access.blocks.start, "last": access.blocks.stop - 1}
        fix = SiteFix(f"Lower this {name} to constant block indices", partial(_lower, shader, [access]))
        return Site(DYNAMIC_BLOCK_INDEX.at(place, message, data=data), (fix,), whole=f"Run {self.name}")


def lower_dynamic_bo_access(shader: Shader) -> bool:
    """Lower accesses with a variable block index to accesses with constant indices.

    The candidates are the blocks that the header, the declarations and the bounds of the index allow. A load
    is repeated for every block, with a balanced tree of selections between the results; a store, an atomic or
    a volatile load goes into a tree of ifs, so that it executes for one block only. Accesses without a
    possible block are unchanged.
    """
    accesses = [access for access in dynamic_accesses(shader) if access.obstacle is None]
    return bool(accesses and _lower(shader, accesses))


def _lower(shader: Shader, accesses: Iterable[DynamicAccess]) -> list[Shader]:
    booleans = booleans_of(shader)
    wanted = {access.instr: access for access in accesses}
    for impl in shader.impls():
        mine = [wanted[i] for i in impl.instrs() if isinstance(i, IntrinsicInstr) and i in wanted]
        if mine:
            _Lowering(impl, booleans).lower(mine)
    return [shader]


class _Lowering:
    """The pass over one function."""

    def __init__(self, impl: FunctionImpl, booleans: Booleans) -> None:
        self.impl = impl
        self.booleans = booleans
        self.builder = Builder(impl, impl.start_block)
        self.splitter: BlockSplitter | None = None

    def lower(self, accesses: Sequence[DynamicAccess]) -> None:
        for access in accesses:
            if access.is_load or len(access.blocks) == 1:
                self._select(access)
            else:
                self._branch(access)
        if self.splitter is not None:
            relink_blocks(self.impl)

    def _select(self, access: DynamicAccess) -> None:
        """Replace an access by one for every block and a tree of selections between the results."""
        self.builder.before_instr(access.instr)
        level: list[tuple[int, Def | None]] = [
            (block, self._for_block(access, block).def_) for block in access.blocks
        ]
        result = self._tree(access, [value for _, value in level if value is not None])
        if access.instr.def_ is not None and result is not None:
            access.instr.def_.replace_all_uses_with(result)
        access.instr.remove()

    def _tree(self, access: DynamicAccess, values: list[Def]) -> Def | None:
        first = access.blocks.start
        # Halve the block range down to single blocks, then select between halves in reverse order.
        pieces = [(0, len(values))] if values else []
        splits: list[tuple[int, int, int]] = []
        while pieces:
            low, high = pieces.pop()
            if high - low > 1:
                middle = low + (high - low) // 2
                splits.append((low, middle, high))
                pieces += [(low, middle), (middle, high)]
        results = {(number, number + 1): value for number, value in enumerate(values)}
        for low, middle, high in reversed(splits):
            condition = self._less_than(access.index, first + middle)
            one, other = results[low, middle], results[middle, high]
            results[low, high] = self._selection(condition, one, other)
        return results.get((0, len(values)))

    def _selection(self, condition: Def, one: Def, other: Def) -> Def:
        width = one.num_components
        slots = AluSrc(condition, (0,) * width), one, other
        return self.builder.alu(self.booleans.select, slots, width, one.bit_size)

    def _branch(self, access: DynamicAccess) -> None:
        """Replace an access by a tree of ifs with one block in each leaf, and phis for the result."""
        if self.splitter is None:
            self.impl.link_blocks()
            self.splitter = BlockSplitter(self.impl)
        instr, first, last = access.instr, access.blocks.start, access.blocks.stop
        middle = first + (last - first) // 2
        self.builder.before_instr(instr)
        condition = self._less_than(access.index, middle)
        node, rest = self.splitter.insert_if(instr, condition)
        # (block range, insertion block, block after the enclosing if)
        joins = [(rest, node)]
        then, otherwise = map(_only_block, node.bodies())
        pieces = [(first, middle, then), (middle, last, otherwise)]
        leaves: dict[Block, Def | None] = {}
        while pieces:
            low, high, block = pieces.pop()
            self.builder.at_end_of(block)
            if high - low == 1:
                leaves[block] = self._for_block(access, low).def_
                continue
            middle = low + (high - low) // 2
            inner, behind = self.splitter.nest_if(block, self._less_than(access.index, middle))
            joins.append((behind, inner))
            pieces += [
                (low, middle, _only_block(inner.then_body)),
                (middle, high, _only_block(inner.else_body)),
            ]
        value = instr.def_
        if value is not None:
            for behind, joined in reversed(joins):
                ends = [end for body in joined.bodies() if (end := last_block(body)) is not None]
                leaves[behind] = self._phi(behind, [(end, leaves[end]) for end in ends], value)
            result = leaves[rest]
            if result is not None:
                value.replace_all_uses_with(result)
        instr.remove()

    def _phi(self, block: Block, arriving: Sequence[tuple[Block, Def | None]], like: Def) -> Def:
        phi = PhiInstr([PhiSrc(pred, value) for pred, value in arriving])
        made = phi.make_def(self.builder.next_index, like.num_components, like.bit_size)
        self.builder.next_index += 1
        block.prepend(phi)
        return made

    def _for_block(self, access: DynamicAccess, block: int) -> IntrinsicInstr:
        """Insert a copy of the access with a constant block index at the cursor."""
        number = self.builder.load_const([block], access.index.bit_size)
        copy = self.builder.copy(access.instr)
        assert isinstance(copy, IntrinsicInstr)
        source = index_source(copy)
        assert source is not None
        copy.sources[source].set_def(number)
        return copy

    def _less_than(self, index: Def, block: int) -> Def:
        limit = self.builder.load_const([block], index.bit_size)
        return self.builder.alu(self.booleans.less_than, [index, limit], 1, self.booleans.bit_size)


def _only_block(body: Sequence[CfNode]) -> Block:
    (block,) = body
    assert isinstance(block, Block)
    return block


def _described(access: DynamicAccess) -> str:
    value = access.instr.def_
    return f"{access.instr.name}{'' if value is None else f' (value {value.index})'}"
