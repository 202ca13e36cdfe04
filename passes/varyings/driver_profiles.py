"""Driver profiles: what each Mesa driver allows and wants of varying linking, and its detection in dumps.

A profile is data: one row of `DRIVER_PROFILES` for each driver, with the source of every value. File and
function names are those of Mesa 26.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Generic, TypeVar

from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage

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
    `expression_cost`; 0 moves constants only.
    """

    fragment: int | None
    tess_eval: int | None
    tess_ctrl: int | None
    geometry: tuple[int | None, int | None, int | None]

    @classmethod
    def same(cls, limit: int | None) -> CostLimits:
        """Create the same limit for all stages."""
        return cls(limit, limit, limit, (limit, limit, limit))

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
        words = ["no limit" if limit is None else str(limit) for limit in (*self._plain(), *self.geometry)]
        if len(set(words)) == 1:
            return words[0]
        fragment, tess_eval, tess_ctrl, *geometry = words
        return f"FS {fragment}, TES {tess_eval}, TCS {tess_ctrl}, GS {' / '.join(geometry)}"

    def _plain(self) -> tuple[int | None, int | None, int | None]:
        return self.fragment, self.tess_eval, self.tess_ctrl


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
            (one.name, getattr(self, one.name)) for one in fields(self)[1:]
        ]
        return [(name, _word(one.value), one.source) for name, one in sourced]


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


_AMD_LIMITS = CostLimits(12, 12, None, (None, 20, 14))
_ZINK_LIMITS = CostLimits(14, 14, None, (None, 20, 14))
_AMD_OPTIONS = "ac_nir.c ac_nir_set_options: io_options"
_NO_CALLBACK = "no varying_expression_max_cost, and max_varying_expression_cost is 0"
_BRW = "brw_compiler.c brw_scalar_nir_options"
_IR3 = "ir3_compiler.c ir3_base_options"
_NAK = "nak/api.rs nir_options"
_BIFROST = "bifrost_compile.h DEFINE_OPTIONS"
_ZINK = "zink_compiler.c zink_screen_init_compiler"
_GL_COMPONENTS = "st_extensions.c st_init_limits: max_const_buffer0_size / 4, at most MAX_UNIFORMS * 4"
_GL_UBOS = "st_extensions.c st_init_limits: max_const_buffers - 1, at most MAX_UNIFORM_BUFFERS"
_VULKAN_LIMITS = "Vulkan has no loose uniforms; uniform variables are never moved"
_POINT_SPRITES = Sourced(True, "OpenGL: GL_COORD_REPLACE of TEXn")
_NO_TEXCOORDS = Sourced(False, "Vulkan has no TEXn")
_BARYCENTRICS = Sourced(True, "nir_lower_io with nir_lower_io_use_interpolated_input_intrinsics")
_GL_SEPARATE = Sourced(False, "gl_nir_linker.c: set for separable programs only")
_NO_ROTATION = Sourced(False, "io_options without nir_io_compaction_rotates_color_channels")


def _default(what: str) -> Sourced[bool]:
    return Sourced(False, f"{what} does not set it")


DRIVER_PROFILES: tuple[DriverProfile, ...] = (
    DriverProfile(
        GENERIC,
        Sourced(CostLimits.same(None), "no driver is known: no limit"),
        Sourced(False, "what every driver supports"),
        Sourced(True, "nir_opt_varyings_test.h: io_options"),
        Sourced(False, "barycentric coordinates, then declarations, then the kind of load"),
        Sourced(4096, "nir_opt_varyings_test.h: call of nir_opt_varyings"),
        Sourced(15, "nir_opt_varyings_test.h: call of nir_opt_varyings"),
        _POINT_SPRITES,
        _NO_ROTATION,
        Sourced(False, "a separate shader may be used with any other"),
        Sourced(False, "names are unique in OpenGL"),
    ),
    DriverProfile(
        "radeonsi",
        Sourced(_AMD_LIMITS, "si_get.c si_varying_expression_max_cost: ac_nir_varying_expression_max_cost"),
        Sourced(True, f"{_AMD_OPTIONS}: nir_io_has_flexible_input_interpolation_except_flat"),
        Sourced(True, f"{_AMD_OPTIONS}: nir_io_16bit_input_output_support (GFX8 and later)"),
        _BARYCENTRICS,
        Sourced(16384, _GL_COMPONENTS),
        Sourced(15, _GL_UBOS),
        _POINT_SPRITES,
        Sourced(True, f"{_AMD_OPTIONS}: nir_io_compaction_rotates_color_channels"),
        _GL_SEPARATE,
        Sourced(False, "gl_nir_linker.c: names, except for SPIR-V programs"),
    ),
    DriverProfile(
        "radv",
        Sourced(_AMD_LIMITS, "radv_shader.c get_nir_options_for_stage: ac_nir_varying_expression_max_cost"),
        Sourced(True, f"{_AMD_OPTIONS}: nir_io_has_flexible_input_interpolation_except_flat"),
        Sourced(True, f"{_AMD_OPTIONS}: nir_io_16bit_input_output_support (GFX8 and later)"),
        _BARYCENTRICS,
        Sourced(0, "radv_pipeline_graphics.c: nir_opt_varyings(producer, consumer, true, 0, 0, false)"),
        Sourced(0, "radv_pipeline_graphics.c: nir_opt_varyings(producer, consumer, true, 0, 0, false)"),
        _NO_TEXCOORDS,
        Sourced(True, f"{_AMD_OPTIONS}: nir_io_compaction_rotates_color_channels"),
        Sourced(True, "radv_shader.c radv_shader_spirv_to_nir: always true; stages are linked by next_stage"),
        Sourced(True, "radv_pipeline_graphics.c: nir_opt_varyings(producer, consumer, true, 0, 0, false)"),
    ),
    DriverProfile(
        "anv",
        Sourced(CostLimits.same(0), f"{_BRW}: {_NO_CALLBACK}"),
        _default(_BRW),
        _default(_BRW),
        _BARYCENTRICS,
        Sourced(0, _VULKAN_LIMITS),
        Sourced(0, _VULKAN_LIMITS),
        _NO_TEXCOORDS,
        _NO_ROTATION,
        Sourced(False, "dumps of 26.2 do not have it in graphics stages"),
        Sourced(True, "shaders are SPIR-V"),
    ),
    DriverProfile(
        "iris",
        Sourced(CostLimits.same(0), f"{_BRW}: {_NO_CALLBACK}"),
        _default(_BRW),
        _default(_BRW),
        _BARYCENTRICS,
        Sourced(16384, _GL_COMPONENTS),
        Sourced(15, _GL_UBOS),
        _POINT_SPRITES,
        _NO_ROTATION,
        _GL_SEPARATE,
        Sourced(False, "gl_nir_linker.c: names, except for SPIR-V programs"),
    ),
    DriverProfile(
        "turnip",
        Sourced(CostLimits.same(0), f"{_IR3}: {_NO_CALLBACK}"),
        _default(_IR3),
        _default(_IR3),
        _BARYCENTRICS,
        Sourced(0, _VULKAN_LIMITS),
        Sourced(0, _VULKAN_LIMITS),
        _NO_TEXCOORDS,
        _NO_ROTATION,
        Sourced(False, "dumps of 26.2 do not have it"),
        Sourced(True, "shaders are SPIR-V"),
    ),
    DriverProfile(
        "zink",
        Sourced(_ZINK_LIMITS, "zink_compiler.c amd_varying_expression_max_cost, for all Vulkan drivers"),
        _default(_ZINK),
        _default(_ZINK),
        _BARYCENTRICS,
        Sourced(4096, f"{_GL_COMPONENTS}; maxUniformBufferRange is at least 16384"),
        Sourced(15, _GL_UBOS),
        _POINT_SPRITES,
        _NO_ROTATION,
        _GL_SEPARATE,
        Sourced(False, "gl_nir_linker.c: names, except for SPIR-V programs"),
    ),
    DriverProfile(
        "panfrost",
        Sourced(CostLimits.same(0), f"{_BIFROST}: {_NO_CALLBACK}"),
        _default(_BIFROST),
        _default(_BIFROST),
        _BARYCENTRICS,
        Sourced(16384, _GL_COMPONENTS),
        Sourced(15, _GL_UBOS),
        _POINT_SPRITES,
        _NO_ROTATION,
        _GL_SEPARATE,
        Sourced(False, "gl_nir_linker.c: names, except for SPIR-V programs"),
    ),
    DriverProfile(
        "nvk",
        Sourced(CostLimits.same(0), f"{_NAK}: {_NO_CALLBACK}"),
        _default(_NAK),
        _default(_NAK),
        _BARYCENTRICS,
        Sourced(0, _VULKAN_LIMITS),
        Sourced(0, _VULKAN_LIMITS),
        _NO_TEXCOORDS,
        _NO_ROTATION,
        Sourced(False, "dumps of 26.2 do not have it"),
        Sourced(True, "shaders are SPIR-V"),
    ),
)
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


_BACKEND_INTRINSIC = re.compile(rb"(?:@|intrinsic )(\w+_(amd|intel|ir3|nv|pan))\b")
_GL_HEADER = re.compile(
    rb"^[^\n]*?(?:name: (?:GLSL|ARB|TTN)\d|first_ubo_is_default_ubo: true"
    rb"|api_subgroup_size_draw_uniform: true)",
    re.MULTILINE,
)
_LOG_WORDS: tuple[tuple[str, re.Pattern[bytes]], ...] = (
    ("zink", re.compile(rb"\bzink Vulkan\b|^ZINK:|\bzink_(?:debug|screen)\b", re.MULTILINE)),
    ("radeonsi", re.compile(rb"\bradeonsi\b")),
    ("radv", re.compile(rb"\bRADV\b|\bradv\b")),
    ("iris", re.compile(rb"\bIris\(R\)|\biris\b|Mesa Intel\(R\)")),
    ("anv", re.compile(rb"\bANV\b|\banv\b|MESA-INTEL")),
    ("turnip", re.compile(rb"\bTurnip\b|\bturnip\b|^TU:", re.MULTILINE)),
    ("panfrost", re.compile(rb"\bpanfrost\b|\bPanfrost\b|\bMali-")),
    ("nvk", re.compile(rb"\bNVK\b|\bnvk\b|\bNAK\b")),
)
_OPENGL_OF_SUFFIX = {"amd": "radeonsi", "intel": "iris", "pan": "panfrost"}
_VULKAN_OF_SUFFIX = {**_OPENGL_OF_SUFFIX, "amd": "radv", "intel": "anv", "ir3": "turnip", "nv": "nvk"}


def detect(texts: Iterable[bytes]) -> Detected:
    """Return the profile that the texts of linked dumps give away; `generic` if none."""
    for text in texts:
        found = _detect_in_dump(text)
        if found is not None:
            return found
    return Detected(_BY_NAME[GENERIC], "nothing in the dumps names a driver")


def detect_in_log(words: bytes, dumps: Iterable[bytes]) -> Detected | None:
    """Return the profile that a log gives away by `words`, the text around its dumps, or by a dump."""
    for name, pattern in _LOG_WORDS:
        match = pattern.search(words)
        if match is not None:
            word = match[0].decode("utf-8", "replace")
            return Detected(_BY_NAME[name], f"the log has the word {word!r}")
    return next((found for text in dumps if (found := _detect_in_dump(text)) is not None), None)


@lru_cache(maxsize=16)
def _detect_in_dump(text: bytes) -> Detected | None:
    """Detect a driver by the intrinsics of its backend; OpenGL and Vulkan differ in the header."""
    match = _BACKEND_INTRINSIC.search(text)
    if match is None:
        return None
    is_gl = _GL_HEADER.search(text) is not None
    name = (_OPENGL_OF_SUFFIX if is_gl else _VULKAN_OF_SUFFIX).get(match[2].decode())
    if name is None:
        return None
    return Detected(_BY_NAME[name], f"the dump has {match[1].decode()}")
