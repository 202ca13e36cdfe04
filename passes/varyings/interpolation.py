"""Interpolation of fragment shader input loads, derived from their barycentric coordinates."""

from __future__ import annotations

from enum import Enum

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Variable

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


_SAMPLING = {
    "load_barycentric_pixel": Sampling.PIXEL,
    "load_barycentric_centroid": Sampling.CENTROID,
    "load_barycentric_sample": Sampling.SAMPLE,
}
_AT_A_POINT = frozenset(("load_barycentric_at_offset", "load_barycentric_at_sample"))


def barycentric_of(load: IntrinsicInstr) -> IntrinsicInstr | None:
    """Return the instruction that computes a load's barycentric coordinates; None if unknown."""
    value = load.sources[0].def_ if load.sources else None
    maker = None if value is None else value.instr
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


def declared_interpolation(variable: Variable) -> Interpolation:
    """Return the qualifier in the declaration of a smooth input."""
    linear = variable.interpolation == NO_PERSPECTIVE
    sampling = Sampling.PIXEL
    if "sample" in variable.qualifiers:
        sampling = Sampling.SAMPLE
    elif "centroid" in variable.qualifiers:
        sampling = Sampling.CENTROID
    return Interpolation(3 * linear + sampling.value)
