"""The unit of the offsets of `load_uniform`: bytes, words or vec4s, as the driver counts; dumps do not say.

`range` is the size of the variable in that unit, so it is found where the type of the variable is known.
"""

from __future__ import annotations

from collections.abc import Iterable

from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.glsl_types import array_parts, leaf_type
from nirls.ir.model.instructions import DerefInstr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def

_WORD, _VEC4 = 4, 16


def unit_of(loads: Iterable[tuple[Def, IntrinsicInstr]]) -> int:
    """Return how many bytes an offset counts, by loads and the values of variables that they load."""
    return max((_least_unit(value, load) for value, load in loads if load.name == "load_uniform"), default=1)


def with_offsets_in_bytes(shader: Shader, unit: int) -> Shader:
    """Return a copy whose uniforms are loaded by offsets in bytes, not in multiples of `unit` bytes."""
    copy = clone_shader(shader)
    for impl in copy.impls():
        for load in _uniform_loads(impl):
            offset, block = load.sources[0].def_, load.block
            if offset is None or block is None:
                continue
            builder = Builder(impl, block, load)
            factor = builder.load_const([unit], offset.bit_size)
            load.sources[0].set_def(builder.alu("imul", [offset, factor], 1, offset.bit_size))
            load.indices["base"] = load.int_index("base") * unit
    return copy


def _least_unit(value: Def, load: IntrinsicInstr) -> int:
    origin = value.instr
    deref = origin.sources[0].def_instr if isinstance(origin, IntrinsicInstr) and origin.sources else None
    variable = deref.root.var if isinstance(deref, DerefInstr) else None
    words = None if variable is None else _words(variable.type_name)
    size = load.int_index("range")
    if words is None or size >= _WORD * words:
        return 1
    return _WORD if size >= words else _VEC4


def _words(type_name: str) -> int | None:
    """Return the number of 32-bit words of a type without padding; None for a struct."""
    parts = array_parts(type_name)
    if parts is not None:
        of_element = _words(parts[0])
        return None if of_element is None else of_element * parts[1]
    leaf = leaf_type(type_name)
    return None if leaf is None else leaf.num_components * max(leaf.bit_size, 32) // 32


def _uniform_loads(impl: FunctionImpl) -> list[IntrinsicInstr]:
    return [
        instr for instr in impl.instrs() if isinstance(instr, IntrinsicInstr) and instr.name == "load_uniform"
    ]
