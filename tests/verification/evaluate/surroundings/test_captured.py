"""Words that transform feedback captures."""

from __future__ import annotations

import pytest

from nirls.verification.evaluate.surroundings.captured import captured_planes
from tests.verification.evaluate.shader_text import run, shader_of, store


@pytest.mark.parametrize(
    ("first", "second", "is_defined"), [(0, 4, True), (0, 0, False), (4, 4, False), (0, 2, False)]
)
def test_a_word_of_two_outputs_is_undefined(first: int, second: int, is_defined: bool) -> None:
    lines = [
        store("0", "0", component=component).replace(
            "xfb()", f"xfb(component={component} buffer=0 offset={at})"
        )
        for component, at in enumerate((first, second))
    ]
    body = "\n".join(("    block b0:   // preds:", "    32     %0 = load_const (0x00000000)", *lines))
    planes = captured_planes(run(shader_of(body)))
    assert set(planes) == {(0, first), (0, second)}
    assert all(plane.written.all() and plane.poison.any() != is_defined for plane in planes.values())


def test_a_shader_without_transform_feedback_captures_nothing() -> None:
    body = "    block b0:   // preds:\n    32     %0 = load_const (0x00000000)\n" + store("0", "0")
    assert captured_planes(run(shader_of(body))) == {}
