"""Options of varying optimization: limits of the driver and the API, and the steps to run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Self

from nirls.ir.analysis.assumptions import Assumptions
from nirls.ir.model.float_controls import FloatControls
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.passes.declaration import option
from nirls.passes.varyings.interface.accesses import Linkage, Unlinkable, link
from nirls.passes.varyings.interface.costs import Exchange, is_clear_win
from nirls.passes.varyings.interface.driver_profiles import DETECT, NAMES, Detected, detect, profile_named
from nirls.passes.varyings.interface.payload_accesses import PayloadLinkage, link_payload

RUN_OPT_VARYINGS = "Run opt_varyings on the pipeline"
"""Title of the fix that runs the whole pass."""
SEPARATE = "separate-shader"
_SEPARATE = "separate_shader"


@dataclass(frozen=True)
class DriverChoice:
    """The option for the driver profile."""

    driver: str = option(
        DETECT,
        "profile of the Mesa driver with the values of the other options; detect: by names in the dumps",
        choices=(DETECT, *NAMES),
    )

    def for_driver(self, name: str) -> Self:
        """Return the options with another driver profile."""
        return replace(self, driver=name)

    def profile_of(self, *shaders: Shader) -> Detected:
        """Return the profile that applies to linked shaders, and why."""
        if self.driver in (DETECT, ""):
            return detect(shader.source for shader in shaders)
        return Detected(profile_named(self.driver), "set")

    def link(self, producer: Shader, consumer: Shader) -> Linkage | Unlinkable:
        """Return the accesses between two stages, or why they may not be changed together."""
        return self._separate(producer, consumer) or link(producer, consumer)

    def payload(
        self, task: Shader, mesh: Shader, partition: tuple[range, ...] | None = None
    ) -> PayloadLinkage | Unlinkable:
        """Return the payload accesses of two stages, or why they may not be changed together."""
        return self._separate(task, mesh) or link_payload(task, mesh, partition)

    def _separate(self, producer: Shader, consumer: Shader) -> Unlinkable | None:
        """Return the obstacle of a separate shader, which may be used with other stages than this one."""
        for shader in (producer, consumer):
            if shader.stage is None or (shader.header_value(_SEPARATE) or "").strip() != "true":
                continue
            profile = self.profile_of(producer, consumer).profile
            if profile.sets_separate_shader.value and _name_each_other(producer, consumer):
                break
            word = shader.stage.abbreviation
            return Unlinkable(
                SEPARATE,
                f"the {word} is a separate shader (`separate_shader: true`), which may be used with other"
                " stages: nothing is linked on its side",
                shader,
            )
        return None


@dataclass(frozen=True)
class DriverLimits(DriverChoice):
    """Options that describe a driver and an API.

    The defaults are those of the profile `generic`; the profile that applies has the values of the options
    that are not given. An option is given if it is in `given` or differs from its default. `applied` is
    the profile with the values of which `for_pair` made the options; `nan_sizes` and `inf_sizes` are the bit
    sizes that the headers' float controls preserve. Costs are in the units of `instruction_cost`.
    """

    max_cost: int = option(
        -1,
        "maximum cost of an expression that is propagated to the next stage (-1: no limit; an FMA costs 1)",
        least=-1,
    )
    spirv: bool = option(False, "match UBOs of the stages by set and binding, not by name")
    supports_16bit_io: bool = option(True, "the driver supports 16-bit varyings")
    max_uniform_components: int = option(
        4096, "maximum number of uniform components of a stage; no uniform is propagated beyond it", least=0
    )
    max_ubos: int = option(
        15, "maximum number of uniform buffers of a stage; no UBO load is propagated beyond it", least=0
    )
    preserve_nans: bool = option(False, "preserve NaNs even if the float controls of the headers do not")
    preserve_infs: bool = option(False, "preserve infinities even if the float controls do not")
    given: frozenset[str] = frozenset()
    applied: Detected | None = None
    nan_sizes: frozenset[int] = frozenset()
    inf_sizes: frozenset[int] = frozenset()

    @property
    def cost_limit(self) -> int | None:
        """The value of `max_cost`; None for no limit."""
        return None if self.max_cost < 0 else self.max_cost

    def preserves_nans(self, bit_size: int) -> bool:
        """Whether NaNs of a size must be preserved."""
        return self.preserve_nans or bit_size in self.nan_sizes

    def preserves_specials(self, bit_size: int) -> bool:
        """Whether NaNs or infinities of a size must be preserved, which interpolation changes."""
        return self.preserves_nans(bit_size) or self.preserve_infs or bit_size in self.inf_sizes

    def for_pair(self, producer: Shader, consumer: Shader) -> Self:
        """Return the options with the values of the driver profile and of the headers' float controls.

        Code does not move between shaders whose float controls differ.
        """
        if self.applied is not None:
            return self
        applied = self.profile_of(producer, consumer)
        profile = applied.profile
        limit = profile.cost_limits.value.into(consumer)
        values: dict[str, object] = {"max_cost": -1 if limit is None else limit}
        for field in fields(self):
            sourced = getattr(profile, field.name, None)
            if sourced is not None and field.name not in values:
                values[field.name] = sourced.value
        values = {name: value for name, value in values.items() if not self._is_given(name)}
        controls = FloatControls.of(producer), FloatControls.of(consumer)
        values["nan_sizes"] = controls[0].preserved_nans | controls[1].preserved_nans
        values["inf_sizes"] = controls[0].preserved_infs | controls[1].preserved_infs
        if controls[0] != controls[1]:
            values.update(self._without_code_motion())
        return replace(self, applied=applied, **values)  # type: ignore[arg-type]

    def _without_code_motion(self) -> dict[str, object]:
        return {"max_cost": 0}

    def _is_given(self, name: str) -> bool:
        default = type(self).__dataclass_fields__[name].default
        return name in self.given or getattr(self, name) != default


@dataclass(frozen=True)
class LinkOptions(DriverLimits):
    """Options of `opt_varyings` for one pair of stages.

    `flexible_interpolation` is Mesa's `nir_io_has_flexible_input_interpolation_except_flat`.
    `worth_sending_less` decides whether the next stage may compute outputs itself from fewer varyings.
    """

    flexible_interpolation: bool = option(False, "inputs with different interpolation may share a vec4 slot")
    rotate_colors: bool = option(False, "assign color channels after the last VARn channel")
    use_pos: bool = option(True, "use POS as the first vec4 slot between stages before the fragment shader")
    propagate: bool = option(True, "propagate uniform expressions to the next stage")
    deduplicate: bool = option(True, "remove duplicate outputs")
    move_code: bool = option(True, "move code to the previous stage")
    move_forward: bool = option(
        True,
        "move code to the next stage if fewer varyings are sent and it gets no slower",
    )
    pack: bool = option(True, "pack varyings into vec4 slots")
    coordinate_replacement: bool = option(True, "point sprites may replace TEXn")
    worth_sending_less: Callable[[Exchange], bool] = is_clear_win

    def assumptions(self, shaders: Sequence[Shader]) -> Assumptions:
        """Return whether point sprites may replace TEXn, by the driver of the pair before rasterization."""
        replacements = [
            self.for_pair(*pair).coordinate_replacement
            for pair in pairwise(shaders)
            if pair[1].stage is Stage.FRAGMENT
        ]
        return Assumptions(coordinate_replacement=all(replacements))

    def _without_code_motion(self) -> dict[str, object]:
        return {"max_cost": 0, "move_code": False, "move_forward": False}


def _name_each_other(producer: Shader, consumer: Shader) -> bool:
    """Whether the headers say that the stages were compiled for each other."""
    following = Stage.from_mesa_name((producer.header_value("next_stage") or "").strip())
    before = Stage.from_mesa_name((consumer.header_value("prev_stage") or "").strip())
    return following is consumer.stage and before is producer.stage
