"""What random stages hand to each other: scalar varyings, some of them arrays, halves or patch varyings."""

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
_GENERIC = tuple(f"VAR{number}" for number in range(4))
_COLORS = ("COL0", "COL1")
_RASTERIZED = ("CLIP_DIST0", "LAYER", "VIEWPORT")
_WHOLE = frozenset(("LAYER", "VIEWPORT"))


@dataclass(frozen=True, slots=True)
class Varying:
    """One scalar varying, or an array of them in successive vec4 slots.

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

    @property
    def is_integer(self) -> bool:
        return self.slot in _WHOLE

    def semantics(self, element: int | None, slot: str = "") -> str:
        """The I/O semantics of an access of one element; None for one that is not known."""
        name, count = slot or self.slot, 1
        if self.elements > 1:
            if element is None:
                count = self.elements
            else:
                stem = name.rstrip("0123456789")
                name = f"{stem}{int(name[len(stem) :]) + element}"
        flags = " high_16bits" * self.high + " mediump" * self.mediump
        return f"component={self.component}, {{type}}, io location=VARYING_SLOT_{name} slots={count}{flags}"


def fragment_inputs(seed: random.Random, producer: str) -> list[Varying]:
    """Varyings into a fragment shader."""
    names = [*_GENERIC, "FOGC", "COL0", "COL1", "TEX1", *_RASTERIZED]
    if producer in ("GEOMETRY", "MESH"):
        names.append("PRIMITIVE_ID")
    found = []
    for name, component in _places(seed, names, 10):
        barycentric, mode = seed.choice((("", ""), *_MODES))
        if name in _COLORS:
            barycentric, mode = "load_barycentric_pixel", seed.choice(("NONE", "SMOOTH"))
            barycentric = seed.choice((barycentric, barycentric, ""))
        if name in (*_WHOLE, "PRIMITIVE_ID"):
            barycentric = ""
        back = name.replace("COL", "BFC") if name in _COLORS and seed.random() < 0.4 else ""
        if (name in _WHOLE or name == "PRIMITIVE_ID") and component:
            continue
        per_primitive = producer == "MESH" and not barycentric and seed.random() < 0.3
        if producer == "MESH" and name in (*_WHOLE, "PRIMITIVE_ID"):
            continue
        found += _as_halves(
            seed,
            Varying(
                name,
                component,
                barycentric=barycentric,
                mode=mode,
                back=back,
                mediump=name in _GENERIC and seed.random() < 0.15,
                per_primitive=per_primitive,
            ),
        )
    return found + _arrays(seed, fragment=True)


def by_declaration(varyings: Iterable[Varying]) -> list[Varying]:
    """The varyings with the qualifier of the first one in all of a vec4 slot, as declarations require."""
    qualifiers: dict[str, tuple[str, str]] = {}
    found = []
    for varying in varyings:
        slots = [varying.slot]
        if varying.elements > 1:
            stem = varying.slot.rstrip("0123456789")
            first = int(varying.slot[len(stem) :])
            slots = [f"{stem}{first + element}" for element in range(varying.elements)]
        known = next((qualifiers[slot] for slot in slots if slot in qualifiers), None)
        qualifier = known or (varying.barycentric, varying.mode)
        qualifiers.update(dict.fromkeys(slots, qualifier))
        found.append(replace(varying, barycentric=qualifier[0], mode=qualifier[1]))
    return found


def declarations(varyings: Iterable[Varying]) -> list[str]:
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


def vertex_inputs(seed: random.Random) -> list[Varying]:
    """Varyings into a stage that reads those of several vertices."""
    names = [*_GENERIC, "POS", "COL0", "TEX1", "PSIZ"]
    found = []
    for name, component in _places(seed, names, 8):
        found += _as_halves(seed, Varying(name, component))
    return found + _arrays(seed, fragment=False)


def patch_inputs(seed: random.Random) -> list[Varying]:
    """Varyings of a whole patch."""
    found = []
    for name, component in _places(seed, [f"PATCH{number}" for number in range(3)], 6):
        found += _as_halves(seed, Varying(name, component, patch=True))
    if seed.random() < 0.25:
        found.append(Varying("PATCH8", seed.randrange(4), elements=2, patch=True))
    return found


def _places(seed: random.Random, names: list[str], most: int) -> list[tuple[str, int]]:
    places = [(name, component) for name in names for component in range(4)]
    # Few names, so that slots are shared now and then.
    chosen = seed.sample(names, min(len(names), seed.randint(2, 6)))
    places = [place for place in places if place[0] in chosen]
    return sorted(seed.sample(places, min(len(places), seed.randint(1, most))))


def _as_halves(seed: random.Random, varying: Varying) -> list[Varying]:
    """The varying, or one or two of 16 bits in its place."""
    if (varying.slot not in _GENERIC and not varying.patch) or seed.random() > 0.2:
        return [varying]
    halves = seed.choice(((False,), (True,), (False, True)))
    return [
        Varying(
            varying.slot,
            varying.component,
            16,
            high,
            barycentric=varying.barycentric,
            mode=varying.mode,
            patch=varying.patch,
            per_primitive=varying.per_primitive,
        )
        for high in halves
    ]


def _arrays(seed: random.Random, *, fragment: bool) -> list[Varying]:
    """Sometimes an array, beside which scalars may sit in the same vec4 slots."""
    found: list[Varying] = []
    if seed.random() > 0.3:
        return found
    components = seed.sample(range(4), seed.randint(1, 3))
    for number, component in enumerate(components):
        barycentric, mode = seed.choice((("", ""), *_MODES)) if fragment else ("", "")
        elements = seed.choice((2, 4)) if number == 0 else seed.choice((1, 2))
        found.append(Varying("VAR8", component, elements=elements, barycentric=barycentric, mode=mode))
    return found
