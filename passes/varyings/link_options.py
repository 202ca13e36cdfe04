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
        "greatest cost of an expression that moves to the next stage (-1: no limit; 1 is an FMA)",
        least=-1,
    )
    spirv: bool = option(False, "match UBOs of the stages by set and binding instead of by name")
    supports_16bit_io: bool = option(True, "varyings may have 16 bits")
    max_uniform_components: int = option(
        4096, "uniform components that a stage may have; beyond, no uniform moves", least=0
    )
    max_ubos: int = option(15, "uniform buffers that a stage may have; beyond, no load of one moves", least=0)
    preserve_nans: bool = option(False, "float controls ask to preserve NaNs")
    preserve_infs: bool = option(False, "float controls ask to preserve infinities")

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

    flexible_interpolation: bool = option(False, "inputs of different interpolation may share a vec4")
    rotate_colors: bool = option(False, "color channels start behind the last VARn channel")
    use_pos: bool = option(True, "POS is the first vec4 between stages before the fragment shader")
    propagate: bool = option(True, "do the step: propagation of uniform expressions")
    deduplicate: bool = option(True, "do the step: removal of duplicate outputs")
    move_code: bool = option(True, "do the step: code motion into the previous stage")
    move_forward: bool = option(
        True,
        "do the step: code motion into the next stage, where fewer varyings are sent and it gets no slower",
    )
    pack: bool = option(True, "do the step: packing into vec4 slots")
    worth_sending_less: Callable[[Exchange], bool] = is_clear_win
