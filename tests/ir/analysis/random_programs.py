"""Random programs in SSA form over a few variables, and what single invocations compute in them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from nirls.ir.analysis.loop_nesting import LoopNesting
from nirls.ir.builder import Builder
from nirls.ir.control_flow import Block, FunctionImpl, If
from nirls.ir.instructions import (
    AluInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    PhiInstr,
)
from nirls.ir.shader import Shader
from nirls.ir.values import Def, PhiSrc, Src
from tests.ir.analysis.function_bodies import Body, build_body, new_shader

VARIABLES = 3
UNIFORM, VARYING = "load_num_subgroups", "load_subgroup_invocation"

Turns = tuple[int, ...]
Fact = tuple[object, Turns, object]


def build_program(body: Body, tape: list[int]) -> tuple[Shader, FunctionImpl]:
    """Fill the blocks of a body with code chosen by the tape, which is read again and again.

    Values get a phi wherever paths meet, and nowhere else: what leaves a loop through a single break is
    used behind it as it is, so the program is not in loop-closed form.
    """
    shader, impl = new_shader()
    build_body(impl, body)
    choices = _repeat(tape)
    leaving: dict[Block, list[Def]] = {}
    unfinished: list[tuple[PhiInstr, int]] = []
    ahead_of = {node.condition: node for node in impl.cf_nodes() if isinstance(node, If)}
    nodes = list(impl.cf_nodes())
    for position, block in enumerate(nodes):
        if not isinstance(block, Block):
            continue
        build = Builder(impl, block).at_end_of(block)
        values = _entering(block, impl, build, leaving, unfinished)
        for _ in range(next(choices) % 3):
            target, first, second = (next(choices) % VARIABLES for _ in range(3))
            values[target] = _operation(build, next(choices), values[first], values[second])
        following = nodes[position + 1] if position + 1 < len(nodes) else None
        if isinstance(following, If) and following.condition in ahead_of:
            bound = build.load_const([next(choices) % 4], 32)
            following.condition.set_def(build.alu("ult", [values[next(choices) % VARIABLES], bound], 1, 1))
        leaving[block] = values
    for phi, variable in unfinished:
        for pred in phi.block.predecessors if phi.block is not None else ():
            phi.add_source(PhiSrc(pred, leaving[pred][variable]))
    return shader, impl


def _repeat(tape: list[int]) -> Iterator[int]:
    while True:
        yield from tape


def _entering(
    block: Block,
    impl: FunctionImpl,
    build: Builder,
    leaving: dict[Block, list[Def]],
    unfinished: list[tuple[PhiInstr, int]],
) -> list[Def]:
    if not block.predecessors:
        return [build.load_const([variable], 32) for variable in range(VARIABLES)]
    if len(block.predecessors) == 1 and block.predecessors[0] in leaving:
        return list(leaving[block.predecessors[0]])
    values = []
    for variable in range(VARIABLES):
        phi = PhiInstr([])
        values.append(phi.make_def(impl.next_index(), 1, 32))
        previous = next((instr for instr in reversed(block) if isinstance(instr, PhiInstr)), None)
        block.insert_after(previous, phi)
        build.next_index = impl.next_index()
        unfinished.append((phi, variable))
    return values


def _operation(build: Builder, choice: int, first: Def, second: Def) -> Def:
    if choice % 5 == 0:
        return build.load_const([choice % 3], 32)
    if choice % 5 == 1:
        instr = build.intrinsic(UNIFORM, [], {}, 1, 32)
    elif choice % 5 == 2:
        instr = build.intrinsic(VARYING, [], {}, 1, 32)
    else:
        return build.alu("iadd", [first, second], 1, 32)
    assert instr.def_ is not None
    return instr.def_


def run(impl: FunctionImpl, invocation: int, uniform: int, fuel: int = 300) -> Iterator[Fact]:
    """What one invocation computes and reads: (a value, a source slot or a block; turns; what it holds).

    Turns count how often each loop around was entered anew, outermost first, so that two invocations are
    together where they have the same turns. Stops after `fuel` blocks.
    """
    nesting = LoopNesting(impl)
    held: dict[Def, int] = {}
    turns: dict[object, int] = {}
    block, came_from = impl.start_block, None
    followed_by = _conditions(impl)
    while block is not impl.end_block and fuel > 0:
        fuel -= 1
        around = []
        loop = nesting.loop_of[block]
        while loop is not None:
            if loop.body[0] is block:
                is_back = came_from is not None and nesting.contains(loop, came_from)
                turns[loop] = turns[loop] + 1 if is_back else 0
            around.append(loop)
            loop = nesting.outer[loop]
        now = tuple(turns[loop] for loop in reversed(around))
        yield block, now, None
        merged = {
            phi: held[source.ssa]
            for phi in block.phis()
            if (source := next(src for src in phi.sources if src.pred is came_from))
        }
        for instr in block:
            if instr.def_ is None:
                continue
            for src in () if isinstance(instr, PhiInstr) else instr.srcs():
                yield src, now, held[src.ssa]
            value = (
                merged[instr] if isinstance(instr, PhiInstr) else _evaluate(instr, held, invocation, uniform)
            )
            held[instr.def_] = value
            yield instr.def_, now, value
        condition = followed_by.get(block)
        taken = 0
        if condition is not None and len(block.successors) == 2:
            yield condition, now, held[condition.ssa]
            taken = 0 if held[condition.ssa] else 1
        block, came_from = block.successors[taken], block


def _conditions(impl: FunctionImpl) -> dict[Block, Src]:
    nodes = list(impl.cf_nodes())
    return {
        block: node.condition
        for block, node in pairwise(nodes)
        if isinstance(block, Block) and isinstance(node, If)
    }


def _evaluate(instr: Instr, held: dict[Def, int], invocation: int, uniform: int) -> int:
    match instr:
        case LoadConstInstr():
            return instr.values[0]
        case IntrinsicInstr():
            return uniform if instr.name == UNIFORM else invocation
        case AluInstr():
            first, second = (held[src.ssa] for src in instr.sources)
            return int(first < second) if instr.op == "ult" else (first + second) & 0xFFFFFFFF
    raise AssertionError(instr)
