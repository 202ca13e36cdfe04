"""Divergence rules of intrinsics: Mesa's nir_divergence_analysis.c as tables.

A rule lists the relevant sources, and when the value diverges regardless of its sources.
`divergence.txt` says which intrinsic has which rule; an unknown intrinsic counts as divergent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from pathlib import Path

from nirls.ir.analysis.divergence_options import DivergenceOptions, Release
from nirls.ir.model.access import SMEM_AMD
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.stage import Stage


@dataclass(frozen=True, slots=True)
class Condition:
    """Whether a value is divergent regardless of its sources; any of the named driver options inverts it.

    `because` replaces the rule's for a stage with its own reason.
    """

    divergent: bool
    turned_by: tuple[str, ...] = ()
    because: str = ""

    def holds(self, options: DivergenceOptions) -> bool:
        """Return whether the value is divergent for this driver."""
        return self.divergent != any(getattr(options, name) for name in self.turned_by)


NEVER = Condition(False)
ALWAYS = Condition(True)


class Tearing(Enum):
    """Whether a load can observe another subgroup's store partially (option `uniform_load_tears`)."""

    NO = "no"
    UNLESS_READONLY = "unless the access is readonly"
    YES = "yes"


@dataclass(frozen=True, slots=True)
class IntrinsicRule:
    """Divergence rule of an intrinsic.

    `because` and `convergent_because` complete a sentence that starts with the intrinsic's name.
    `by_stage` replaces `own` in some stages. `sources` are the numbers of the relevant sources, None
    for all; `all_must_diverge` if all of them must diverge. `resource` is the number of a source that is only
    relevant with the `non-uniform` flag. `one_per_primitive` lists the stages where the value
    is the same for all vertices of a primitive if its sources are; `one_per_subgroup` marks values uniform
    over a subgroup but not over the vertices of a primitive, which may be in several subgroups.
    """

    because: str
    convergent_because: str
    own: Condition = NEVER
    by_stage: Mapping[Stage, Condition] = field(default_factory=dict)
    sources: tuple[int, ...] | None = ()
    all_must_diverge: bool = False
    resource: int | None = None
    tearing: Tearing = Tearing.NO
    one_per_primitive: frozenset[Stage] = frozenset()
    one_per_subgroup: bool = False

    def is_same_in_primitive(self, stage: Stage | None, options: DivergenceOptions) -> bool:
        """Return whether, for vertex divergence, the rule excludes divergence except by sources."""
        return options.vertex and stage in self.one_per_primitive

    def is_divergent_itself(self, stage: Stage | None, options: DivergenceOptions) -> bool:
        """Return whether the value is divergent regardless of its sources and access."""
        if self.is_same_in_primitive(stage, options):
            return False
        if options.vertex and self.one_per_subgroup:
            return True
        return self._condition(stage).holds(options)

    def why_divergent_itself(self, stage: Stage | None) -> str:
        """Return the end of the sentence with the reason, for that stage."""
        return self._condition(stage).because or self.because

    def _condition(self, stage: Stage | None) -> Condition:
        return self.own if stage is None else self.by_stage.get(stage, self.own)


_SOURCES_ALIKE = "computes the same from the same sources"


def _varying(because: str) -> IntrinsicRule:
    return IntrinsicRule(because, "", ALWAYS)


def _uniform(because: str) -> IntrinsicRule:
    return IntrinsicRule("", because)


_PER_INVOCATION = _varying("differs between invocations")
_ATOMIC = _varying("takes its turn among the invocations, and each sees another value")
_WAVE = _uniform("exists once for all invocations that run together")
_SCALAR_LOAD = _uniform("loads once for all invocations")
_CROSS_LANE = IntrinsicRule(
    "has one value in each subgroup, and the vertices of a primitive may sit in several",
    "has one value for the whole subgroup",
    one_per_subgroup=True,
)
_FROM_SOURCES = IntrinsicRule("", _SOURCES_ALIKE, sources=None)
_MEMORY = replace(_FROM_SOURCES, convergent_because="reads one address", tearing=Tearing.UNLESS_READONLY)
OTHER_STORES = "may see the store of another subgroup in some invocations only"
"""The end of the sentence for a load that may tear."""
_UNKNOWN = _varying("is an intrinsic of which no convergence rule is known")

_SEVERAL_PRIMITIVES = "differs between primitives, and a subgroup may hold fragments of several"
_SEVERAL_PATCHES = "differs between patches, and a subgroup may hold several"
_PRIMITIVE_OF_FRAGMENT = Condition(True, ("single_prim_per_subgroup",), _SEVERAL_PRIMITIVES)
_PATCH_OF_TCS = Condition(True, ("single_patch_per_tcs_subgroup",), _SEVERAL_PATCHES)
_PATCH_OF_TES = Condition(True, ("single_patch_per_tes_subgroup",), _SEVERAL_PATCHES)
_VIEW_OF_FRAGMENT = Condition(True, ("view_index_uniform", "single_prim_per_subgroup"))

_BUFFER = IntrinsicRule("", "reads one place of one buffer", resource=0, sources=(1,))
_IMAGE = IntrinsicRule(
    "", "reads one texel of one image", resource=0, sources=(1, 2, 3), tearing=Tearing.UNLESS_READONLY
)
_OF_PRIMITIVE = IntrinsicRule(
    _SEVERAL_PRIMITIVES,
    "belongs to the one primitive of the subgroup",
    _PRIMITIVE_OF_FRAGMENT,
)
_INPUT = IntrinsicRule(
    "reads the inputs of each invocation",
    "reads an input that the invocations share",
    ALWAYS,
    {Stage.FRAGMENT: _PRIMITIVE_OF_FRAGMENT, Stage.TESS_EVAL: _PATCH_OF_TES},
    sources=(0,),
    one_per_primitive=frozenset({Stage.TESS_EVAL}),
)

RULES: dict[str, IntrinsicRule] = {
    "cross-lane": _CROSS_LANE,
    "draw": _uniform("is the same for the whole draw or dispatch"),
    "driver": _uniform("is state that the driver sets for the whole draw or dispatch"),
    "wave": _WAVE,
    "build": _uniform("is settled when the shader is compiled or loaded"),
    "scalar-load": _SCALAR_LOAD,
    "memory": _MEMORY,
    "sources": _FROM_SOURCES,
    "interpolated": _varying("is interpolated, or chosen, for every fragment anew"),
    "invocation": _PER_INVOCATION,
    "lanes": _varying("is made from the position of the invocation within its subgroup"),
    "own-memory": _varying("reads what belongs to one invocation only"),
    "atomic": _ATOMIC,
    "ray": _varying("belongs to the ray of one invocation"),
    "layout": _varying("is spread over the invocations by the hardware"),
    "shader-record": IntrinsicRule(
        "belongs to the shader record of one invocation",
        "is the same for the subgroup on this driver",
        Condition(True, ("shader_record_ptr_uniform",)),
    ),
    "shading-rate": IntrinsicRule(
        "may differ between the fragments of a subgroup",
        "is the same for the subgroup on this driver",
        Condition(True, ("single_frag_shading_rate_per_subgroup",)),
    ),
    "invocation-id": IntrinsicRule(
        "differs between invocations",
        "is the same for the subgroup on this driver",
        Condition(True, ("invocation_id_uniform",)),
    ),
    "input": _INPUT,
    "attribute": IntrinsicRule("", "reads the attribute of one vertex", sources=(0, 1, 2)),
    "vertex-input": IntrinsicRule(
        "reads the vertices of the invocation's own primitive",
        "reads a vertex of the one patch of the subgroup",
        ALWAYS,
        {Stage.TESS_EVAL: _PATCH_OF_TES},
        sources=(0, 1),
    ),
    "input-vertex": replace(_OF_PRIMITIVE, sources=(1,)),
    "interp-deltas": replace(_OF_PRIMITIVE, sources=(0,)),
    "primitive": _OF_PRIMITIVE,
    "output": IntrinsicRule(
        "reads the outputs of the invocation's own patch or pixel",
        "reads an output that the invocations share",
        ALWAYS,
        {Stage.TESS_CTRL: _PATCH_OF_TCS, Stage.TASK: NEVER, Stage.MESH: NEVER},
        sources=(0,),
    ),
    "vertex-output": IntrinsicRule(
        "reads the outputs of the invocation's own patch",
        "reads an output that the invocations share",
        by_stage={Stage.TESS_CTRL: _PATCH_OF_TCS},
        sources=(0, 1),
    ),
    "primitive-output": IntrinsicRule("", "reads an output that the invocations share", sources=(0, 1)),
    "view": IntrinsicRule(
        "may differ between the invocations of a subgroup",
        "is the same for the subgroup on this driver",
        Condition(True, ("view_index_uniform",)),
        {Stage.FRAGMENT: _VIEW_OF_FRAGMENT},
    ),
    "instance": IntrinsicRule(
        "differs between instances, and a subgroup may hold vertices of several",
        "is the same for all vertices of a primitive",
        ALWAYS,
        one_per_primitive=frozenset(Stage),
    ),
    "primitive-id": IntrinsicRule(
        "differs between primitives, and a subgroup may hold several",
        "is the same for all invocations of a primitive",
        ALWAYS,
        {
            Stage.FRAGMENT: _PRIMITIVE_OF_FRAGMENT,
            Stage.TESS_CTRL: _PATCH_OF_TCS,
            Stage.TESS_EVAL: _PATCH_OF_TES,
        },
        one_per_primitive=frozenset({Stage.VERTEX, Stage.TESS_CTRL, Stage.TESS_EVAL, Stage.GEOMETRY}),
    ),
    "patch": IntrinsicRule(
        _SEVERAL_PATCHES,
        "belongs to the one patch of the subgroup",
        ALWAYS,
        {Stage.TESS_CTRL: _PATCH_OF_TCS, Stage.TESS_EVAL: _PATCH_OF_TES},
    ),
    "workgroup": IntrinsicRule(
        "belongs to a workgroup, and a subgroup may hold several",
        "is the same for the whole workgroup",
        by_stage={
            Stage.COMPUTE: Condition(False, ("multiple_workgroup_per_compute_subgroup",)),
        },
    ),
    "buffer": _BUFFER,
    "stored-buffer": replace(_BUFFER, tearing=Tearing.UNLESS_READONLY),
    "shared": replace(_FROM_SOURCES, sources=(0,), tearing=Tearing.YES),
    "resource-size": IntrinsicRule("", "is the size of one buffer", resource=0),
    "parameter": _varying("is a parameter, for which a caller may pass a divergent value"),
    "shuffle": IntrinsicRule(
        "", "gives every invocation the same value", sources=(0, 1), all_must_diverge=True
    ),
    "image": _IMAGE,
    "image-fragments": replace(_IMAGE, sources=(1,)),
    "image-address": IntrinsicRule("", "is the address of one texel", resource=0, sources=(1, 2)),
}
"""The rules that `divergence.txt` names."""

_SCAN = IntrinsicRule(
    "has one value in each subgroup, and the vertices of a primitive may sit in several",
    "gives the same for any number of equal values",
    sources=(0,),
    one_per_subgroup=True,
)
_COUNTING_SCAN = _varying("depends on how many invocations take part before this one")
_IDEMPOTENT = frozenset({"umin", "imin", "fmin", "umax", "imax", "fmax", "iand", "ior"})


def _scan_rule(instr: IntrinsicInstr) -> IntrinsicRule:
    return _SCAN if instr.indices.get("reduction_op") in _IDEMPOTENT else _COUNTING_SCAN


def _reduce_rule(instr: IntrinsicInstr) -> IntrinsicRule:
    # A cluster size of 0 stands for the whole subgroup.
    return _CROSS_LANE if instr.int_index("cluster_size") == 0 else _scan_rule(instr)


def _global_amd_rule(instr: IntrinsicInstr) -> IntrinsicRule:
    return _SCALAR_LOAD if instr.int_index("access") & SMEM_AMD else _FROM_SOURCES


def _sysval_nv_rule(instr: IntrinsicInstr) -> IntrinsicRule:
    if instr.int_index("divergent", 1):
        return _PER_INVOCATION
    return _WAVE


def _decl_reg_rule(instr: IntrinsicInstr) -> IntrinsicRule:
    if str(instr.indices.get("divergent", 1)) in ("0", "false"):
        return _uniform("declares a register for convergent values")
    return _varying("declares a register for divergent values")


_BY_INDEX: dict[str, Callable[[IntrinsicInstr], IntrinsicRule]] = {
    "reduce": _reduce_rule,
    "inclusive_scan": _scan_rule,
    "inclusive_scan_clusters_ir3": _scan_rule,
    "load_global_amd": _global_amd_rule,
    "load_sysval_nv": _sysval_nv_rule,
    "decl_reg": _decl_reg_rule,
}

OVERRIDES_22_3: dict[str, IntrinsicRule] = {
    # Uniform up to 22.3; divergent since, because they are lane masks.
    **{f"load_subgroup_{relation}_mask": _WAVE for relation in ("eq", "ge", "gt", "le", "lt")},
    "load_global_block_intel": _SCALAR_LOAD,
    # Outside of the fragment shader the view was assumed to be uniform.
    "load_view_index": IntrinsicRule(
        "may differ between the invocations of a subgroup",
        "is the same for the subgroup",
        by_stage={Stage.FRAGMENT: _VIEW_OF_FRAGMENT},
    ),
    "load_patch_vertices_in": IntrinsicRule(
        "was taken to differ between patches up to Mesa 22.3",
        "is the same for the whole draw",
        by_stage={Stage.TESS_EVAL: _PATCH_OF_TES},
    ),
    "load_input": replace(_INPUT, by_stage={**_INPUT.by_stage, Stage.MESH: NEVER}),
}


@cache
def rule_names() -> Mapping[str, str]:
    """Return the rule of each intrinsic that has a row, by its name in `divergence.txt`."""
    rows: dict[str, str] = {}
    for line in Path(__file__).with_name("divergence.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            names, _, rule = line.partition("|")
            rows.update(dict.fromkeys(names.split(), rule.strip()))
    return rows


def rule_of(instr: IntrinsicInstr, release: Release) -> IntrinsicRule:
    """Return the rule for an intrinsic instruction; an unknown one is divergent."""
    chosen = _BY_INDEX.get(instr.name)
    return named_rule(instr.name, release) if chosen is None else chosen(instr)


def named_rule(name: str, release: Release) -> IntrinsicRule:
    """Return the rule for an intrinsic name, for intrinsics without relevant indices."""
    if release is Release.MESA_22_3 and name in OVERRIDES_22_3:
        return OVERRIDES_22_3[name]
    rows = rule_names()
    row = rows.get(name)
    if row is not None:
        return RULES[rows[row.removeprefix("like ")] if row.startswith("like ") else row]
    # Atomics had one intrinsic for each operation up to 2023: ssbo_atomic_add, global_atomic_umax_amd.
    return _ATOMIC if "_atomic" in name or name.startswith("atomic_counter_") else _UNKNOWN


def is_known(name: str) -> bool:
    """Return whether that intrinsic has a rule, its own or that of a similar one."""
    return name in _BY_INDEX or named_rule(name, Release.MESA_25_0) is not _UNKNOWN


SYSTEM_VALUE_INTRINSICS: Mapping[str, str] = {
    # System values whose load intrinsic is not `load_` plus the lower-case name.
    "SYSTEM_VALUE_BARYCENTRIC_LINEAR_CENTROID": "load_barycentric_centroid",
    "SYSTEM_VALUE_BARYCENTRIC_LINEAR_PIXEL": "load_barycentric_pixel",
    "SYSTEM_VALUE_BARYCENTRIC_LINEAR_SAMPLE": "load_barycentric_sample",
    "SYSTEM_VALUE_BARYCENTRIC_PERSP_CENTROID": "load_barycentric_centroid",
    "SYSTEM_VALUE_BARYCENTRIC_PERSP_PIXEL": "load_barycentric_pixel",
    "SYSTEM_VALUE_BARYCENTRIC_PERSP_SAMPLE": "load_barycentric_sample",
    "SYSTEM_VALUE_BARYCENTRIC_PULL_MODEL": "load_barycentric_model",
    "SYSTEM_VALUE_VERTEX_CNT": "load_patch_vertices_in",
    "SYSTEM_VALUE_VERTICES_IN": "load_patch_vertices_in",
}


def system_value_rule(location: str | None, release: Release) -> IntrinsicRule:
    """Return the rule for a system value variable, from its printed location."""
    if location is None:
        return _UNKNOWN
    name = location.partition(".")[0]
    plain = "load_" + name.removeprefix("SYSTEM_VALUE_").lower()
    return named_rule(SYSTEM_VALUE_INTRINSICS.get(name, plain), release)


UNIFORM_MODES = frozenset({"uniform", "ubo", "ssbo", "shared", "task_payload", "global", "image"})
"""The variable modes whose variables are one object for all invocations (25.0)."""
