"""Variables and bindings of a vertex shader in a control shader."""

from __future__ import annotations

import pytest

from nirls.ir.model.access import VS_BINDINGS
from nirls.passes.tessellation.inline_vs_bindings import (
    adopt_variables,
    clashing_variable,
    has_binding,
    use_vs_bindings,
    writes_memory,
)
from tests.passes.tessellation.patches import control, of_name, vertex

UNIFORM = "decl_var uniform INTERP_MODE_NONE none float u ({}, 0, 0)"
TEMPORARY = "decl_var shader_temp INTERP_MODE_NONE none float t"
LOADS = (
    "32    %2 = deref_var &u (uniform float)",
    "32    %3 = @load_deref (%2) (access=none)",
    "32    %4 = deref_var &t (shader_temp float)",
    "32    %5 = @load_deref (%4) (access=none)",
)


def test_resources_are_flagged_and_temporaries_are_not() -> None:
    vs = vertex(*LOADS, header=(UNIFORM.format(0), TEMPORARY))
    impl = vs.entrypoint
    assert impl is not None
    use_vs_bindings(list(impl.instrs()))
    assert [read.int_index("access") for read in of_name(vs, "load_deref")] == [VS_BINDINGS, 0]


@pytest.mark.parametrize(
    ("line", "binds", "writes"),
    [
        (
            "32    %2 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)",
            True,
            False,
        ),
        ("32    %2 = @load_global (%3) (access=none, align_mul=4, align_offset=0)", False, False),
        ("@store_ssbo (%1, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)", False, True),
        (
            "@image_store (%0, %3, %0, %3, %0) (image_dim=2D, image_array=false, format=none, access=none)",
            False,
            True,
        ),
    ],
)
def test_kinds_of_intrinsics(line: str, binds: bool, writes: bool) -> None:
    vs = vertex("64    %3 = undefined", line)
    (instr,) = [
        one for name in ("load_ubo", "load_global", "store_ssbo", "image_store") for one in of_name(vs, name)
    ]
    assert (has_binding(instr), writes_memory(instr)) == (binds, writes)


def test_same_variable_is_shared_and_another_declared() -> None:
    for location, shared in ((0, True), (1, False)):
        vs = vertex(*LOADS, header=(UNIFORM.format(0), TEMPORARY))
        tcs = control(header=(UNIFORM.format(location), TEMPORARY))
        assert (clashing_variable(vs, tcs) is None) == shared
        if not shared:
            continue
        impl = vs.entrypoint
        assert impl is not None
        adopt_variables(list(impl.instrs()), tcs, ())
        assert [variable.name for variable in tcs.variables] == ["u", "t", "t_vs"]
