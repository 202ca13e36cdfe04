"""One numbering of vertex attributes for both sides of a comparison, which one Mesa printed."""

from __future__ import annotations

from collections.abc import Sequence

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import AttributeNumbers
from nirls.ir.text.attribute_numbers import attribute_numbers, set_attribute_numbers


def with_one_numbering(
    before: Sequence[Shader], after: Sequence[Shader]
) -> tuple[list[Shader], list[Shader]]:
    """Return the shaders, those in an unknown numbering as copies in that of the others, where they tell it.

    One side may have the declarations that the other one lost.
    """
    shaders = [*before, *after]
    if all(shader.attribute_numbers is not AttributeNumbers.UNKNOWN for shader in shaders):
        return list(before), list(after)
    numbers = attribute_numbers(b"\n".join(dict.fromkeys(shader.source for shader in shaders)))
    return [_numbered(shader, numbers) for shader in before], [_numbered(shader, numbers) for shader in after]


def _numbered(shader: Shader, numbers: AttributeNumbers) -> Shader:
    if shader.attribute_numbers is not AttributeNumbers.UNKNOWN or numbers is AttributeNumbers.UNKNOWN:
        return shader
    copy = clone_shader(shader)
    set_attribute_numbers(copy, numbers)
    return copy
