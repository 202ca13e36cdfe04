"""The variable that a dump names behind an I/O access: `// Color`.

Up to 24.x Mesa looks for the first variable of the mode whose driver location is the base of the access
and whose components cover that of the access (nir_print.c, end of print_intrinsic_instr). Since 25.0 the
access has a name of its own, which it keeps when a pass moves it to another slot.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Dialect, Shader, Variable
from nirls.ir.model.slots import reads_attribute_in_tcs, slot_name
from nirls.ir.text.printing.source_types import component_count

_MODES: Mapping[str, str] = {
    "load_uniform": "uniform",
    "load_input": "shader_in",
    "load_per_primitive_input": "shader_in",
    "load_interpolated_input": "shader_in",
    "load_per_vertex_input": "shader_in",
    "load_output": "shader_out",
    "store_output": "shader_out",
    "store_per_vertex_output": "shader_out",
    "store_per_view_output": "shader_out",
}
# Names that the printer makes up for variables without one, or with one that is taken.
_MODERN_SUFFIX = re.compile(r"#\d+\Z")
_OLDER_SUFFIX = re.compile(r"@\d+\Z")


def is_named_access(instr: IntrinsicInstr) -> bool:
    """Whether dumps name the variable of such an intrinsic."""
    return instr.name in _MODES


class VariableNames:
    """Finds the names of the variables that I/O accesses belong to."""

    __slots__ = ("_by_base", "_stage", "_suffix", "_variables")

    def __init__(self, shader: Shader) -> None:
        self._stage = shader.stage
        self._variables = shader.variables
        self._suffix = _MODERN_SUFFIX if shader.dialect is Dialect.MODERN else _OLDER_SUFFIX
        self._by_base: dict[tuple[str, int, int], str | None] = {}

    def by_driver_location(self, instr: IntrinsicInstr) -> str | None:
        """The first variable of the access's mode, base and component: what printers up to 24.x name."""
        mode = self._mode(instr)
        if mode is None:
            return None
        component = 0 if mode == "uniform" else instr.int_index("component")
        key = (mode, instr.int_index("base"), component)
        if key not in self._by_base:
            self._by_base[key] = self._search(*key)
        return self._by_base[key]

    def by_slot(self, instr: IntrinsicInstr) -> str | None:
        """The variable declared for the slot and component of the access (Mesa 25: what nir_lower_io
        remembers as `nir_intrinsic_instr::name`)."""
        mode, semantics = self._mode(instr), instr.io_semantics
        if mode is None or semantics is None or semantics.location < 0:
            return None
        slot = slot_name(semantics.location, self._stage, is_output=mode == "shader_out")
        component = instr.int_index("component")
        for variable in self._variables:
            if variable.mode != mode or variable.location is None:
                continue
            declared, _, _ = variable.location.partition(".")
            if declared == slot and _covers(variable, component):
                return self._printed_name(variable)
        return None

    def _mode(self, instr: IntrinsicInstr) -> str | None:
        """The mode of the variable of an access; None for one of another stage's variables."""
        return None if reads_attribute_in_tcs(instr.name, self._stage) else _MODES.get(instr.name)

    def _search(self, mode: str, base: int, component: int) -> str | None:
        for variable in self._variables:
            if (
                variable.mode == mode
                and variable.driver_location == base
                and (mode == "uniform" or _covers(variable, component))
                and (name := self._printed_name(variable)) is not None
            ):
                return name
        return None

    def _printed_name(self, variable: Variable) -> str | None:
        name = self._suffix.sub("", variable.name)
        # A name that is empty and was not made up is one that the shader gave.
        return name if name or not variable.name else None


def _covers(variable: Variable, component: int) -> bool:
    first = first_component(variable)
    return first <= component < first + component_count(variable.type_name)


def first_component(variable: Variable) -> int:
    """The first component of its slot that a variable covers (Mesa: `location_frac`): 1 for `...VAR0.yz`."""
    if variable.location is None:
        return 0
    _, dot, letters = variable.location.rpartition(".")
    if not dot or not letters:
        return 0
    alphabet = "xyzw" if letters[0] in "xyzw" else "abcdefghijklmnop"
    return max(alphabet.find(letters[0]), 0)
