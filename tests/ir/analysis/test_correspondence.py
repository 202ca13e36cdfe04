from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.analysis.compare import same_shader
from nirls.ir.analysis.correspondence import correspondence, is_rewritten
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import normalize
from tests.passes.shader_text import ONE, ZERO, shader, store


def numbers(first: Shader, second: Shader) -> dict[int, int]:
    """The number in the first shader of each number in the second."""
    (impl,), (other,) = first.impls(), second.impls()
    return {value.index: twin.index for value, twin in correspondence(impl, other).values.items()}


BEFORE = shader(
    "VERTEX",
    ZERO,
    ONE,
    "32    %2 = @load_vertex_id",
    "32    %3 = iadd %2, %1",
    "32    %4 = imul %3, %3",
    "32    %5 = fadd %4, %1 (1.000000)",
    store("VAR0", "%5"),
)


def test_what_is_left_after_others_are_gone_keeps_its_number() -> None:
    after = shader(
        "VERTEX",
        "32    %0 = load_const (0x3f800000 = 1.000000)",
        "32    %1 = @load_vertex_id",
        "32    %2 = iadd %1, %0",
        "32    %3 = imul %2, %2",
        "32    %4 = fadd %3, %0 (1.000000)",
    )
    assert numbers(BEFORE, after) == {0: 1, 1: 2, 2: 3, 3: 4, 4: 5}


def test_a_value_computed_otherwise_is_known_by_its_users() -> None:
    after = shader(
        "VERTEX",
        ZERO,
        ONE,
        "32    %2 = @load_vertex_id",
        "32    %7 = ishl %2, %1",
        "32    %8 = imul %7, %7",
        "32    %9 = fadd %8, %1 (1.000000)",
        store("VAR0", "%9"),
    )
    assert numbers(BEFORE, after) == {0: 0, 1: 1, 2: 2, 7: 3, 8: 4, 9: 5}


def test_new_values_have_no_counterpart() -> None:
    after = shader("VERTEX", ZERO, ONE, "32x2  %2 = vec2 %0 (0x0), %1 (1.000000)")
    assert numbers(BEFORE, after) == {0: 0, 1: 1}


def test_counterparts_are_one_to_one() -> None:
    after = shader("VERTEX", ZERO, "32    %1 = load_const (0x00000000 = 0.000000)", ONE.replace("%1", "%2"))
    found = numbers(BEFORE, after)
    assert sorted(found.values()) == [0, 1]


@pytest.mark.parametrize("name", ["hand_tess_pn_triangles", "hand_geom_billboard", "threex_GTAOShader"])
def test_renumbered_shaders_correspond_completely(corpus: Path, name: str) -> None:
    for path in sorted((corpus / "pipelines" / name).glob("*/*.ssa.nir")):
        before = parse_dump(path.read_bytes())
        after = parse_dump(normalize(before))
        assert same_shader(before, after)
        for impl, other in zip(before.impls(), after.impls(), strict=True):
            found = correspondence(impl, other)
            values: list[Def] = list(other.defs())
            assert [found.values[value] for value in values] == list(impl.defs())
            assert [found.blocks[block] for block in other.blocks()] == impl.blocks()


def test_readers_of_a_vector_that_read_its_components_are_known_by_their_other_sources() -> None:
    """`nir_copy_prop` behind `nir_lower_alu_to_scalar`: another swizzle and another source in each line."""
    head = [ZERO, ONE, "32    %2 = @load_vertex_id", "32    %3 = @load_instance_id"]
    products = [f"32    %{n} = fmul %2, %{n - 2}" for n in (4, 5)]
    before = shader(
        "VERTEX", *head, *products, "32x2  %6 = vec2 %4, %5",
        "32    %7 = ffma %2, %3, %6.x", "32    %8 = ffma %3, %2, %6.y", "32x2  %9 = vec2 %7, %8",
    )  # fmt: skip
    after = shader(
        "VERTEX", *head, *products, "32    %7 = ffma %2, %3, %4", "32    %8 = ffma %3, %2, %5"
    )  # fmt: skip
    assert numbers(before, after) == {n: n for n in (0, 1, 2, 3, 4, 5, 7, 8)}


def test_one_common_constant_is_no_match() -> None:
    before = shader("VERTEX", ZERO, ONE, "32    %2 = @load_vertex_id", "32    %3 = iadd %2, %1")
    after = shader("VERTEX", ZERO, ONE, "32    %2 = @load_instance_id", "32x2  %4 = vec2 %2, %2",
                   "32    %3 = iadd %4.y, %1")  # fmt: skip
    assert 3 not in numbers(before, after)


def test_what_is_rewritten() -> None:
    after = shader(
        "VERTEX",
        ZERO,
        ONE,
        "32    %2 = @load_vertex_id",
        "32    %3 = iadd %2, %1",
        "32    %9 = imul %3, %2",
        "32    %5 = fadd %9, %1 (1.000000)",
        store("VAR0", "%5"),
    )
    (impl,), (other,) = BEFORE.impls(), after.impls()
    found = correspondence(impl, other)
    changed = [instr for instr, origin in found.instrs.items() if is_rewritten(instr, origin, found)]
    assert [instr.def_.index for instr in changed if instr.def_] == [9]


def test_numbers_of_variables_with_one_name_are_the_printers() -> None:
    def function(first: str, second: str, *declared: str) -> Shader:
        lines = [
            f"32    %2 = deref_var &{first} (shader_temp float)",
            "             @store_deref (%2, %1) (wrmask=x, access=none)",
            f"32    %3 = deref_var &{second} (shader_temp float)",
            "             @store_deref (%3, %0) (wrmask=x, access=none)",
            "32    %4 = @load_deref (%2) (access=none)",
            "32    %5 = @load_deref (%3) (access=none)",
        ]
        variables = [f"decl_var shader_temp INTERP_MODE_NONE none float {name}" for name in declared]
        return shader("VERTEX", ZERO, ONE, *lines, store("VAR0", "%4"), store("VAR1", "%5"), header=variables)

    before = function("t#1", "t#2", "t", "t#0", "t#1", "t#2")
    after = function("t", "t#0", "t", "t#0")
    assert numbers(before, after) == {number: number for number in range(6)}
    (impl,), (other,) = before.impls(), after.impls()
    found = correspondence(impl, other)
    assert not any(is_rewritten(instr, origin, found) for instr, origin in found.instrs.items())
