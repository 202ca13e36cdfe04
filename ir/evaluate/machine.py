"""Run a shader on a batch of invocations (see `nirls.ir.evaluate`)."""

from __future__ import annotations

import numpy as np

from nirls.ir.evaluate.aliasing import refuse_aliases
from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.errors import Unsupported
from nirls.ir.evaluate.inputs import EnvironmentInputs, InputSupply
from nirls.ir.evaluate.launch import Launch, launch_for
from nirls.ir.evaluate.memory import Memory
from nirls.ir.evaluate.outputs import OutputStore
from nirls.ir.evaluate.program import ProgramCompiler
from nirls.ir.evaluate.result import ShaderResult
from nirls.ir.evaluate.state import CallFrame, RunOptions, State
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage


class Machine:
    """A shader compiled for any number of runs; it must not be modified afterwards.

    The constructor raises `Unsupported` for a shader that cannot be evaluated.
    """

    __slots__ = ("program", "shader")

    def __init__(self, shader: Shader) -> None:
        entry = shader.entrypoint
        if entry is None:
            raise Unsupported("a shader without entry point")
        refuse_aliases(shader)
        self.shader = shader
        self.program = ProgramCompiler(shader).program(entry.function)

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
        frame = CallFrame(
            self.program,
            self.program.fresh_values(launch.lanes, state.options.overrides, state.options.certain),
            np.zeros(launch.lanes, np.bool_),
            {},
            [],
        )
        state.push_call(frame)
        with np.errstate(all="ignore"):
            position = 0
            while position >= 0:
                position = state.calls[-1].program.code[position](state, position)
        if state.races is not None:
            state.mark_poisoned(state.races.overtaken)
        if state.options.at_end is not None:
            state.options.at_end(state)
        return ShaderResult(
            stage=self.shader.stage or Stage.COMPUTE,
            launch=launch,
            outputs=state.outputs.planes,
            memory=state.memory.visible_cells(),
            discarded=state.terminated | state.demoted,
            poisoned=state.poisoned,
            rejoined=state.rejoined,
            given_up=state.given_up,
            fragile=state.fragile,
            emitted=state.emitted,
            xfb=state.xfb,
            varyings_only=state.varyings_only,
            executed=state.executed,
            writers=state.memory.writers_of_visible_cells(),
            communicating=state.memory.communicating,
            astray=state.astray,
            interpolations=state.interpolations,
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
