"""Options of varying optimization: limits of the driver and the API, and the steps to run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nirls.passes.declaration import option
from nirls.passes.varyings.forward_cost import Exchange, is_clear_win


@dataclass(frozen=True)
class DriverLimits:
    """Options that describe a driver and an API, with the defaults of a desktop driver.

    Costs are in the units of `expression_cost`. Dumps do not print SPIR-V's float controls.
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
    preserve_nans: bool = option(False, "float controls require that NaNs are preserved")
    preserve_infs: bool = option(False, "float controls require that infinities are preserved")

    @property
    def cost_limit(self) -> int | None:
        """The value of `max_cost`; None for no limit."""
        return None if self.max_cost < 0 else self.max_cost


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
    worth_sending_less: Callable[[Exchange], bool] = is_clear_win
