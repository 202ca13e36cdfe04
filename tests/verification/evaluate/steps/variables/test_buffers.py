"""Uniforms by derefs."""

from __future__ import annotations

from tests.verification.evaluate.shader_text import store, stored
from tests.verification.evaluate.steps.deref_lines import run_lines


def test_uniforms_differ_by_name_and_element_but_not_by_lane() -> None:
    lines, stores = [], []
    for number, (name, at) in enumerate((("a", 0), ("a", 1), ("b", 0), ("a", 0))):
        base = 10 * (number + 1)
        lines += [
            f"    32     %{base} = deref_var &{name} (uniform float[2])",
            f"    32     %{base + 1} = deref_array &(*%{base})[{at}] (uniform float)",
            f"    32     %{base + 2} = @load_deref (%{base + 1}) (access=none)",
        ]
        stores.append(store(str(base + 2), "0", component=number))
    head = "".join(
        f"decl_var uniform INTERP_MODE_NONE none float[2] {name} ({place}, 0, 0)\n"
        for place, name in enumerate("ab")
    )
    result = run_lines(*lines, *stores, head=head)
    values = [stored(result, number) for number in range(4)]
    assert all(len(set(value)) == 1 for value in values)
    assert values[0] == values[3]
    assert len({value[0] for value in values}) == 3
