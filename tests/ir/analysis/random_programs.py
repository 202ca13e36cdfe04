"""Random programs in SSA form over a few variables, and what single invocations compute in them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random

from nirls.ir.analysis.loop_nesting import LoopNesting
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.instructions import (
    AluInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    PhiInstr,
)
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def, PhiSrc, Src
from tests.ir.analysis.function_bodies import Body, build_body, new_shader

VARIABLES = 3
UNIFORM, VARYING = "load_num_subgroups", "load_subgroup_invocation"

Turns = tuple[int, ...]
Fact = tuple[object, Turns, object]


def random_program(seed: int) -> tuple[Shader, FunctionImpl]:
    """A program of a few nested ifs and loops, the same for the same seed.

    Values get a phi wherever paths meet, and nowhere else: what leaves a loop through a single break is
    used behind it as it is, so the program is not in loop-closed form.
    """
    random = Random(seed)
    return build_program(_random_body(random, depth=2, in_loop=False), random)


def _random_body(random: Random, depth: int, *, in_loop: bool) -> Body:
    body: Body = []
    for _ in range(random.randint(1, 2)):
        kind = random.choice(("if", "loop", "jump") if in_loop else ("if", "loop"))
        if depth == 0 and kind != "jump":
            continue
        if kind == "if":
            branches = [_random_body(random, depth - 1, in_loop=in_loop) for _ in range(2)]
            body.append(("if", *branches))
        elif kind == "loop":
            way_out: list[Body] = [["break"], []]
            random.shuffle(way_out)
            inner = _random_body(random, depth - 1, in_loop=True)
            inner.insert(random.randint(0, len(inner)), ("if", *way_out))
            body.append(("loop", inner))
        elif random.random() < 0.5:
            body.append(("if", [random.choice(("break", "continue"))], []))
    return body


def build_program(body: Body, random: Random) -> tuple[Shader, FunctionImpl]:
    """Fill the blocks of a body with random code."""
    shader, impl = new_shader()
    build_body(impl, body)
    leaving: dict[Block, list[Def]] = {}
    unfinished: list[tuple[PhiInstr, int]] = []
    nodes = list(impl.cf_nodes())
    build = Builder(impl, impl.start_block)
    for position, block in enumerate(nodes):
        if not isinstance(block, Block):
            continue
        values = _entering(block, build.at_start_of(block), leaving, unfinished)
        build.at_end_of(block)
        for _ in range(random.randint(0, 2)):
            target, other = random.randrange(VARIABLES), random.randrange(VARIABLES)
            values[target] = _operation(build, random, values[target], values[other])
        following = nodes[position + 1] if position + 1 < len(nodes) else None
        if isinstance(following, If):
            bound = build.load_const([random.randint(1, 6)], 32)
            tested = values[random.randrange(VARIABLES)]
            following.condition.set_def(build.alu("ult", [tested, bound], 1, 1))
        leaving[block] = values
    for phi, variable in unfinished:
        for pred in phi.block.predecessors if phi.block is not None else ():
            phi.add_source(PhiSrc(pred, leaving[pred][variable]))
    return shader, impl


def _entering(
    block: Block, build: Builder, leaving: dict[Block, list[Def]], unfinished: list[tuple[PhiInstr, int]]
) -> list[Def]:
    if not block.predecessors:
        sources = [build.intrinsic(name, [], {}, 1, 32).def_ for name in (UNIFORM, VARYING)]
        return [value for value in sources if value is not None] + [build.load_const([0], 32)]
    if len(block.predecessors) == 1 and block.predecessors[0] in leaving:
        return list(leaving[block.predecessors[0]])
    values = []
    for variable in range(VARIABLES):
        phi = PhiInstr([])
        values.append(build.define(phi, 1, 32))
        unfinished.append((phi, variable))
    return values


def _operation(build: Builder, random: Random, first: Def, second: Def) -> Def:
    # Mostly counting, so that not everything soon depends on which invocation it is.
    kind = random.choice(("count", "count", "count", "add", "const", "uniform"))
    if kind == "const":
        return build.load_const([random.randrange(3)], 32)
    if kind == "uniform":
        instr = build.intrinsic(UNIFORM, [], {}, 1, 32)
        assert instr.def_ is not None
        return instr.def_
    if kind == "count":
        second = build.load_const([1], 32)
    return build.alu("iadd", [first, second], 1, 32)


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
