from __future__ import annotations

import pytest

from nirls.ir.model.control_flow import If, Loop
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import fresh
from nirls.ir.validation import validate
from nirls.passes.reduction.cuts import KINDS, ReductionCut, cut, cuts_of
from tests.passes.shader_text import printed_kinds

SHADER = b"""shader: MESA_SHADER_FRAGMENT
subgroup_size: 0
decl_var uniform INTERP_MODE_NONE none float unused (0, 0, 0)
decl_var uniform INTERP_MODE_NONE none float used (1, 0, 0)
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32     %0 = load_const (0x00000000 = 0.000000)
    32     %1 = load_const (0x40000000 = 2.000000)
    32     %2 = deref_var &used (uniform float)
    32     %3 = @load_deref (%2) (access=none)
    1      %4 = flt %0 (0.000000), %3
                // succs: b1 b2
    if %4 {
        block b1:  // preds: b0
        32     %5 = fadd %3, %1 (2.000000)
                    // succs: b3
    } else {
        block b2:  // preds: b0
        32     %6 = ffma %3, %1 (2.000000), %3
                    // succs: b3
    }
    block b3:  // preds: b1 b2
    32     %7 = phi b1: %5, b2: %6
                // succs: b4
    loop {
        block b4:  // preds: b3 b7
        32     %8 = phi b3: %0 (0.000000), b7: %10
        1      %9 = fge %8, %7
                    // succs: b5 b6
        if %9 {
            block b5:  // preds: b4
            break
            // succs: b8
        } else {
            block b6:  // preds: b4, succs: b7
        }
        block b7:  // preds: b6
        32    %10 = fadd %8, %1 (2.000000)
                    // succs: b4
    }
    block b8:  // preds: b5
                @store_ssbo (%8, %0 (0x0), %0 (0x0)) (wrmask=x, access=none, align_mul=4, align_offset=0)
                @store_ssbo (%7, %0 (0x0), %0 (0x0)) (wrmask=x, access=none, align_mul=4, align_offset=0)
                // succs: b9
    block b9:
}
"""


@pytest.fixture
def shader() -> Shader:
    parsed = parse_dump(SHADER)
    assert not parsed.unreadable
    assert not [problem for problem in validate(parsed) if problem.severity == "error"]
    return parsed


def nodes(shader: Shader, kind: type[If] | type[Loop]) -> int:
    entry = shader.entrypoint
    assert entry is not None
    return sum(isinstance(node, kind) for node in entry.cf_nodes())


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "function"])
def test_every_cut_leaves_a_valid_dump_and_the_original_as_it_was(shader: Shader, kind: str) -> None:
    before = fresh(shader)
    cuts = cuts_of([shader], kind)
    assert cuts
    for group in (*([one] for one in cuts), cuts):
        smaller = parse_dump(fresh(cut([shader], group)[0]))
        assert not smaller.unreadable
        assert not [problem.message for problem in validate(smaller) if problem.severity == "error"]
        assert smaller.source != before
    assert fresh(shader) == before


def test_branches_and_loops(shader: Shader) -> None:
    assert [one.place for one in cuts_of([shader], "no loop")] == [1]
    without_loop = cut([shader], cuts_of([shader], "no loop"))[0]
    assert (nodes(without_loop, Loop), nodes(without_loop, If)) == (0, 1)
    first_if = cuts_of([shader], "then branch")[0]
    only_then = cut([shader], [first_if])[0]
    assert (nodes(only_then, Loop), nodes(only_then, If)) == (1, 1)
    assert "ffma" not in printed_kinds(only_then)
    only_else = cut([shader], [first_if._replace(kind="else branch")])[0]
    assert "ffma" in printed_kinds(only_else)


def test_what_nothing_needs_any_more_goes_too(shader: Shader) -> None:
    stores = cuts_of([shader], "effect")
    assert len(stores) == 2
    smaller = cut([shader], stores[1:])[0]
    assert printed_kinds(smaller).count("store_ssbo") == 1
    constants = cut([shader], [one for one in cuts_of([shader], "zero") if one.place == 3])[0]
    assert "load_deref" not in printed_kinds(constants)
    assert [variable.name for variable in shader.variables] == ["unused", "used"]
    assert [one.place for one in cuts_of([shader], "variable")] == [0]
    assert [one.place for one in cuts_of([constants], "variable")] == [0, 1]


def test_cuts_of_several_shaders_leave_the_others(shader: Shader) -> None:
    other = parse_dump(SHADER)
    result = cut([shader, other], [ReductionCut("effect", 1, cuts_of([other], "effect")[0].place)])
    assert result[0] is shader
    assert printed_kinds(result[1]).count("store_ssbo") == 1


def test_functions_that_nobody_calls() -> None:
    text = SHADER + b"\nimpl other {\n    block b0:  // preds:\n    // succs: b1\n    block b1:\n}\n"
    parsed = parse_dump(text.replace(b"(entrypoint)\n", b"(entrypoint)\ndecl_function other ()\n", 1))
    cuts = cuts_of([parsed], "function")
    assert [parsed.functions[one.place].name for one in cuts] == ["other"]
    assert [function.name for function in cut([parsed], cuts)[0].functions] == ["main"]


def test_variables_of_functions_that_nothing_uses(shader: Shader) -> None:
    local = b"    decl_var INTERP_MODE_NONE none vec4 scratch\n"
    parsed = parse_dump(SHADER.replace(b"impl main {\n", b"impl main {\n" + local))
    cuts = cuts_of([parsed], "variable")
    assert [one.place for one in cuts] == [0, 2]
    smaller = cut([parsed], cuts[1:])[0]
    assert [variable.name for variable in smaller.variables] == ["unused", "used"]
    assert b"scratch" not in fresh(smaller)
    assert b"scratch" in fresh(parsed)
