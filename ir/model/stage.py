"""Shader stages in pipeline order, and their names in dumps and file names."""

from __future__ import annotations

from enum import Enum


class Stage(Enum):
    """A shader stage. The value is the part after `MESA_SHADER_` in a dump's `shader:` line."""

    VERTEX = "VERTEX"
    TESS_CTRL = "TESS_CTRL"
    TESS_EVAL = "TESS_EVAL"
    GEOMETRY = "GEOMETRY"
    TASK = "TASK"
    MESH = "MESH"
    FRAGMENT = "FRAGMENT"
    COMPUTE = "COMPUTE"
    KERNEL = "KERNEL"
    RAYGEN = "RAYGEN"
    ANY_HIT = "ANY_HIT"
    CLOSEST_HIT = "CLOSEST_HIT"
    MISS = "MISS"
    INTERSECTION = "INTERSECTION"
    CALLABLE = "CALLABLE"

    @property
    def mesa_name(self) -> str:
        """The name as Mesa prints it, `MESA_SHADER_VERTEX`."""
        return f"MESA_SHADER_{self.value}"

    @property
    def abbreviation(self) -> str:
        """The usual abbreviation of two to four letters: `VS`, `TCS`, `FS`."""
        return _ABBREVIATIONS[self]

    @classmethod
    def from_mesa_name(cls, name: str) -> Stage | None:
        """Return the stage of `MESA_SHADER_VERTEX` or `VERTEX`; None for unknown names."""
        return _BY_NAME.get(name.strip().removeprefix("MESA_SHADER_"))


_ABBREVIATIONS = {
    Stage.VERTEX: "VS",
    Stage.TESS_CTRL: "TCS",
    Stage.TESS_EVAL: "TES",
    Stage.GEOMETRY: "GS",
    Stage.TASK: "TS",
    Stage.MESH: "MS",
    Stage.FRAGMENT: "FS",
    Stage.COMPUTE: "CS",
    Stage.KERNEL: "CL",
    Stage.RAYGEN: "RGS",
    Stage.ANY_HIT: "AHS",
    Stage.CLOSEST_HIT: "CHS",
    Stage.MISS: "MISS",
    Stage.INTERSECTION: "IS",
    Stage.CALLABLE: "CALL",
}

_BY_NAME = {stage.value: stage for stage in Stage}
