"""Structured control flow: blocks, ifs, loops, and the function body that holds them.

The invariants are NIR's: a list of control-flow nodes starts and ends with a block, and blocks
alternate with ifs and loops. Parsed broken dumps may violate them; validation reports it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Union

from nirls.ir.model.instructions import Instr, JumpInstr, PhiInstr
from nirls.ir.model.values import PhiSrc, Src

if TYPE_CHECKING:
    from nirls.ir.model.shader import Function, Variable
    from nirls.ir.model.span import Span
    from nirls.ir.model.values import Def, Register

CfNode = Union["Block", "If", "Loop"]
CfParent = Union["If", "Loop", "FunctionImpl"]


class Block:
    """A basic block: a linked list of instructions.

    `index` is the printed number. `divergent` is the printed `con` / `div`, None without one.
    `successors` and `predecessors` are computed by `FunctionImpl.link_blocks` from the structure and the
    jumps; `stated_preds` and `stated_succs` are the numbers in the dump's comments (None where the
    dump has no such comment). `parent` is the if, loop or function body that holds the block.
    """

    __slots__ = (
        "divergent",
        "end_span",
        "first",
        "index",
        "last",
        "parent",
        "predecessors",
        "span",
        "stated_preds",
        "stated_succs",
        "successors",
    )

    def __init__(self, index: int) -> None:
        self.index = index
        self.parent: CfParent | None = None
        self.first: Instr | None = None
        self.last: Instr | None = None
        self.successors: tuple[Block, ...] = ()
        self.predecessors: list[Block] = []
        self.stated_preds: tuple[int, ...] | None = None
        self.stated_succs: tuple[int, ...] | None = None
        self.divergent: bool | None = None
        self.span: Span | None = None
        self.end_span: Span | None = None

    def __iter__(self) -> Iterator[Instr]:
        """Yield the instructions in order. The one last yielded may be removed or moved during iteration."""
        instr = self.first
        while instr is not None:
            following = instr.next
            yield instr
            instr = following

    def __reversed__(self) -> Iterator[Instr]:
        instr = self.last
        while instr is not None:
            preceding = instr.prev
            yield instr
            instr = preceding

    @property
    def is_empty(self) -> bool:
        return self.first is None

    def phis(self) -> Iterator[PhiInstr]:
        """Yield the phis at the head of the block."""
        for instr in self:
            if not isinstance(instr, PhiInstr):
                return
            yield instr

    @property
    def jump(self) -> JumpInstr | None:
        """Return the jump that ends the block, or None."""
        return self.last if isinstance(self.last, JumpInstr) else None

    def append(self, instr: Instr) -> None:
        """Insert `instr` at the end."""
        self.insert_after(self.last, instr)

    def prepend(self, instr: Instr) -> None:
        """Insert `instr` at the very beginning (before phis)."""
        self.insert_after(None, instr)

    def insert_after(self, position: Instr | None, instr: Instr) -> None:
        """Insert `instr` directly after `position`, or at the beginning for None."""
        following = self.first if position is None else position.next
        instr.block, instr.prev, instr.next = self, position, following
        if position is None:
            self.first = instr
        else:
            position.next = instr
        if following is None:
            self.last = instr
        else:
            following.prev = instr

    def insert_before(self, position: Instr | None, instr: Instr) -> None:
        """Insert `instr` directly before `position`, or at the end for None."""
        self.insert_after(self.last if position is None else position.prev, instr)

    def unlink(self, instr: Instr) -> None:
        """Unlink `instr` from the list without changing its operands."""
        if instr.prev is None:
            self.first = instr.next
        else:
            instr.prev.next = instr.next
        if instr.next is None:
            self.last = instr.prev
        else:
            instr.next.prev = instr.prev
        instr.block = instr.prev = instr.next = None

    def __repr__(self) -> str:
        return f"<Block b{self.index}>"


class If:
    """`if %4 { ... } else { ... }`. `condition` is owned by the if; both lists start and end with a block.

    `span` is the line of the `if`, `else_span` that of `} else {`, `end_span` that of the closing
    brace. `divergent` is the printed `con` / `div`, where a dialect prints one.
    """

    __slots__ = (
        "comment",
        "condition",
        "divergent",
        "else_body",
        "else_span",
        "end_span",
        "parent",
        "span",
        "then_body",
    )

    def __init__(self, condition: Src) -> None:
        self.parent: CfParent | None = None
        self.condition = condition
        condition.set_owner(self)
        self.then_body: list[CfNode] = []
        self.else_body: list[CfNode] = []
        self.divergent: bool | None = None
        self.comment: str | None = None
        self.span: Span | None = None
        self.else_span: Span | None = None
        self.end_span: Span | None = None

    def bodies(self) -> tuple[list[CfNode], ...]:
        return (self.then_body, self.else_body)


class Loop:
    """`loop { ... } continue { ... }`. `continue_body` is empty where the loop has no continue construct."""

    __slots__ = (
        "body",
        "comment",
        "continue_body",
        "continue_span",
        "divergent",
        "end_span",
        "parent",
        "span",
    )

    def __init__(self) -> None:
        self.parent: CfParent | None = None
        self.body: list[CfNode] = []
        self.continue_body: list[CfNode] = []
        self.divergent: bool | None = None
        self.comment: str | None = None
        self.span: Span | None = None
        self.continue_span: Span | None = None
        self.end_span: Span | None = None

    def bodies(self) -> tuple[list[CfNode], ...]:
        return (self.body, self.continue_body) if self.continue_body else (self.body,)


class FunctionImpl:
    """The body of a function (`impl main { ... }`).

    `body` excludes `end_block`, the empty block to which every return leads, which dumps print last.
    `undefined_references` are placeholders for numbers that are used but not defined.
    """

    __slots__ = (
        "body",
        "end_block",
        "end_span",
        "function",
        "locals",
        "preamble",
        "registers",
        "span",
        "undefined_references",
    )

    def __init__(self, function: Function) -> None:
        self.function = function
        self.body: list[CfNode] = []
        self.end_block = Block(0)
        self.end_block.parent = self
        self.locals: list[Variable] = []
        self.registers: list[Register] = []
        self.preamble: str | None = None
        self.undefined_references: list[Def] = []
        self.span: Span | None = None
        self.end_span: Span | None = None

    @property
    def is_unstructured(self) -> bool:
        """Return whether the body has gotos (Mesa: `nir_function_impl::structured` is false)."""
        return any(isinstance(block.last, JumpInstr) and block.last.targets for block in self.blocks())

    def bodies(self) -> tuple[list[CfNode], ...]:
        return (self.body,)

    def cf_nodes(self) -> Iterator[CfNode]:
        """Return an iterator over blocks, ifs and loops in printed order, without the end block."""
        return nodes_of(self.body)

    def node_lists(self) -> Iterator[tuple[CfParent, list[CfNode]]]:
        """Yield all lists of nodes and their owners: the function, ifs and loops; outer lists first."""
        yield self, self.body
        for node in self.cf_nodes():
            if not isinstance(node, Block):
                for body in node.bodies():
                    yield node, body

    def blocks(self) -> list[Block]:
        """Return the blocks in printed order, without the end block."""
        blocks: list[Block] = []
        stack: list[CfNode] = self.body[::-1]
        while stack:
            node = stack.pop()
            if isinstance(node, Block):
                blocks.append(node)
                continue
            for body in reversed(node.bodies()):
                stack += reversed(body)
        return blocks

    def instrs(self) -> Iterator[Instr]:
        """Yield every instruction in printed order. The one last yielded may be removed or moved."""
        for block in self.blocks():
            yield from block

    def defs(self) -> Iterator[Def]:
        """Yield every def in printed order, those of parallel copies included."""
        for instr in self.instrs():
            yield from instr.defs()

    @property
    def start_block(self) -> Block:
        """Return the first block of the function. Raises ValueError if the body does not start with one."""
        if not self.body or not isinstance(self.body[0], Block):
            raise ValueError("function body does not start with a block")
        return self.body[0]

    def next_index(self) -> int:
        """Return a value number above all in use (Mesa: `impl->ssa_alloc`), undefined references included."""
        used = (*self.defs(), *self.undefined_references)
        return 1 + max((value.index for value in used), default=-1)

    def link_blocks(self) -> None:
        """Recompute `successors` and `predecessors` of all blocks from the structure and the jumps.

        Structure rules as in Mesa's nir_control_flow.c: a block before an if leads to the first block
        of both branches, before a loop to the loop's header; the last block of a branch to the block
        after the if; the last block of a loop body to the continue construct or the header; `break`
        to the block after the loop; `return` and `halt` to the end block. In a broken tree that lacks
        the neighbouring block the edge is left out.
        """
        blocks = self.blocks()
        for block in (*blocks, self.end_block):
            block.successors = ()
            block.predecessors = []
        by_index = {block.index: block for block in blocks}
        by_index.setdefault(self.end_block.index, self.end_block)
        # Each entry: a list of nodes, where its last block leads, and the targets of the enclosing loop.
        work: list[tuple[list[CfNode], Block | None, Block | None, Block | None]] = [
            (self.body, self.end_block, None, None)
        ]
        while work:
            nodes, after, break_target, continue_target = work.pop()
            for position, node in enumerate(nodes):
                following = nodes[position + 1] if position + 1 < len(nodes) else None
                if isinstance(node, Block):
                    targets = self._targets(node, following, after, break_target, continue_target, by_index)
                    _link(node, targets)
                    continue
                exit_block = following if isinstance(following, Block) else after
                if isinstance(node, If):
                    work += [(body, exit_block, break_target, continue_target) for body in node.bodies()]
                    continue
                header = _first_block(node.body)
                latch = _first_block(node.continue_body) or header
                work.append((node.body, latch, exit_block, latch))
                if node.continue_body:
                    work.append((node.continue_body, header, exit_block, latch))

    def _targets(
        self,
        block: Block,
        following: CfNode | None,
        after: Block | None,
        break_target: Block | None,
        continue_target: Block | None,
        by_index: dict[int, Block],
    ) -> tuple[Block | None, ...]:
        jump = block.jump
        if jump is not None:
            if jump.jump_kind == "break":
                return (break_target,)
            if jump.jump_kind == "continue":
                return (continue_target,)
            if jump.jump_kind in ("goto", "goto_if"):
                return tuple(by_index.get(target) for target in jump.targets)
            return (self.end_block,)
        if isinstance(following, If):
            return tuple(_first_block(branch) for branch in following.bodies())
        if isinstance(following, Loop):
            return (_first_block(following.body),)
        if isinstance(following, Block):
            return (following,)
        return (after,)


def nodes_of(body: Sequence[CfNode]) -> Iterator[CfNode]:
    """Yield every block, if and loop of a list of control flow, nested ones included, in printed order."""
    stack: list[Iterator[CfNode]] = [iter(body)]
    while stack:
        node = next(stack[-1], None)
        if node is None:
            stack.pop()
            continue
        yield node
        if not isinstance(node, Block):
            stack.append(chain.from_iterable(node.bodies()))


def nodes_around(block: Block | None) -> Iterator[If | Loop]:
    """Yield the ifs and loops around a block, innermost first; none for None."""
    parent = None if block is None else block.parent
    while isinstance(parent, If | Loop):
        yield parent
        parent = parent.parent


def loops_around(block: Block | None) -> Iterator[Loop]:
    """Yield the loops around a block, innermost first; none for None."""
    return (node for node in nodes_around(block) if isinstance(node, Loop))


def is_in_loop(block: Block | None) -> bool:
    """Whether a block may run more than once, and code after it also before it."""
    return any(True for _ in loops_around(block))


def node_of_use(src: Src) -> CfNode | None:
    """Return the block or if that reads a source; for that of a phi the predecessor, at its end."""
    if isinstance(src, PhiSrc):
        return src.pred
    return src.owner if isinstance(src.owner, If) or src.owner is None else src.owner.block


def instrs_of(body: Sequence[CfNode]) -> list[Instr]:
    """Return the instructions of a list of control flow in printed order."""
    return [instr for node in nodes_of(body) if isinstance(node, Block) for instr in node]


def _link(block: Block, targets: tuple[Block | None, ...]) -> None:
    block.successors = tuple(dict.fromkeys(target for target in targets if target is not None))
    for target in block.successors:
        target.predecessors.append(block)


def _first_block(nodes: list[CfNode]) -> Block | None:
    return nodes[0] if nodes and isinstance(nodes[0], Block) else None
