"""Interpolation of fragment shader inputs, from loads and declarations.

In order of precedence: the barycentric coordinates of a load, the declaration of its variable, the kind of
the load. A driver uses barycentric coordinates either for every interpolated load, so that `load_input` is
flat, or only for GLSL's `interpolateAt` functions, so that the declarations apply (nir_lower_io's
`use_interpolated_input_intrinsics`). If some inputs are declared, a component without a declaration is
unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from nirls.ir.io.access import FRONT_COLOR_OF, io_access, io_accesses
from nirls.ir.io.level import LoweringLevel
from nirls.ir.io.variables import innermost, variable_place, variable_slots
from nirls.ir.model.glsl_types import leaf_type
from nirls.ir.model.instructions import DerefInstr, IntrinsicInstr
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.slots import VARYING_SLOTS, varying_slot
from nirls.ir.model.stage import Stage

NO_PERSPECTIVE = "INTERP_MODE_NOPERSPECTIVE"
BY_SHADE_MODEL = "INTERP_MODE_NONE"
SMOOTH = "INTERP_MODE_SMOOTH"


class Sampling(Enum):
    """Position within the pixel where an input is interpolated. The value orders the groups of packing."""

    PIXEL = 0
    CENTROID = 1
    SAMPLE = 2


class Interpolation(Enum):
    """The qualifiers of an interpolated input, in the order in which packing processes them."""

    PERSPECTIVE_PIXEL = 0
    PERSPECTIVE_CENTROID = 1
    PERSPECTIVE_SAMPLE = 2
    LINEAR_PIXEL = 3
    LINEAR_CENTROID = 4
    LINEAR_SAMPLE = 5

    @property
    def is_linear(self) -> bool:
        """Whether the interpolation ignores perspective."""
        return self.value >= 3

    @property
    def sampling(self) -> Sampling:
        """The position within the pixel."""
        return Sampling(self.value % 3)

    @property
    def barycentric(self) -> str:
        """The intrinsic that computes the barycentric coordinates."""
        return f"load_barycentric_{self.sampling.name.lower()}"

    @property
    def mode(self) -> str:
        """The `interp_mode` index of that intrinsic."""
        return NO_PERSPECTIVE if self.is_linear else SMOOTH


class InputKind(Enum):
    """The way a fragment shader reads an input."""

    INTERPOLATED = "interpolated"
    SHADE_MODEL = "by shade model"
    """A color that `glShadeModel` makes flat or interpolated."""
    FLAT = "flat"
    EXPLICIT = "explicit"
    EXPLICIT_STRICT = "explicit, strict"
    PER_PRIMITIVE = "per primitive"


@dataclass(frozen=True, slots=True)
class InputReading:
    """The interpolation of one input.

    `interpolation` is the qualifier of interpolated inputs and colors. `at_a_point` is set if it was read off
    `interpolateAtOffset` or `interpolateAtSample`, whose input has an unknown qualifier. `declaration` is the
    variable that says it, None if the load does. `replaced` is set for texture coordinates, whose x and y
    point sprites may replace.
    """

    kind: InputKind
    interpolation: Interpolation | None = None
    at_a_point: bool = False
    declaration: Variable | None = None
    replaced: bool = False


COLORS = frozenset((*FRONT_COLOR_OF, *FRONT_COLOR_OF.values()))
_TEXCOORDS = frozenset(varying_slot(f"TEX{number}") for number in range(8))
_INTEGERS = frozenset(
    varying_slot(name) for name in ("PRIMITIVE_ID", "LAYER", "VIEWPORT", "FACE", "VIEW_INDEX")
)
"""Slots that are never interpolated, declared or not."""

_SAMPLING = {
    "load_barycentric_pixel": Sampling.PIXEL,
    "load_barycentric_centroid": Sampling.CENTROID,
    "load_barycentric_sample": Sampling.SAMPLE,
}
_AT_A_POINT = frozenset(("load_barycentric_at_offset", "load_barycentric_at_sample"))
_BARYCENTRIC, _CENTROID = "load_barycentric", "load_barycentric_centroid"
_ASKED_FOR = frozenset((*_AT_A_POINT, _CENTROID))
_OF_PLAIN_INPUTS = tuple(f"{_BARYCENTRIC}_{kind}".encode() for kind in ("pixel", "sample", "model", "coord"))

# The `flags` of ipa_nv (Mesa: nak_private.h, nak_nir_ipa_flags): two bits each of mode, frequency, location.
_NV_MODE, _NV_LOCATION_SHIFT = 3, 4
_NV_LINEAR, _NV_CONSTANT = 1, 2
_NV_CENTROID, _NV_OFFSET = 1, 2


def interpolates_at_samples(shader: Shader) -> bool:
    """Return whether a shader interpolates at samples or centroids, not at pixels only."""
    samplings = set()
    for instr in shader.instrs():
        if isinstance(instr, IntrinsicInstr):
            samplings.add(_SAMPLING.get(instr.name, Sampling.PIXEL))
        elif isinstance(instr, DerefInstr) and instr.var is not None and instr.mode == "shader_in":
            samplings.add(_declared_interpolation(instr.var).sampling)
    return not samplings <= {Sampling.PIXEL}


def barycentric_of(load: IntrinsicInstr) -> IntrinsicInstr | None:
    """Return the instruction that computes a load's barycentric coordinates; None if unknown."""
    maker = load.sources[0].def_instr if load.sources else None
    if not isinstance(maker, IntrinsicInstr):
        return None
    return maker if maker.name in _SAMPLING or maker.name in _AT_A_POINT else None


def is_at_a_point(barycentric: IntrinsicInstr) -> bool:
    """Whether the coordinates belong to `interpolateAtOffset` or `interpolateAtSample`."""
    return barycentric.name in _AT_A_POINT


def follows_shade_model(barycentric: IntrinsicInstr) -> bool:
    """Whether `glShadeModel` decides if a color with these coordinates is flat."""
    return barycentric.indices.get("interp_mode") == BY_SHADE_MODEL


def interpolation_of(barycentric: IntrinsicInstr) -> Interpolation:
    """Return the qualifier; evaluation at a point implies an input qualified for the pixel center."""
    linear = barycentric.indices.get("interp_mode") == NO_PERSPECTIVE
    sampling = _SAMPLING.get(barycentric.name, Sampling.PIXEL)
    return Interpolation(3 * linear + sampling.value)


class FragmentInputs:
    """The inputs of one fragment shader; inputs of any other stage are flat.

    A driver profile is not asked: where it contradicts the dump, the dump is right.
    """

    def __init__(self, shader: Shader) -> None:
        self._shader = shader

    def reading(self, load: IntrinsicInstr) -> InputReading | None:
        """Return how a load reads its input; None if nothing says it, or for another instruction."""
        semantics = load.io_semantics
        slot = -1 if semantics is None else semantics.location
        replaced = slot in _TEXCOORDS
        match load.name:
            case "load_interpolated_input":
                barycentric = barycentric_of(load)
                if barycentric is None:
                    return None
                by_shade_model = slot in COLORS and follows_shade_model(barycentric)
                return InputReading(
                    InputKind.SHADE_MODEL if by_shade_model else InputKind.INTERPOLATED,
                    interpolation_of(barycentric),
                    is_at_a_point(barycentric),
                    replaced=replaced,
                )
            case "load_input_vertex":
                strict = semantics is not None and semantics.has("explicit_strict")
                return InputReading(InputKind.EXPLICIT_STRICT if strict else InputKind.EXPLICIT)
            case "load_per_primitive_input":
                return InputReading(InputKind.PER_PRIMITIVE)
            case "load_input":
                return self._plain(load, slot, replaced)
            case "ipa_nv":
                return _nv_reading(load.int_index("flags"))
            case _:
                return None

    @cached_property
    def mixed_slots(self) -> frozenset[int]:
        """Return the slots that are interpolated for one component and not for another.

        Without barycentric coordinates, one qualifier must hold for the whole slot.
        """
        found: dict[int, set[object]] = {}
        for slot, reading in self._readings():
            interpolated = reading.kind in (InputKind.INTERPOLATED, InputKind.SHADE_MODEL)
            qualifier = reading.interpolation if reading.declaration is not None else None
            found.setdefault(slot, set()).add((interpolated or reading.kind, qualifier))
        return frozenset(slot for slot, kinds in found.items() if len(kinds) > 1)

    @cached_property
    def slots_of_several_qualifiers(self) -> frozenset[int]:
        """Return the slots whose components have no qualifier in common, by the coordinates that they use.

        Hardware that has one qualifier for a slot cannot load them. A component may also be read at other
        places (`interpolateAtCentroid`).
        """
        places: dict[int, dict[int, set[Interpolation]]] = {}
        for access in io_accesses(self._shader):
            is_backend = access.form is LoweringLevel.BACKEND_IO
            reading = None if access.is_output or is_backend else self.reading(access.instr)
            if reading is None or reading.interpolation is None or reading.at_a_point:
                continue
            for slot in access.slots:
                for lane in access.lanes:
                    components = places.setdefault(slot, {})
                    components.setdefault(access.component + lane, set()).add(reading.interpolation)
        return frozenset(
            slot for slot, components in places.items() if not set.intersection(*components.values())
        )

    @cached_property
    def go_by_declarations(self) -> bool:
        """Whether declarations decide which inputs are interpolated, and some do so."""
        if self._shader.stage is not Stage.FRAGMENT or self._has_barycentrics:
            return False
        return any(_reading_declared(variable).interpolation is not None for variable in self._declared)

    def refusal(self, load: IntrinsicInstr) -> str | None:
        """Return why the interpolation of a load is not certain; None if it is."""
        if self._shader.stage is not Stage.FRAGMENT or not self._declared or self._has_barycentrics:
            return None
        access = io_access(load, Stage.FRAGMENT)
        if access is None or access.is_output:
            return None
        if self.reading(load) is None:
            return f"no declaration says how input {VARYING_SLOTS[access.slot]} is interpolated"
        for slot in access.slots & self.mixed_slots:
            return f"the components of input {VARYING_SLOTS[slot]} are interpolated differently"
        return None

    def _plain(self, load: IntrinsicInstr, slot: int, replaced: bool) -> InputReading | None:
        if self._shader.stage is not Stage.FRAGMENT or self._has_barycentrics or slot in _INTEGERS:
            return InputReading(InputKind.FLAT, replaced=replaced)
        variable = self._variable_of(load)
        if variable is not None:
            return _reading_declared(variable)
        return None if self._declared else InputReading(InputKind.FLAT, replaced=replaced)

    def _readings(self) -> Iterator[tuple[int, InputReading]]:
        # Coordinates asked for interpolate a declared input as they say, whatever qualifier its slot has.
        by_declaration = bool(self._declared) and not self._has_barycentrics
        for access in io_accesses(self._shader):
            # Hardware may interpolate each component by itself.
            is_backend = access.form is LoweringLevel.BACKEND_IO
            reading = None if access.is_output or is_backend else self.reading(access.instr)
            if by_declaration and access.instr.name == "load_interpolated_input":
                continue
            if reading is not None:
                for slot in access.slots:
                    yield slot, reading

    @cached_property
    def _declared(self) -> tuple[Variable, ...]:
        variables = self._shader.variables_of_mode("shader_in")
        return tuple(variable for variable in variables if variable.location is not None)

    @cached_property
    def _has_barycentrics(self) -> bool:
        """Whether the driver reads plain inputs at barycentric coordinates.

        GLSL's `interpolateAtCentroid`, `interpolateAtSample` and `interpolateAtOffset` become barycentric
        coordinates in every driver, and say nothing about the others: those of a centroid only do so where
        an input is declared `centroid`. That is asked of the text that the shader was read from too: a pass
        may have made all its inputs flat.
        """
        if any(name in self._shader.source for name in _OF_PLAIN_INPUTS):
            return True
        names = {instr.name for instr in self._shader.instrs() if isinstance(instr, IntrinsicInstr)}
        if any(name.startswith(_BARYCENTRIC) and name not in _ASKED_FOR for name in names):
            return True
        if not self._declared:
            return _BARYCENTRIC.encode() in self._shader.source
        at_centroid = _CENTROID in names or _CENTROID.encode() in self._shader.source
        return at_centroid and any("centroid" in variable.qualifiers for variable in self._declared)

    def _variable_of(self, load: IntrinsicInstr) -> Variable | None:
        """Return the declared variable that an input load reads."""
        semantics, component = load.io_semantics, load.int_index("component")
        for variable in self._declared:
            place = variable_place(variable, Stage.FRAGMENT)
            if isinstance(place.slot, str) or semantics is None or semantics.location < 0:
                if variable.driver_location != load.int_index("base") or not isinstance(place.slot, str):
                    continue
            else:
                count = variable_slots(variable, Stage.FRAGMENT) or 1
                if not place.slot <= semantics.location < place.slot + count:
                    continue
            leaf = leaf_type(innermost(variable.type_name))
            if leaf is None:
                continue
            end = place.component + leaf.num_components * (2 if leaf.bit_size == 64 else 1)
            if place.compact or place.component <= component < end:
                return variable
        return None


def _reading_declared(variable: Variable) -> InputReading:
    """Return how a `load_input` of a declared variable reads it, without barycentric coordinates."""
    slot = variable_place(variable, Stage.FRAGMENT).slot
    replaced = slot in _TEXCOORDS
    if "per_primitive" in variable.qualifiers:
        return InputReading(InputKind.PER_PRIMITIVE, declaration=variable)
    if "EXPLICIT" in variable.interpolation:
        return InputReading(InputKind.EXPLICIT, declaration=variable)
    leaf = leaf_type(innermost(variable.type_name))
    is_float = leaf is not None and leaf.base == "float"
    if "FLAT" in variable.interpolation or not is_float or slot in _INTEGERS:
        return InputReading(InputKind.FLAT, declaration=variable, replaced=replaced)
    by_shade_model = slot in COLORS and variable.interpolation == BY_SHADE_MODEL
    return InputReading(
        InputKind.SHADE_MODEL if by_shade_model else InputKind.INTERPOLATED,
        _declared_interpolation(variable),
        declaration=variable,
        replaced=replaced,
    )


def _declared_interpolation(variable: Variable) -> Interpolation:
    linear = variable.interpolation == NO_PERSPECTIVE
    sampling = Sampling.PIXEL
    if "sample" in variable.qualifiers:
        sampling = Sampling.SAMPLE
    elif "centroid" in variable.qualifiers:
        sampling = Sampling.CENTROID
    return Interpolation(3 * linear + sampling.value)


def _nv_reading(flags: int) -> InputReading:
    """Decode the interpolation that NVIDIA's attribute interpolation performs."""
    mode, location = flags & _NV_MODE, flags >> _NV_LOCATION_SHIFT & _NV_MODE
    if mode == _NV_CONSTANT:
        return InputReading(InputKind.FLAT)
    sampling = Sampling.CENTROID if location == _NV_CENTROID else Sampling.PIXEL
    interpolation = Interpolation(3 * (mode == _NV_LINEAR) + sampling.value)
    return InputReading(InputKind.INTERPOLATED, interpolation, at_a_point=location == _NV_OFFSET)
