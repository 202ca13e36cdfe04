"""Driver profiles: what each Mesa driver allows and requires for varying linking, and its detection in dumps.

`driver_profiles.toml` has the profiles, with the source of every value.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.text.structure import intrinsic_names

DETECT = "detect"
GENERIC = "generic"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sourced(Generic[T]):
    """A value and where Mesa states it."""

    value: T
    source: str


@dataclass(frozen=True, slots=True)
class CostLimits:
    """Greatest cost of an expression that moves into each kind of consumer; None for no limit.

    `geometry` has the limits for input primitives of one, two, and more vertices. Costs are in the units of
    `instruction_cost`; 0 moves constants only.
    """

    fragment: int | None
    tess_eval: int | None
    tess_ctrl: int | None
    geometry: tuple[int | None, int | None, int | None]

    @classmethod
    def of(cls, limits: int | Mapping[str, int]) -> CostLimits:
        """Read limits as in the table of profiles."""
        if isinstance(limits, int):
            return cls(limits, limits, limits, (limits, limits, limits))
        fragment, tess_eval, tess_ctrl, *geometry = map(
            limits.get, ("fragment", "tess_eval", "tess_ctrl", "points", "lines", "triangles")
        )
        one, two, more = geometry
        return cls(fragment, tess_eval, tess_ctrl, (one, two, more))

    def into(self, consumer: Shader) -> int | None:
        """Return the limit for expressions that move into a shader."""
        if consumer.stage is Stage.TESS_CTRL:
            return self.tess_ctrl
        if consumer.stage is Stage.TESS_EVAL:
            return self.tess_eval
        if consumer.stage is not Stage.GEOMETRY:
            return self.fragment
        one, two, more = self.geometry
        return {"1": one, "2": two}.get((consumer.header_value("vertices_in") or "").strip(), more)

    def __str__(self) -> str:
        limits = (self.fragment, self.tess_eval, self.tess_ctrl, *self.geometry)
        words = ["no limit" if limit is None else str(limit) for limit in limits]
        if len(set(words)) == 1:
            return words[0]
        fragment, tess_eval, tess_ctrl, *geometry = words
        return f"FS {fragment}, TES {tess_eval}, TCS {tess_ctrl}, GS {' / '.join(geometry)}"


@dataclass(frozen=True, slots=True)
class DriverProfile:
    """The linking options that a driver sets; fields with the names of options are explained there.

    `barycentrics`: in dumps of the driver, every interpolated load has barycentric coordinates. It is
    informative: a dump is read by its own loads and declarations, whatever the profile says.
    `sets_separate_shader`: the driver sets `separate_shader` in all headers, also of shaders that it links.
    """

    name: str
    cost_limits: Sourced[CostLimits]
    flexible_interpolation: Sourced[bool]
    supports_16bit_io: Sourced[bool]
    barycentrics: Sourced[bool]
    max_uniform_components: Sourced[int]
    max_ubos: Sourced[int]
    coordinate_replacement: Sourced[bool]
    rotate_colors: Sourced[bool]
    sets_separate_shader: Sourced[bool]
    spirv: Sourced[bool]

    def rows(self) -> list[tuple[str, str, str]]:
        """Return (field, value, source) of all values, as text."""
        sourced: list[tuple[str, Sourced[object]]] = [
            (field.name, getattr(self, field.name)) for field in fields(self)[1:]
        ]
        return [(name, _word(value.value), value.source) for name, value in sourced]


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


PROFILE_TABLE: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
"""The contents of `driver_profiles.toml`."""


def _profiles() -> tuple[DriverProfile, ...]:
    """Return the profiles of the table, in its order."""
    found = []
    for name, own in PROFILE_TABLE["drivers"].items():
        row = PROFILE_TABLE.get(own.get("api", ""), {}) | own
        row.pop("api", None)
        limits, source = row.pop("cost_limits")
        rest: dict[str, Sourced[Any]] = {key: Sourced(*sourced) for key, sourced in row.items()}
        found.append(DriverProfile(name, Sourced(CostLimits.of(limits), source), **rest))
    return tuple(found)


DRIVER_PROFILES = _profiles()
"""The profiles of all known drivers, `generic` first."""

NAMES: tuple[str, ...] = tuple(profile.name for profile in DRIVER_PROFILES)
_BY_NAME = {profile.name: profile for profile in DRIVER_PROFILES}


@dataclass(frozen=True, slots=True)
class Detected:
    """The profile that applies, and why."""

    profile: DriverProfile
    reason: str

    @property
    def text(self) -> str:
        """One-line description."""
        return f"{self.profile.name} ({self.reason})"


def profile_named(name: str) -> DriverProfile:
    """Return the profile of a driver. Raises KeyError for an unknown name."""
    return _BY_NAME[name]


USUAL_COST_LIMITS = profile_named("radeonsi").cost_limits.value
"""The limits of AMD's drivers. Where no driver is known, no expression stays for its cost, but one that
costs more than these is a hint."""

_FAMILIES = ("amd", "intel", "ir3", "nv", "pan", "v3d", "agx", "dxil", "lvp", "r600")
"""Suffixes of the intrinsics of compilers."""
_GL_HEADER = re.compile(
    rb"^[^\n]*?(?:name: (?:GLSL|ARB|TTN)\d|first_ubo_is_default_ubo: true"
    rb"|api_subgroup_size_draw_uniform: true)",
    re.MULTILINE,
)
_OLD_INTEL = rb"\((?:G4X|CTG|ELK|ILK|SNB|IVB|BYT|HSW)\b"
_LOG_WORDS: tuple[tuple[str, re.Pattern[bytes]], ...] = (
    ("zink", re.compile(rb"\bzink Vulkan\b|^ZINK:|\bzink_(?:debug|screen)\b", re.MULTILINE)),
    ("radeonsi", re.compile(rb"\bradeonsi\b")),
    ("radv", re.compile(rb"\bRADV\b|\bradv\b")),
    ("crocus", re.compile(rb"\bcrocus\b|Mesa (?:Mobile )?Intel[^\n]{0,80}" + _OLD_INTEL)),
    (
        "hasvk",
        re.compile(
            rb"\bhasvk\b|\b(?:Ivy Bridge|Bay Trail|Haswell|Broadwell) Vulkan support"
            rb"|Intel\(R\)[^\n]{0,80}(?:" + _OLD_INTEL + rb"|\((?:BDW|CHV)\b)[^\n]{0,20}\bapi 1"
        ),
    ),
    ("iris", re.compile(rb"\bIris\(R\)|\biris\b|Mesa Intel\(R\)")),
    ("anv", re.compile(rb"\bANV\b|\banv\b|MESA-INTEL")),
    ("turnip", re.compile(rb"\bTurnip\b|\bturnip\b|^TU:", re.MULTILINE)),
    ("panvk", re.compile(rb"\bpanvk\b|\bPanVK\b")),
    ("panfrost", re.compile(rb"\bpanfrost\b|\bPanfrost\b")),
    ("nvk", re.compile(rb"\bNVK\b|\bnvk\b|\bNAK\b")),
    ("v3dv", re.compile(rb"\bV3DV\b|\bv3dv\b")),
    ("lavapipe", re.compile(rb"\blavapipe\b|^lvp_\w+$", re.MULTILINE)),
    ("dozen", re.compile(rb"\bdozen\b|\bDozen\b|\bdzn_\w|^dxil_spirv_nir_\w+$", re.MULTILINE)),
    ("asahi", re.compile(rb"\basahi\b")),
    ("r600", re.compile(rb"\br600\b|^r600_\w+$|^bytecode \d+ dw -- \d+ gprs", re.MULTILINE)),
)
_FAMILY_WORDS: tuple[tuple[str, re.Pattern[bytes]], ...] = (
    ("v3d", re.compile(rb"^v3d_nir_\w+$|\bV3D \d", re.MULTILINE)),
    ("pan", re.compile(rb"^(?:pan|panfrost|bifrost|midgard|valhall)_nir_\w+$|\bMali-", re.MULTILINE)),
    ("agx", re.compile(rb"^agx_nir_\w+$", re.MULTILINE)),
)
"""Words of a log that name a compiler, which an OpenGL and a Vulkan driver share."""
_OPENGL_OF_FAMILY = {
    "amd": "radeonsi",
    "intel": "iris",
    "pan": "panfrost",
    "v3d": "v3d",
    "agx": "asahi",
    "r600": "r600",
}
_VULKAN_OF_FAMILY = {
    "amd": "radv",
    "intel": "anv",
    "ir3": "turnip",
    "nv": "nvk",
    "pan": "panvk",
    "v3d": "v3dv",
    "dxil": "dozen",
    "lvp": "lavapipe",
    "r600": "r600",
}


def detect(texts: Iterable[bytes]) -> Detected:
    """Return the profile that the texts of linked dumps give away; `generic` if none."""
    for text in texts:
        detected = _detect_in_dump(text)
        if detected is not None:
            return detected
    return Detected(_BY_NAME[GENERIC], "nothing in the dumps names a driver")


def detect_in_log(words: bytes, dumps: Sequence[bytes]) -> Detected | None:
    """Return the profile that a log gives away by `words`, the text around its dumps, or by a dump."""
    for name, pattern in _LOG_WORDS:
        if (match := pattern.search(words)) is not None:
            return _by_word(name, match)
    for family, pattern in _FAMILY_WORDS:
        if (match := pattern.search(words)) is not None:
            is_gl = any(_GL_HEADER.search(text) is not None for text in dumps)
            driver = (_OPENGL_OF_FAMILY if is_gl else _VULKAN_OF_FAMILY).get(family)
            return None if driver is None else _by_word(driver, match)
    return next((detected for text in dumps if (detected := _detect_in_dump(text)) is not None), None)


def _by_word(name: str, match: re.Match[bytes]) -> Detected:
    return Detected(_BY_NAME[name], f"the log has the word {match[0].decode('utf-8', 'replace')!r}")


@lru_cache(maxsize=16)
def _detect_in_dump(text: bytes) -> Detected | None:
    """Detect a driver by the intrinsics of its backend; OpenGL and Vulkan differ in the header."""
    names = sorted(name.decode() for name in intrinsic_names(text))
    intrinsic = next((name for name in names if name.rpartition("_")[2] in _FAMILIES), None)
    if intrinsic is None:
        return None
    is_gl = _GL_HEADER.search(text) is not None
    family = intrinsic.rpartition("_")[2]
    name = (_OPENGL_OF_FAMILY if is_gl else _VULKAN_OF_FAMILY).get(family)
    return None if name is None else Detected(_BY_NAME[name], f"the dump has {intrinsic}")
