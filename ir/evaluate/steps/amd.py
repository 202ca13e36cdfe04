"""AMD intrinsics that are plain loads: shader arguments and scalar memory. Others are not supported."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nirls.ir.evaluate.compiler import Compiler
from nirls.ir.evaluate.state import State, Step
from nirls.ir.evaluate.steps.inputs import dest_shape
from nirls.ir.evaluate.value import Value
from nirls.ir.evaluate.wanted_types import wanted_base
from nirls.ir.model.instructions import IntrinsicInstr


def _argument(is_scalar: bool) -> Callable[[Compiler, IntrinsicInstr], Step]:
    """Compile the load of an argument register by number; scalar ones are uniform."""

    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        number, write = instr.int_index("base"), compiler.write(instr)
        width, bit_size = dest_shape(instr)
        base = "float" if instr.def_ is None else wanted_base(instr.def_)

        def step(state: State) -> None:
            environment = state.environment
            kind, size = environment.settle((instr.name, number), base, bit_size)
            lanes = np.zeros(1, np.int64) if is_scalar else state.lane_numbers
            spaces = [(instr.name, number, row) for row in range(width)]
            bits = environment.numbers(environment.hashes_of(spaces, lanes), kind, size)
            write(state, Value(np.broadcast_to(bits, (width, state.lanes)), bit_size))

        return step

    return make


STEPS = {
    "load_scalar_arg_amd": _argument(is_scalar=True),
    "load_vector_arg_amd": _argument(is_scalar=False),
}
