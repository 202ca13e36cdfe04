"""Checks of control flow: blocks, ifs and loops, jumps, and the edge comments of the dump.

The rules are those of validate_block, validate_if, validate_loop and validate_jump_instr in Mesa.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from nirls.ir.finding import Severity
from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop
from nirls.ir.model.instructions import JumpInstr
from nirls.ir.model.span import Span
from nirls.ir.model.values import Src
from nirls.ir.validation.reporter import Reporter

_GOTOS = ("goto", "goto_if")
_CONDITION_SIZES = (1, 8, 16, 32)


@dataclass(frozen=True, slots=True)
class JumpContext:
    """The context that determines which jumps may end a block."""

    in_loop: bool
    in_continue: bool
    is_structured: bool


@dataclass(frozen=True, slots=True)
class _Body:
    """A list of nodes, and its description for messages."""

    nodes: list[CfNode]
    owner: str
    span: Span | None
    context: JumpContext


def check_structure(
    impl: FunctionImpl, blocks: Sequence[Block], reporter: Reporter
) -> dict[Block, JumpContext]:
    """Check the structure of a function: bodies, conditions, block numbers.

    `blocks` are all blocks of the function. Returns the jump context of each block, for `check_jump`.
    """
    is_structured = not any(
        isinstance(block.last, JumpInstr) and block.last.jump_kind in _GOTOS for block in blocks
    )
    outside = JumpContext(False, False, is_structured)
    in_loop = JumpContext(True, False, is_structured)
    in_continue = JumpContext(True, True, is_structured)
    contexts: dict[Block, JumpContext] = {}
    work = [_Body(impl.body, "function", impl.span, outside)]
    while work:
        body = work.pop()
        _check_body(body, reporter)
        for node in body.nodes:
            if isinstance(node, Block):
                contexts[node] = body.context
                continue
            if not is_structured:
                reporter.report(
                    "bad-jump", f"{_word(node)} in a function with unstructured control flow", node.span
                )
            if isinstance(node, If):
                check_condition(node.condition, node.span, reporter)
                work.append(_Body(node.then_body, "branch", node.span, body.context))
                work.append(_Body(node.else_body, "else branch", node.else_span or node.span, body.context))
                continue
            work.append(_Body(node.body, "loop", node.span, in_loop))
            if node.continue_body:
                span = node.continue_span or node.span
                work.append(_Body(node.continue_body, "continue construct", span, in_continue))
    _check_block_numbers(blocks, reporter)
    return contexts


def _check_body(body: _Body, reporter: Reporter) -> None:
    if not body.nodes:
        reporter.report("bad-control-flow", f"the {body.owner} has no block", body.span)
        return
    for end, word in ((body.nodes[0], "start"), (body.nodes[-1], "end")):
        if not isinstance(end, Block):
            message = f"the {body.owner} does not {word} with a block"
            reporter.report("bad-control-flow", message, end.span)
    for node, behind in pairwise(body.nodes):
        if not isinstance(node, Block) and not isinstance(behind, Block):
            message = f"no block between this {_word(behind)} and the {_word(node)} before it"
            related = [(node.span, f"the {_word(node)} before it")]
            reporter.report("bad-control-flow", message, behind.span, related=related)
        elif body.context.is_structured and isinstance(node, Block) and isinstance(behind, Block):
            message = f"{reporter.name_of(behind)} follows {reporter.name_of(node)} directly"
            reporter.report("bad-control-flow", message, behind.span)


def _word(node: CfNode) -> str:
    return "loop" if isinstance(node, Loop) else "if" if isinstance(node, If) else "block"


def check_jump(jump: JumpInstr, context: JumpContext, reporter: Reporter) -> None:
    """Check that a jump ends its block and is allowed there."""
    kind = jump.jump_kind
    if jump.next is not None:
        message = f"{kind} is not the last instruction of its block"
        reporter.report("bad-jump", message, jump.span, related=[(jump.next.span, "this is unreachable")])
    if kind in ("break", "continue"):
        if not context.in_loop:
            reporter.report("bad-jump", f"{kind} outside of a loop", jump.span)
        elif kind == "continue" and context.in_continue:
            reporter.report("bad-jump", "continue inside a continue construct", jump.span)
    elif kind in ("return", "halt", "abort"):
        if context.in_continue:
            reporter.report("bad-jump", f"{kind} inside a continue construct", jump.span)
    elif kind in _GOTOS:
        if context.is_structured:  # it follows another jump of its block
            reporter.report("bad-jump", f"{kind} in a function with structured control flow", jump.span)
        for condition in jump.sources:
            check_condition(condition, jump.span, reporter)
    else:
        reporter.report("bad-jump", f"{kind} is not a jump", jump.span)


def check_condition(condition: Src, span: Span | None, reporter: Reporter) -> None:
    """Check that a condition is a scalar boolean; undefined conditions are reported elsewhere."""
    if condition.num_components > 1:
        problem = f"{condition.num_components} components"
    elif condition.bit_size and condition.bit_size not in _CONDITION_SIZES:
        problem = f"{condition.bit_size} bits"
    else:
        return
    name = reporter.name_of(condition)
    reporter.report("bad-condition", f"condition {name} has {problem}", reporter.place_of_name(span, name))


def _check_block_numbers(blocks: Sequence[Block], reporter: Reporter) -> None:
    first: dict[int, Block] = {}
    for block in blocks:
        if block.index < 0:
            place = block.span if block.first is None else block.first.span
            # Mesa prints a line for each block: it was left out of what was pasted.
            message = "instruction outside of any block"
            reporter.report("bad-control-flow", message, place, severity=Severity.WARNING)
            continue
        known = first.setdefault(block.index, block)
        if known is not block:
            name = reporter.name_of(block)
            related = [(known.span, f"the first {name}")]
            reporter.report(
                "duplicate-block", f"block number {name} is used twice", block.span, related=related
            )


def check_edges(impl: FunctionImpl, blocks: Sequence[Block], reporter: Reporter) -> None:
    """Compare the preds and succs comments with the control flow.

    An infinite loop may list an edge to the block after it: Mesa keeps one, so that the end block stays
    reachable.
    """
    tolerated = _edges_of_endless_loops(impl)
    for block in (*blocks, impl.end_block):
        if block.index < 0:
            continue  # see `_check_block_numbers`
        preds = {pred.index for pred in block.predecessors}
        # Blocks without a number cannot be in a comment; they are reported themselves.
        if block.stated_preds is not None and set(block.stated_preds) != preds and min(preds, default=0) >= 0:
            extra = {pred for pred in set(block.stated_preds) - preds if (pred, block.index) in tolerated}
            if set(block.stated_preds) - extra != preds:
                _report_edges("stale-predecessors", block, preds, reporter)
        if not block.successors and block is not impl.end_block:
            continue  # a misplaced jump, which is reported itself
        succs = {target.index for target in block.successors}
        if block.stated_succs is not None and set(block.stated_succs) != succs and min(succs, default=0) >= 0:
            extra = {succ for succ in set(block.stated_succs) - succs if (block.index, succ) in tolerated}
            if set(block.stated_succs) - extra != succs:
                _report_edges("stale-successors", block, succs, reporter)
    # Mesa declares each function: one without a declaration is an excerpt, which may end anywhere.
    if impl.end_block.span is None and impl.function.span is not None:
        _report_missing_end(impl.end_block, blocks, reporter)


def _report_missing_end(end: Block, blocks: Sequence[Block], reporter: Reporter) -> None:
    """Report that the label of the last block is missing where another block names it."""
    for block in blocks:
        if end in block.successors and end.index in (block.stated_succs or ()):
            message = f"{reporter.name_of(block)} leads to {reporter.block_name(end.index)}, which is missing"
            place = block.end_span or block.span
            reporter.report("stale-successors", message, place)
            return


def _report_edges(code: str, block: Block, actual: set[int], reporter: Reporter) -> None:
    names = " ".join(reporter.block_name(index) for index in sorted(actual)) or "no block"
    word = "comes from" if code == "stale-predecessors" else "leads to"
    span = block.span if code == "stale-predecessors" else block.end_span or block.span
    reporter.report(code, f"{reporter.name_of(block)} {word} {names}", span)


def _edges_of_endless_loops(impl: FunctionImpl) -> set[tuple[int, int]]:
    edges: set[tuple[int, int]] = set()
    for _, nodes in impl.node_lists():
        for node, behind in pairwise(nodes):
            if isinstance(node, Loop) and isinstance(behind, Block):
                for body in node.bodies():
                    if body and isinstance(body[-1], Block):
                        edges.add((body[-1].index, behind.index))
    return edges
