"""Facts that one side of a comparison tells, and the other one needs too.

A vertex attribute may be a number whose meaning only the declarations of the other side tell. The size of a
workgroup is 0 in a header that is printed before it was set, as in the first dump of a compute shader of
OpenGL: it has the size of the other side. An input or output that instructions name and that is not declared,
as while OpenGL links varyings, is the declared one of the other side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nirls.ir.io.variables import undeclared_io
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import HeaderField, Shader
from nirls.ir.model.slots import AttributeNumbers
from nirls.ir.text.attribute_numbers import attribute_numbers, set_attribute_numbers

_SIZE = "workgroup_size"


def with_facts_of_both(
    before: Sequence[Shader], after: Sequence[Shader]
) -> tuple[list[Shader], list[Shader]]:
    """Return the shaders of both sides, those that lack a fact as copies with what the other side tells."""
    numbers = _numbering([*before, *after])
    first, second = ([_numbered(shader, numbers) for shader in side] for side in (before, after))
    pairs = list(zip(first, second, strict=False))
    return (
        [_declared(_sized(shader, twin), twin) for shader, twin in pairs] + first[len(pairs) :],
        [_declared(_sized(twin, shader), shader) for shader, twin in pairs] + second[len(pairs) :],
    )


def _numbering(shaders: Sequence[Shader]) -> AttributeNumbers:
    if all(shader.attribute_numbers is not AttributeNumbers.UNKNOWN for shader in shaders):
        return AttributeNumbers.UNKNOWN
    return attribute_numbers(b"\n".join(dict.fromkeys(shader.source for shader in shaders)))


def _numbered(shader: Shader, numbers: AttributeNumbers) -> Shader:
    if shader.attribute_numbers is not AttributeNumbers.UNKNOWN or numbers is AttributeNumbers.UNKNOWN:
        return shader
    copy = clone_shader(shader)
    set_attribute_numbers(copy, numbers)
    return copy


def _sized(shader: Shader, other: Shader) -> Shader:
    if any(shader.workgroup_size) or not all(other.workgroup_size):
        return shader
    copy = clone_shader(shader)
    size = ", ".join(map(str, other.workgroup_size))
    copy.header = [*(field for field in copy.header if field.key != _SIZE), HeaderField(_SIZE, size)]
    return copy


def _declared(shader: Shader, other: Shader) -> Shader:
    names = {deref.var_name for deref in undeclared_io(shader)}
    found = {variable.name: variable for variable in other.variables if variable.name in names}
    if not found:
        return shader
    copy = clone_shader(shader)
    for deref in undeclared_io(copy):
        variable = found.get(deref.var_name)
        if variable is None or (variable.mode, variable.type_name) != (deref.mode, deref.type_name):
            continue
        deref.var = next((own for own in copy.variables if own.name == variable.name), None)
        if deref.var is None:
            deref.var = replace(variable)
            copy.variables.append(deref.var)
    return copy
