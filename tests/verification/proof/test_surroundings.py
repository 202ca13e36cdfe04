from __future__ import annotations

import pytest

from nirls.ir.model.shader import Damage
from nirls.ir.model.span import Span
from nirls.ir.text.parse import parse_dump
from nirls.verification.proof.surroundings import Surroundings, ambiguous_names
from tests.passes.shader_text import ONE, ZERO, shader_text

INPUT = "decl_var shader_in INTERP_MODE_NONE none float a (VARYING_SLOT_VAR0.x, 0, 0)"
DEREF = "32 %2 = deref_var &a (shader_in float)"


def surroundings(*header: str, stage: str = "FRAGMENT", line: str = DEREF) -> Surroundings:
    return Surroundings.of(parse_dump(shader_text(stage, ZERO, ONE, line, header=header).encode()))


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        (surroundings(INPUT), True),
        (surroundings("inputs_read: 32", INPUT), True),
        (surroundings("workgroup_size: 8, 8, 1", INPUT), False),
        (surroundings("uses_sample_shading: true", INPUT), False),
        (surroundings(INPUT.replace("MODE_NONE", "MODE_FLAT")), False),
        (surroundings(INPUT.replace("MODE_NONE", "MODE_FLAT"), line=""), True),
        (surroundings(INPUT, stage="VERTEX"), False),
        (surroundings(INPUT, line="32 %2 = ("), False),
    ],
    ids=["equal", "gathered", "requested", "per sample", "declared", "not accessed", "stage", "unreadable"],
)
def test_what_must_be_the_same(other: Surroundings, is_same: bool) -> None:
    assert surroundings(INPUT).same_as(other) is is_same
    assert other.same_as(surroundings(INPUT)) is is_same


def test_a_damaged_shader_is_not_the_same() -> None:
    damaged = parse_dump(shader_text("FRAGMENT", ZERO, ONE, DEREF, header=(INPUT,)).encode())
    whole = Surroundings.of(damaged)
    assert whole.same_as(whole)
    damaged.damage = Damage(Span(0, 1, 0), "?")
    assert not Surroundings.of(damaged).same_as(whole)


def test_names_of_several_variables_are_ambiguous() -> None:
    text = shader_text("FRAGMENT", ZERO, header=(INPUT, INPUT, INPUT.replace(" a ", " b ")))
    shader = parse_dump(text.encode())
    assert shader.entrypoint is not None
    assert ambiguous_names([shader], [shader.entrypoint]) == {"a"}


def test_the_preamble_of_an_entry_point_runs() -> None:
    body = "    block b0:  // preds:\n    // succs: b1\n    block b1:\n}\n"
    names = ("main", "@preamble", "unused")
    text = "shader: MESA_SHADER_FRAGMENT\ndecl_function main () (entrypoint)\n"
    text += "".join(f"decl_function {name} ()\n" for name in names[1:])
    text += f"\nimpl main {{\n    preamble @preamble\n{body}"
    text += "".join(f"\nimpl {name} {{\n{body}" for name in names[1:])
    found = Surroundings.of(parse_dump(text.encode()))
    assert [function.name for function in found.functions] == ["main", "@preamble"]
