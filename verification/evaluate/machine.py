"""Run a shader on a batch of invocations (see `nirls.verification.evaluate`)."""

from __future__ import annotations

import numpy as np

from nirls.ir.effects import MemoryModel, effects_of, variable_of
from nirls.ir.io.variables import colors_of_one_slot
from nirls.ir.model.float_controls import FloatControls
from nirls.ir.model.instructions import CallInstr
from nirls.ir.model.shader import Function, Shader, Variable
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def
from nirls.verification.evaluate.program import ProgramCompiler
from nirls.verification.evaluate.state.compiled import Program
from nirls.verification.evaluate.state.frames import CallFrame
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.state.state import State
from nirls.verification.evaluate.storage.memory import Memory
from nirls.verification.evaluate.storage.outputs import OutputStore
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.inputs import EnvironmentInputs, InputSupply
from nirls.verification.evaluate.surroundings.launch import Launch, launch_for
from nirls.verification.evaluate.surroundings.result import ShaderResult
from nirls.verification.evaluate.values.errors import Unsupported

_BY_VARIABLE = {"shared": ("shared", "mem_shared"), "task_payload": ("task_payload", "mem_task_payload")}


class Machine:
    """A shader compiled for any number of runs; it must not be modified afterwards.

    `preamble` is the program that all invocations run before that of the entry point, if there is one. The
    constructor raises `Unsupported` for a shader that cannot be evaluated. With `keeps_values`, each lane has
    its last value of every def at the end, also of those in loops that it left before others.
    """

    __slots__ = ("preamble", "program", "shader")

    def __init__(self, shader: Shader, *, keeps_values: bool = False) -> None:
        entry = shader.entrypoint
        if entry is None:
            raise Unsupported("a shader without entry point")
        _refuse_aliases(shader)
        if colors_of_one_slot(shader):
            raise Unsupported("two outputs of one slot, of which it is not printed which is DUAL_SRC_BLEND")
        self.shader = shader
        compiler = ProgramCompiler(shader, keeps_values=keeps_values)
        self.program = compiler.program(entry.function)
        self.preamble = None if entry.preamble is None else compiler.program(_named(shader, entry.preamble))

    def name_of(self, value: Def) -> str:
        """Return the stage and the number of a value of the shader, such as `VS %5`."""
        stage = self.shader.stage
        return f"%{value.index}" if stage is None else f"{stage.abbreviation} %{value.index}"

    def run(
        self,
        environment: Environment,
        *,
        lanes: int = 64,
        launch: Launch | None = None,
        inputs: InputSupply | None = None,
        memory: Memory | None = None,
        options: RunOptions | None = None,
    ) -> ShaderResult:
        """Run all invocations of a launch (by default one of about `lanes` lanes per draw).

        `inputs` supplies shader inputs, by default the environment; `memory` has the stores of earlier runs.
        Raises `Unsupported`.
        """
        launch = launch or launch_for(self.shader, lanes, environment.draws)
        state = State(
            environment,
            launch,
            inputs or EnvironmentInputs(environment),
            memory or Memory(environment),
            OutputStore(launch),
            options or RunOptions(),
        )
        if self.preamble is not None:
            _run_program(state, self.preamble)
        _run_program(state, self.program)
        if state.races is not None:
            state.masks.mark_poisoned(state.races.overtaken)
        if state.options.at_end is not None:
            state.options.at_end(state)
        return ShaderResult(
            stage=self.shader.stage or Stage.COMPUTE,
            launch=launch,
            outputs=state.outputs.planes,
            memory=state.memory.visible_cells(),
            discarded=state.masks.terminated | state.masks.demoted,
            poisoned=state.masks.poisoned,
            rejoined=state.masks.rejoined,
            given_up=state.masks.given_up,
            fragile=state.masks.fragile,
            emitted=state.record.emitted,
            xfb=state.record.xfb,
            varyings_only=state.record.outputs_with("no_sysval_output"),
            not_sent=state.record.outputs_with("no_varying"),
            executed=state.record.executed,
            writers=state.memory.writers_of_visible_cells(),
            communicating=state.memory.communicating,
            astray=state.masks.astray,
            interpolations=state.record.interpolations,
            flushed=FloatControls.of(self.shader).flushed,
        )


def run_shader(
    shader: Shader,
    environment: Environment,
    *,
    lanes: int = 64,
    inputs: InputSupply | None = None,
    options: RunOptions | None = None,
) -> ShaderResult:
    """Run a shader once; see `Machine.run`. For repeated runs, reuse a `Machine`."""
    return Machine(shader).run(environment, lanes=lanes, inputs=inputs, options=options)


def _run_program(state: State, program: Program) -> None:
    options = state.options
    values = program.fresh_values(state.lanes, options.overrides, options.certain)
    state.push_call(CallFrame(program, values, np.zeros(state.lanes, np.bool_), {}, []))
    with np.errstate(all="ignore"):
        position = 0
        while position >= 0:
            position = state.calls[-1].program.code[position](state, position)


def _named(shader: Shader, name: str) -> Function:
    function = next((function for function in shader.functions if function.name == name), None)
    if function is None:
        raise Unsupported(f"a shader without its preamble {name}")
    return function


def _refuse_aliases(shader: Shader) -> None:
    """Raise `Unsupported` if variables of a workgroup may overlap with each other or with byte offsets.

    The evaluator stores each variable separately, and byte-offset accesses separately from variables.
    """
    model = MemoryModel(shader)
    for memory, modes in _BY_VARIABLE.items():
        if not any(variable.mode in modes for variable in shader.variables):
            continue
        variables: set[Variable | None] = set()
        by_offset = False
        for instr in shader.instrs():
            if isinstance(instr, CallInstr):
                continue  # what is called is among the instructions, or cannot be run
            for access in effects_of(instr).accesses:
                if memory in access.memories and access.deref is not None:
                    variables.add(variable_of(access.deref))
                elif access.memories == {memory}:
                    by_offset = True
        if by_offset and variables:
            raise Unsupported(f"{memory} memory accessed by variables and by offsets")
        if memory == "shared" and model.shared_variables_overlap and len(variables) > 1:
            raise Unsupported("shared variables that may overlap (shared_memory_explicit_layout)")
