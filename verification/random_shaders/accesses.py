"""Loads and stores of varyings and other I/O slots, as text."""

from __future__ import annotations

from nirls.verification.random_shaders.body import Body
from nirls.verification.random_shaders.interfaces import RandomVarying

At = tuple[int, int | None]
"""The offset source of an access and the element it is of; None for an element that is not constant."""

_WITHOUT_RANGE = ("load_interpolated_input", "load_input_vertex")


def some_element(body: Body, varying: RandomVarying) -> At:
    """An element of an array, often by an index that is not constant; element 0 of what is no array."""
    if varying.elements == 1:
        return body.zero, 0
    if body.chance(0.5):
        return body.small_number(varying.elements), None
    return body.zero, body.random.randrange(varying.elements)


def load(
    body: Body,
    name: str,
    varying: RandomVarying,
    first: int | None = None,
    at: At | None = None,
    *,
    width: int = 1,
    flags: str = "",
) -> int:
    """Write a load; returns its def.

    `first` is the source before the offset: the vertex, or the barycentric coordinates.
    """
    offset, element = (body.zero, 0) if at is None else at
    range_ = "" if name in _WITHOUT_RANGE else f"range={varying.slots(element)}, "
    semantics = varying.semantics("dest_type", element, flags=flags)
    before = "" if first is None else f"%{first}, "
    size = f"{varying.bits}{'' if width == 1 else f'x{width}'}"
    return body.define(size, f"@{name} ({before}%{offset}) (base=0, {range_}{semantics})")


def take(body: Body, varying: RandomVarying, value: int) -> None:
    """Let later code read what was loaded of a varying; an int mostly as a float."""
    if not varying.is_integer:
        body.take(value)
        return
    if body.ints:
        body.ints.append(value)
    if not body.ints or body.chance(0.5):
        body.floats.append(body.define("32", f"i2f32 %{value}"))


def load_and_take(body: Body, name: str, varying: RandomVarying, first: int | None = None) -> None:
    """Load an element of a varying for later code."""
    take(body, varying, load(body, name, varying, first, some_element(body, varying)))


def value_for(body: Body, varying: RandomVarying) -> int:
    """A value of a varying's type."""
    if varying.is_integer:
        return body.integer() if body.ints else body.small_number(2)
    return body.value() if varying.bits == 32 else body.half()


def store(
    body: Body,
    varying: RandomVarying,
    value: int,
    *,
    name: str = "store_output",
    first: int | None = None,
    at: At | None = None,
    slot: str = "",
    mask: str = "x",
    captured: int | None = None,
    flags: str = "",
) -> None:
    """Write a store. `first` is the vertex, `captured` the offset in the transform feedback buffer."""
    offset, element = (body.zero, 0) if at is None else at
    before = "" if first is None else f"%{first}, "
    xfb = "" if captured is None else f"component={varying.component} buffer=0 offset={captured}"
    low, high = (xfb, "") if varying.component < 2 else ("", xfb)
    streams = " gs_streams(x=0 y=0 z=0 w=0)" if body.stage == "GEOMETRY" else ""
    tail = f", xfb({low}), xfb2({high})" if name == "store_output" else ""
    semantics = varying.semantics("src_type", element, slot, flags + streams)
    body.line(
        f"@{name} (%{value}, {before}%{offset}) (base=0, range={varying.slots(element)}, wrmask={mask},"
        f" {semantics}{tail})"
    )


def store_elements(
    body: Body, varying: RandomVarying, name: str = "store_output", first: int | None = None
) -> None:
    """Mostly, store all elements of an array, so that a load at an index finds something."""
    if varying.elements > 1 and body.chance(0.97):
        for element in range(varying.elements):
            value = value_for(body, varying)
            store(body, varying, value, name=name, first=first, at=(body.zero, element))


def store_position(body: Body, name: str = "store_output", first: int | None = None) -> None:
    for component in range(4):
        store(body, RandomVarying("POS", component), body.value(), name=name, first=first)


def store_colors(body: Body, count: int, *, dual: bool = False) -> None:
    """Store the last floats in color outputs of a fragment shader; with `dual` perhaps the second source."""
    for output in range(count):
        value = body.floats[-1 - output] if len(body.floats) > output else body.constants[1]
        is_second = dual and output == 1 and body.chance(0.2)
        slot = "DATA0" if is_second else f"DATA{output}"
        store(body, RandomVarying(f"FRAG_RESULT_{slot}", 0), value, flags=" dualsrc" * is_second)


def load_attributes(body: Body, count: int = 4) -> None:
    """Load components of the vertex attribute 0."""
    for component in range(count):
        body.floats.append(load(body, "load_input", RandomVarying("VERT_ATTRIB_GENERIC0", component)))


UNIFORMS = (
    "decl_var uniform INTERP_MODE_NONE none vec4 u (0, 0, 0)",
    "decl_var ubo INTERP_MODE_NONE none vec4[4] b (0, 0, 0)",
)
"""The declarations that `load_uniforms` needs."""


def load_uniforms(body: Body) -> None:
    """Load a uniform and an element of a uniform block."""
    body.floats += body.uniform("u")
    block = body.define("32", "deref_var &b (ubo vec4[4])")
    element = body.define("32", f"deref_array &(*%{block})[2] (ubo vec4)")
    body.floats += body.lanes(body.define("32x4", f"@load_deref (%{element}) (access=none)"), "w")
