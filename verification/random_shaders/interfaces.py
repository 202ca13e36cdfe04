"""Interfaces between random stages: scalar varyings, some of them arrays, halves or patch varyings."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace

_MODES = (
    ("load_barycentric_pixel", "SMOOTH"),
    ("load_barycentric_pixel", "SMOOTH"),
    ("load_barycentric_centroid", "SMOOTH"),
    ("load_barycentric_sample", "SMOOTH"),
    ("load_barycentric_pixel", "NOPERSPECTIVE"),
    ("load_barycentric_centroid", "NOPERSPECTIVE"),
)
GENERIC = tuple(f"VAR{number}" for number in range(4))
COLORS = {"COL0": "BFC0", "COL1": "BFC1"}
_RASTERIZED = ("CLIP_DIST0", "LAYER", "VIEWPORT")
WHOLE = frozenset(("LAYER", "VIEWPORT", "PRIMITIVE_ID"))
"""Slots of one int."""


@dataclass(frozen=True, slots=True)
class RandomVarying:
    """One scalar varying or other I/O slot, or an array of varyings in successive vec4 slots.

    `barycentric` and `mode` say how a fragment shader interpolates it; empty for flat. `back` is the slot of
    the back color that is written too.
    """

    slot: str
    component: int
    bits: int = 32
    high: bool = False
    elements: int = 1
    barycentric: str = ""
    mode: str = ""
    patch: bool = False
    per_primitive: bool = False
    mediump: bool = False
    back: str = ""
    is_integer: bool = False

    def slots(self, element: int | None) -> int:
        """The number of vec4 slots that an access of an element may touch."""
        return self.elements if element is None else 1

    def semantics(self, type_index: str, element: int | None = 0, slot: str = "", flags: str = "") -> str:
        """The component, the type and the I/O semantics of an access; None for an unknown element."""
        name = slot or self.slot
        if self.elements > 1 and element is not None:
            name = _slot_behind(name, element)
        if not name.startswith(("VERT_ATTRIB", "FRAG_RESULT")):
            name = f"VARYING_SLOT_{name}"
        type_ = f"{'int' if self.is_integer else 'float'}{self.bits}"
        words = " high_16bits" * self.high + " mediump" * self.mediump + flags
        return (
            f"component={self.component}, {type_index}={type_},"
            f" io location={name} slots={self.slots(element)}{words}"
        )


def _slot_behind(name: str, number: int) -> str:
    stem = name.rstrip("0123456789")
    return f"{stem}{int(name[len(stem) :]) + number}"


def fragment_inputs(seed: random.Random, producer: str) -> list[RandomVarying]:
    """Varyings into a fragment shader."""
    names = [*GENERIC, "FOGC", "COL0", "COL1", "TEX1", *_RASTERIZED]
    if producer in ("GEOMETRY", "MESH"):
        names.append("PRIMITIVE_ID")
    found = []
    for name, component in _places(seed, names, 10):
        barycentric, mode = seed.choice((("", ""), *_MODES))
        if name in COLORS:
            barycentric, mode = "load_barycentric_pixel", seed.choice(("NONE", "SMOOTH"))
            barycentric = seed.choice((barycentric, barycentric, ""))
        if name in WHOLE:
            barycentric = ""
        back = COLORS[name] if name in COLORS and seed.random() < 0.4 else ""
        if name in WHOLE and (component or producer == "MESH"):
            continue
        per_primitive = producer == "MESH" and not barycentric and seed.random() < 0.3
        found += _as_halves(
            seed,
            RandomVarying(
                name,
                component,
                barycentric=barycentric,
                mode=mode,
                back=back,
                mediump=name in GENERIC and seed.random() < 0.15,
                per_primitive=per_primitive,
                is_integer=name in WHOLE,
            ),
        )
    return found + _arrays(seed, fragment=True)


def by_declaration(varyings: Iterable[RandomVarying]) -> list[RandomVarying]:
    """The varyings with the qualifier of the first one in all of a vec4 slot, as declarations require."""
    qualifiers: dict[str, tuple[str, str]] = {}
    found = []
    for varying in varyings:
        slots = [varying.slot]
        if varying.elements > 1:
            slots = [_slot_behind(varying.slot, element) for element in range(varying.elements)]
        known = next((qualifiers[slot] for slot in slots if slot in qualifiers), None)
        qualifier = known or (varying.barycentric, varying.mode)
        qualifiers.update(dict.fromkeys(slots, qualifier))
        found.append(replace(varying, barycentric=qualifier[0], mode=qualifier[1]))
    return found


def declarations(varyings: Iterable[RandomVarying]) -> list[str]:
    """The `decl_var` lines of a fragment shader's inputs."""
    lines = []
    for number, varying in enumerate(varyings):
        if varying.per_primitive:
            continue
        mode = varying.mode if varying.barycentric else "FLAT"
        sampling = varying.barycentric.removeprefix("load_barycentric_")
        words = f"{sampling} " if sampling in ("centroid", "sample") else ""
        kind = "uint" if varying.is_integer else {16: "float16_t", 32: "float"}[varying.bits]
        size = f"[{varying.elements}]" if varying.elements > 1 else ""
        component = "xyzw"[varying.component]
        lines.append(
            f"decl_var {words}shader_in INTERP_MODE_{mode} none {kind}{size} in{number}"
            f" (VARYING_SLOT_{varying.slot}.{component}, {number}, 0)"
        )
    return lines


def vertex_inputs(seed: random.Random) -> list[RandomVarying]:
    """Varyings into a stage that reads those of several vertices."""
    names = [*GENERIC, "POS", "COL0", "TEX1", "PSIZ"]
    found = []
    for name, component in _places(seed, names, 8):
        found += _as_halves(seed, RandomVarying(name, component))
    return found + _arrays(seed, fragment=False)


def patch_inputs(seed: random.Random) -> list[RandomVarying]:
    """Varyings of a whole patch."""
    found = []
    for name, component in _places(seed, [f"PATCH{number}" for number in range(3)], 6):
        found += _as_halves(seed, RandomVarying(name, component, patch=True))
    if seed.random() < 0.25:
        found.append(RandomVarying("PATCH8", seed.randrange(4), elements=2, patch=True))
    return found


def _places(seed: random.Random, names: list[str], most: int) -> list[tuple[str, int]]:
    places = [(name, component) for name in names for component in range(4)]
    # Few names, so that slots are shared now and then.
    chosen = seed.sample(names, min(len(names), seed.randint(2, 6)))
    places = [place for place in places if place[0] in chosen]
    return sorted(seed.sample(places, min(len(places), seed.randint(1, most))))


def _as_halves(seed: random.Random, varying: RandomVarying) -> list[RandomVarying]:
    """The varying, or one or two of 16 bits in its place."""
    if (varying.slot not in GENERIC and not varying.patch) or seed.random() > 0.2:
        return [varying]
    return halves_of(seed, varying)


def halves_of(seed: random.Random, varying: RandomVarying) -> list[RandomVarying]:
    """One or two varyings of 16 bits in the place of one of 32."""
    return [
        replace(varying, bits=16, high=high, mediump=False)
        for high in seed.choice(((False,), (True,), (False, True)))
    ]


def _arrays(seed: random.Random, *, fragment: bool) -> list[RandomVarying]:
    """Sometimes an array, beside which scalars may sit in the same vec4 slots."""
    random_varyings: list[RandomVarying] = []
    if seed.random() > 0.3:
        return random_varyings
    components = seed.sample(range(4), seed.randint(1, 3))
    for number, component in enumerate(components):
        barycentric, mode = seed.choice((("", ""), *_MODES)) if fragment else ("", "")
        elements = seed.choice((2, 4)) if number == 0 else seed.choice((1, 2))
        random_varyings.append(
            RandomVarying("VAR8", component, elements=elements, barycentric=barycentric, mode=mode)
        )
    return random_varyings
