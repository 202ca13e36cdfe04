"""System values with unknown contents but known divergence.

Drivers pass addresses, descriptors, sizes and switches to shaders by intrinsics without sources. Their values
are generated, one for all invocations if the divergence rules make them uniform.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from nirls.ir.analysis.divergence_options import DivergenceOptions, Release
from nirls.ir.analysis.divergence_rules import rule_of
from nirls.ir.io.access import COLOR_LOADS
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.tables import intrinsics
from nirls.verification.evaluate.state.compiler import Compiler
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.inputs import dest_shape
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.value import Value
from nirls.verification.evaluate.values.wanted_types import wanted_base

# Not listed as system values, but handled alike.
_MORE = frozenset(
    (
        "load_cull_any_enabled_amd",
        "load_cull_back_face_enabled_amd",
        "load_cull_ccw_amd",
        "load_cull_front_face_enabled_amd",
        "load_cull_small_line_precision_amd",
        "load_cull_small_lines_enabled_amd",
        "load_cull_small_prim_precision_amd",
        "load_cull_small_primitives_enabled_amd",
        "load_cull_small_triangle_precision_amd",
        "load_cull_small_triangles_enabled_amd",
        "load_debug_log_desc_amd",
        "load_fb_layers_v3d",
        "load_fep_w_v3d",
        "load_force_vrs_rates_amd",
        "load_frag_shading_rate",
        "load_initial_edgeflags_amd",
        "load_inline_data_intel",
        "load_reloc_const_intel",
        "load_scalar_arg_amd",
        "load_streamout_buffer_amd",
        "load_sysval_agx",
        "load_sysval_nv",
        "load_vector_arg_amd",
    )
)
_FACTS_ABOUT_THE_VALUE = frozenset(("arg_num_lsb_zero", "arg_upper_bound_u32_amd"))
"""Indices that do not say what is loaded, and that passes may improve."""


@cache
def opaque_system_values() -> frozenset[str]:
    """Return all such intrinsics, including those that other modules evaluate exactly."""
    listed = (name for name, entry in intrinsics().items() if entry.is_sysval)
    return frozenset((*listed, *_MORE)) - COLOR_LOADS.keys()


def opaque_value_step(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Compile a generated value for a name and indices, uniform or per lane."""
    write = compiler.write(instr)
    width, bit_size = dest_shape(instr)
    base = wanted_base(instr.def_)
    rule = rule_of(instr, Release.MESA_25_0)
    what = (instr.name, *_numbers(instr))

    def step(state: State) -> None:
        differs = rule.is_divergent_itself(state.launch.stage, DivergenceOptions())
        lanes = state.lane_numbers if differs else np.zeros(1, np.int64)
        write(state, generated_value(state, what, [lanes], base, width, bit_size))

    return step


def generated_value(
    state: State, what: tuple[object, ...], parts: Sequence[Array], base: str, width: int, bit_size: int
) -> Value:
    """Return a value generated for a name and parts that may differ between lanes.

    `base` is the number type for its first reader; there are no 8-bit floats.
    """
    environment = state.environment
    wanted = "bool" if bit_size == 1 else "uint" if base == "float" and bit_size == 8 else base
    kind, size = environment.settle((*what, bit_size), wanted, bit_size)
    hashes = environment.hashes_of([(*what, row) for row in range(width)], *parts)
    bits = environment.numbers(hashes, kind, size)
    return Value(np.broadcast_to(bits, (width, state.lanes)), bit_size)


def _numbers(instr: IntrinsicInstr) -> Iterator[tuple[str, int]]:
    return (
        (name, value)
        for name, value in instr.indices.items()
        if isinstance(value, int) and name not in _FACTS_ABOUT_THE_VALUE
    )
