"""C++ that gives variables their initial values.

Floats are printed with six decimals: the value is the float nearest to the text, which prints the same.
"""

from __future__ import annotations

import math
import re

from nirls.ir.mesa_test.code import Code
from nirls.ir.model.glsl_types import LeafType, StructTypes, array_parts, leaf_type
from nirls.ir.model.shader import Variable

_TOKEN = re.compile(r"\s*([{},]|[^\s{},]+)")


def write_initializer(variable: Variable, name: str, code: Code) -> None:
    """Write the initial value of a variable, a constant of its type."""
    text = variable.initializer or ""
    tokens = _TOKEN.findall(text)
    if text == "null":
        constant = code.identifier(f"{name}_init", "value")
        code.line(f"nir_constant *{constant} = rzalloc(b->shader, nir_constant);")
        code.line(f"{constant}->is_null_constant = true;")
        code.line(f"{name}->constant_initializer = {constant};")
        return
    if tokens[:1] != ["{"] or tokens[-1:] != ["}"]:
        code.refuse(f"the initializer of {variable.name}")
        return
    reader = _Reader(tokens[1:-1], name, code, code.struct_types)
    try:
        constant = reader.constant(variable.type_name)
    except (IndexError, ValueError):
        code.refuse(f"the initializer of {variable.name}")
        return
    if reader.tokens:
        code.refuse(f"the initializer of {variable.name}")
    code.line(f"{name}->constant_initializer = {constant};")


class _Reader:
    """Reads the printed values from left to right, and writes a `nir_constant` for each part."""

    def __init__(self, tokens: list[str], name: str, code: Code, structs: StructTypes) -> None:
        self.tokens = tokens
        self.name = name
        self.code = code
        self.structs = structs

    def constant(self, type_name: str) -> str:
        """Write the constant of a type; return its name. Raises ValueError for unexpected text."""
        name = self.code.identifier(f"{self.name}_init", "value")
        self.code.line(f"nir_constant *{name} = rzalloc(b->shader, nir_constant);")
        leaf = leaf_type(type_name)
        if leaf is not None:
            self._components(leaf, name)
            return name
        parts = array_parts(type_name)
        if parts is not None:
            is_matrix = "[" not in type_name
            elements = [(parts[0], not is_matrix)] * parts[1]
        else:
            elements = [(inner, True) for inner in self.structs.fields.get(type_name, {}).values()]
        if not elements:
            raise ValueError("a type without elements")
        made = []
        for position, (inner, has_braces) in enumerate(elements):
            if position:
                self._expect(",")
            if has_braces:
                self._expect("{")
            made.append(self.constant(inner))
            if has_braces:
                self._expect("}")
        self.code.line(f"{name}->num_elements = {len(made)};")
        self.code.line(f"{name}->elements = ralloc_array(b->shader, nir_constant *, {len(made)});")
        for position, element in enumerate(made):
            self.code.line(f"{name}->elements[{position}] = {element};")
        return name

    def _components(self, leaf: LeafType, name: str) -> None:
        for component in range(leaf.num_components):
            if component:
                self._expect(",")
            text = self.tokens.pop(0)
            place = f"{name}->values[{component}]"
            if leaf.base == "float":
                value = float(text)
                if not math.isfinite(value):
                    raise ValueError(f"{text}, whose bits are not printed")
                if value:
                    self.code.line(f"{place} = nir_const_value_for_float({value!r}, {leaf.bit_size});")
            elif leaf.base == "bool":
                self.code.line(f"{place}.b = {self.code.word(text)};")
            else:
                text = self.code.word(text)
                self.code.line(f"{place} = nir_const_value_for_raw_uint({text}, {leaf.bit_size});")

    def _expect(self, token: str) -> None:
        if self.tokens.pop(0) != token:
            raise ValueError(f"no {token}")
