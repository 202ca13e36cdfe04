"""Driver guarantees about subgroups, and the release whose rules apply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.text.structure import intrinsic_names

_DRIVERS: Mapping[str, tuple[str, ...]] = {
    "amd": ("view_index_uniform", "ignore_undef_if_phi_srcs"),
    "intel": (
        "single_prim_per_subgroup",
        "single_patch_per_tcs_subgroup",
        "single_patch_per_tes_subgroup",
        "shader_record_ptr_uniform",
        "invocation_id_uniform",
    ),
    "ir3": ("uniform_load_tears",),
}
"""The options that drivers set (Mesa: `nir_shader_compiler_options::divergence_analysis_options`)."""
# Intel hardware with this intrinsic runs fragments of several primitives in a subgroup.
_OF_SEVERAL_PRIMITIVES = b"load_fs_input_interp_deltas"


class Release(Enum):
    """Mesa releases whose divergence analysis differs in what it computes.

    MESA_22_3 stands for the analysis from 2020 up to 2023, before vertex divergence and before values
    that are invariant in a loop were distinguished; its differences are listed in `divergence_rules`
    (`OVERRIDES_22_3`) and at `DivergenceOptions`. MESA_25_0 stands for it since 2024.
    """

    MESA_22_3 = "22.3"
    MESA_25_0 = "25.0"

    @classmethod
    def of_dialect(cls, dialect: Dialect) -> Release:
        """Return the release whose rules produced the `con` and `div` of dumps in that dialect."""
        return cls.MESA_25_0 if dialect is Dialect.MODERN else cls.MESA_22_3


@dataclass(frozen=True, slots=True)
class DivergenceOptions:
    """Driver guarantees (Mesa: `nir_divergence_options`, the same names), all false by default.

    - `single_prim_per_subgroup`: the fragments of a subgroup belong to one primitive.
    - `single_patch_per_tcs_subgroup`, `single_patch_per_tes_subgroup`: one patch in a subgroup.
    - `view_index_uniform`: the view index is the same within a subgroup.
    - `single_frag_shading_rate_per_subgroup`: one shading rate within a subgroup.
    - `multiple_workgroup_per_compute_subgroup`: a subgroup may hold several workgroups.
    - `shader_record_ptr_uniform`: the shader record pointer is the same within a subgroup.
    - `uniform_load_tears`: loads from one address may differ where another subgroup is storing to it.
    - `invocation_id_uniform`: the invocations of a control shader's subgroup are those of several patches
      with the same number. Mesa's analysis has no such option; Intel's back end replaces the number.
    - `ignore_undef_if_phi_srcs`: a phi after an if that has one defined source takes that source.

    `vertex` selects divergence between the vertices of one primitive, instead of divergence within
    a subgroup (Mesa: `nir_vertex_divergence_analysis`). `patch`, with `vertex`, selects divergence between
    the invocations of one patch of a control shader: unlike in Mesa's analysis, loads of one location of the
    patch's inputs or outputs are uniform. `memory_may_change` makes loads of writable memory divergent, which
    Mesa's analysis takes for uniform although vertices or invocations in several subgroups may see other
    stores.

    `release` selects the rules. Up to 22.3 the walk itself differs: an undefined source never makes a phi
    after an if or at a loop header divergent; every phi after a loop with a divergent break is divergent,
    loop-invariant values included; without such a phi a value leaves its loop unchanged; all system value
    variables are divergent.
    """

    single_prim_per_subgroup: bool = False
    single_patch_per_tcs_subgroup: bool = False
    single_patch_per_tes_subgroup: bool = False
    view_index_uniform: bool = False
    single_frag_shading_rate_per_subgroup: bool = False
    multiple_workgroup_per_compute_subgroup: bool = False
    shader_record_ptr_uniform: bool = False
    uniform_load_tears: bool = False
    invocation_id_uniform: bool = False
    ignore_undef_if_phi_srcs: bool = False
    vertex: bool = False
    patch: bool = False
    memory_may_change: bool = False
    release: Release = Release.MESA_25_0

    @classmethod
    def of_dump(cls, shader: Shader) -> DivergenceOptions:
        """Return the options of the driver that a dump's intrinsics belong to, with its release's rules.

        A dump without driver intrinsics gets the default options.
        """
        release = Release.of_dialect(shader.dialect)
        names = intrinsic_names(shader.source)
        suffixes = {name.rpartition(b"_")[2].decode() for name in names}
        promises = next((options for driver, options in _DRIVERS.items() if driver in suffixes), ())
        if _OF_SEVERAL_PRIMITIVES in names:
            promises = tuple(name for name in promises if name != "single_prim_per_subgroup")
        return cls(release=release, **dict.fromkeys(promises, True))

    def for_patch(self) -> DivergenceOptions:
        """Return the same driver's options for the invocations of one patch."""
        return replace(self, vertex=True, patch=True, memory_may_change=True)

    def for_vertices(self) -> DivergenceOptions:
        """Return the same driver's options for the vertices of one primitive."""
        return replace(self, vertex=True)
