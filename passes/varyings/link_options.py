"""What a driver and an API allow the optimization of varyings to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nirls.passes.varyings.forward_cost import Exchange, is_clear_win


@dataclass(frozen=True, slots=True)
class LinkOptions:
    """Settings of `opt_varyings` for one pair of stages, with the defaults of a desktop driver.

    `max_cost` limits the cost of an expression that moves to the next stage (None: no limit), in the units
    of `expression_cost`. `spirv` says that uniforms are matched by binding instead of by name.
    `max_uniform_components` and `max_ubos` are the limits of one stage, counted over both stages.
    `preserve_nans` and `preserve_infs` are SPIR-V's float controls, which dumps do not print.
    `flexible_interpolation`: inputs of different interpolation may share a vec4 (Mesa:
    `nir_io_has_flexible_input_interpolation_except_flat`). `rotate_colors`: color channels start behind the
    last VARn channel. `use_pos`: the first vec4 between stages before the fragment shader is POS.
    `worth_sending_less` decides whether the next stage may compute outputs itself from fewer varyings. The
    remaining ones switch single steps off.
    """

    max_cost: int | None = None
    spirv: bool = False
    supports_16bit_io: bool = True
    max_uniform_components: int = 4096
    max_ubos: int = 15
    preserve_nans: bool = False
    preserve_infs: bool = False
    flexible_interpolation: bool = False
    rotate_colors: bool = False
    use_pos: bool = True
    worth_sending_less: Callable[[Exchange], bool] = is_clear_win
    propagate: bool = True
    deduplicate: bool = True
    move_code: bool = True
    move_forward: bool = True
    pack: bool = True
