"""Compilation of a function body to the entries of a program."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nirls.ir.analysis.loop_nesting import LoopNesting
from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop
from nirls.ir.model.instructions import (
    CallInstr,
    DerefInstr,
    Instr,
    JumpInstr,
    LoadConstInstr,
    ParallelCopyInstr,
    PhiInstr,
    UndefInstr,
)
from nirls.ir.model.shader import Function, Shader
from nirls.ir.model.values import Def
from nirls.verification.evaluate.entries import (
    JUMPS,
    Branch,
    EnterLoop,
    Goto,
    NextBlock,
    NextRound,
    Otherwise,
    Straight,
    end_branch,
    end_gotos,
    enter_gotos,
    note_origin,
    rejoin_continued,
    return_from_function,
)
from nirls.verification.evaluate.regions import ControlRegion
from nirls.verification.evaluate.state.compiled import Program
from nirls.verification.evaluate.state.compiler import Compiler
from nirls.verification.evaluate.state.frames import CallFrame
from nirls.verification.evaluate.state.state import ProgramEntry, State, Step
from nirls.verification.evaluate.steps import make_step
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.index_bounds import IndexBounds, index_bounds
from nirls.verification.evaluate.values.value import Value, constant, lane_index, select, undefined_value

_CALL_DEPTH = 1000


class ProgramCompiler(Compiler):
    """Compiles the functions of one shader to programs, each once.

    With `keeps_values`, a lane keeps its last value of every def while other lanes run on.
    """

    def __init__(self, shader: Shader, *, keeps_values: bool = False) -> None:
        super().__init__(shader)
        self._keeps_values = keeps_values
        self._programs: dict[int, Program] = {}
        self._block_numbers: dict[Block, int] = {}
        self._regions: list[ControlRegion] = []

    def program(self, function: Function) -> Program:
        """Return the program of a function.

        Raises `Unsupported` for a function without a body, or with instructions that cannot be evaluated.
        """
        known = self._programs.get(id(function))
        if known is None:
            if function.impl is None:
                raise Unsupported(f"call of {function.name}, which has no body here,")
            known = self._compile(function.impl)
            self._programs[id(function)] = known
        return known

    def _compile(self, impl: FunctionImpl) -> Program:
        outer = (self._block_numbers, self._slots, self._kept, self._regions)
        self._regions = [ControlRegion()]
        defs = _all_defs(impl)
        self._slots = {value: number for number, value in enumerate(defs)}
        blocks = impl.blocks()
        self._block_numbers = {block: number for number, block in enumerate(blocks)}
        if impl.is_unstructured:
            self._kept = set(defs)
            code = self._goto_code(impl, blocks)
        else:
            self._kept = _values_read_after_their_loop(impl)
            if self._keeps_values:
                # Not pointers: one that differs between lanes cannot be extended.
                self._kept |= {value for value in defs if not isinstance(value.instr, DerefInstr)}
            code = self._structured_code(impl, _predecessors_of_phis(blocks))
        self._block_numbers, self._slots, self._kept, self._regions = outer
        return Program(code, defs)

    def _structured_code(self, impl: FunctionImpl, marked: set[Block]) -> list[ProgramEntry]:
        code: list[ProgramEntry] = []
        # A node to translate, or a callback to run after everything pushed later.
        work: list[CfNode | Callable[[], None]] = list(reversed(impl.body))
        while work:
            node = work.pop()
            if isinstance(node, Block):
                self._block(node, code, node in marked)
            elif isinstance(node, If):
                self._if(node, code, work)
            elif isinstance(node, Loop):
                self._loop(node, code, work)
            else:
                node()
        code.append(return_from_function)
        return code

    def _goto_code(self, impl: FunctionImpl, blocks: list[Block]) -> list[ProgramEntry]:
        """Compile a body with gotos; the lowest-numbered block with waiting lanes runs first.

        Blocks are numbered in printed order, in which Mesa places a block after its predecessors, except for
        back edges. So diverged lanes reconverge where their paths join.
        """
        if any(not isinstance(node, Block) for node in impl.body):
            raise Unsupported("goto in structured control flow")
        marked = _predecessors_of_phis(blocks)
        numbers = {block.index: number for block, number in self._block_numbers.items()}
        starts: list[int] = []
        code: list[ProgramEntry] = [enter_gotos, NextBlock(starts)]
        for number, block in enumerate(blocks):
            starts.append(len(code))
            jump = block.jump
            targets = [number + 1]
            condition = None
            if jump is not None and jump.targets:
                targets = [numbers.get(target, len(blocks)) for target in jump.targets]
                condition = self.read(jump.sources[0]) if jump.sources else None
            self._block(block, code, block in marked)
            code.append(Goto(targets, condition))
        starts.append(len(code))
        code += [end_gotos, return_from_function]
        return code

    def _if(self, node: If, code: list[ProgramEntry], work: list[CfNode | Callable[[], None]]) -> None:
        begin = Branch(self.read(node.condition))
        self._regions.append(ControlRegion())
        middle = Otherwise()
        code.append(begin)

        def at_else() -> None:
            begin.to_else = len(code)
            code.append(middle)

        def at_end() -> None:
            begin.to_end = middle.to_end = len(code)
            begin.rejoins = self._end_region().rejoins
            code.append(end_branch)

        work.append(at_end)
        work.extend(reversed(node.else_body))
        work.append(at_else)
        work.extend(reversed(node.then_body))

    def _loop(self, node: Loop, code: list[ProgramEntry], work: list[CfNode | Callable[[], None]]) -> None:
        begin = EnterLoop()
        code.append(begin)
        self._regions.append(ControlRegion(is_loop=True))
        first = len(code)

        def at_continue() -> None:
            code.append(rejoin_continued)

        def at_end() -> None:
            self._end_region()
            begin.past = len(code) + 1
            code.append(NextRound(first, node))

        work.append(at_end)
        work.extend(reversed(node.continue_body))
        work.append(at_continue)
        work.extend(reversed(node.body))

    def _end_region(self) -> ControlRegion:
        region = self._regions.pop()
        self._regions[-1].add_inner(region)
        return region

    def _block(self, block: Block, code: list[ProgramEntry], marked: bool) -> None:
        self._regions[-1].add(block)
        phis = [instr for instr in block if isinstance(instr, PhiInstr)]
        steps: list[Step] = [self._phi_step(phis)] if phis else []
        is_start = True
        for instr in block:
            if isinstance(instr, PhiInstr):
                continue
            if isinstance(instr, CallInstr):
                code.append(Straight(block, steps, is_start))
                code.append(self._call(instr))
                steps, is_start = [], False
                continue
            if isinstance(instr, JumpInstr) and marked:
                # The jump leaves no running lanes, so the predecessor for phis is recorded before it.
                steps.append(note_origin(self._block_numbers[block]))
            step = self.step(instr)
            if step is not None:
                steps.append(step)
        if marked and block.jump is None:
            steps.append(note_origin(self._block_numbers[block]))
        code.append(Straight(block, steps, is_start))

    def step(self, instr: Instr) -> Step | None:
        """Compile an instruction to a closure; None for a no-op. Raises `Unsupported`."""
        if isinstance(instr, LoadConstInstr | UndefInstr):
            return None if instr.reg_dest is None else self._constant_step(instr)
        if isinstance(instr, JumpInstr):
            if instr.targets:
                return None
            if instr.jump_kind not in JUMPS:
                raise Unsupported(instr.jump_kind)
            return JUMPS[instr.jump_kind]
        if isinstance(instr, ParallelCopyInstr):
            return self._parallel_copy_step(instr)
        step, bounds = make_step(self, instr), index_bounds(instr)
        return step if bounds is None else self._noting_index(instr, bounds, step)

    def _noting_index(self, instr: Instr, bounds: IndexBounds, step: Step) -> Step:
        read = self.read(bounds.src)

        def noting(state: State) -> None:
            coverage = state.options.coverage
            if coverage is not None:
                index = read(state)
                usable = state.masks.certain()
                if index.poison is not None:
                    usable = usable & ~index.poison[0]
                coverage.index(instr, bounds, lane_index(index), usable)
            step(state)

        return noting

    def _constant_step(self, instr: LoadConstInstr | UndefInstr) -> Step:
        write = self.write(instr)
        dest = instr.reg_dest
        assert dest is not None
        bit_size, width = dest.reg.bit_size, dest.reg.num_components

        def step(state: State) -> None:
            if isinstance(instr, LoadConstInstr):
                write(state, constant(instr.values, bit_size, state.lanes))
            else:
                write(state, undefined_value(width, bit_size, state.lanes))

        return step

    def _parallel_copy_step(self, instr: ParallelCopyInstr) -> Step:
        readers = [self.read(src) for src in instr.sources]
        writers = [self.write_dest(dest) for dest in instr.dests]

        def step(state: State) -> None:
            values = [read(state) for read in readers]
            for write, value in zip(writers, values, strict=True):
                write(state, value)

        return step

    def _phi_step(self, phis: list[PhiInstr]) -> Step:
        entries = []
        for phi in phis:
            sources = {
                self._block_numbers[src.pred]: self.read(src)
                for src in phi.sources
                if src.pred in self._block_numbers
            }
            dest = phi.def_
            width = 1 if dest is None else max(dest.num_components, 1)
            bit_size = 32 if dest is None else dest.bit_size or 32
            entries.append((sources, self.write(phi), width, bit_size))

        def step(state: State) -> None:
            origins = np.unique(state.masks.came_from[state.masks.active])
            merged: list[Value] = []
            for sources, _, width, bit_size in entries:
                result: Value | None = None
                for origin in origins:
                    read = sources.get(int(origin))
                    value = undefined_value(width, bit_size, state.lanes) if read is None else read(state)
                    result = (
                        value if result is None else select(state.masks.came_from == origin, value, result)
                    )
                merged.append(result or undefined_value(width, bit_size, state.lanes))
            for (_, write, _, _), value in zip(entries, merged, strict=True):
                write(state, value)

        return step

    def _call(self, instr: CallInstr) -> ProgramEntry:
        callee = instr.callee
        if instr.is_indirect or instr.op != "call":
            raise Unsupported("an indirect call" if instr.is_indirect else instr.op)
        if callee is None or callee.impl is None:
            raise Unsupported(f"call of {instr.callee_name}, which has no body here,")
        readers = [self.read(src) for src in instr.sources]

        def call(state: State, position: int) -> int:
            if not state.masks.running:
                return position + 1
            if len(state.calls) >= _CALL_DEPTH:
                raise Unsupported("recursion")
            program = self.program(callee)
            frame = CallFrame(
                program,
                program.fresh_values(state.lanes),
                np.zeros(state.lanes, np.bool_),
                {},
                [read(state) for read in readers],
                position + 1,
            )
            state.push_call(frame)
            return 0

        return call


def _all_defs(impl: FunctionImpl) -> list[Def]:
    found: dict[Def, None] = dict.fromkeys(impl.undefined_references)
    for node in impl.cf_nodes():
        if isinstance(node, If) and node.condition.def_ is not None:
            found[node.condition.def_] = None
        if not isinstance(node, Block):
            continue
        for instr in node:
            found.update(dict.fromkeys(instr.defs()))
            # A dump may use a def that it does not define; its value is undefined.
            found.update(dict.fromkeys(src.def_ for src in instr.all_srcs() if src.def_ is not None))
    return list(found)


def _predecessors_of_phis(blocks: list[Block]) -> set[Block]:
    return {src.pred for block in blocks for phi in block if isinstance(phi, PhiInstr) for src in phi.sources}


def _values_read_after_their_loop(impl: FunctionImpl) -> set[Def]:
    """Find defs of a loop that are read outside of it, or by a phi (which reads in a predecessor)."""
    if not any(isinstance(node, Loop) for node in impl.cf_nodes()):
        return set()
    nesting = LoopNesting(impl)
    kept: set[Def] = set()
    for block, loop in nesting.loop_of.items():
        if loop is None:
            continue
        for instr in block:
            value = instr.def_
            if value is None:
                continue
            readers = (_block_of(src.owner) for src in value.uses)
            if any(reader is None or not nesting.contains(loop, reader) for reader in readers):
                kept.add(value)
    return kept


def _block_of(owner: Instr | If | None) -> Block | None:
    if not isinstance(owner, If):
        return None if owner is None else owner.block
    first = owner.then_body[0] if owner.then_body else None
    return first if isinstance(first, Block) else None
