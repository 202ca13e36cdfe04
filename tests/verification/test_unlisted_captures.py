"""Transform feedback of outputs that the dump does not list."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.snapshots import RunnableSnapshot, compare_linked_snapshots
from nirls.verification.verdict import Equivalent, Unchecked
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ZERO, load, shader, store

FEEDBACK = ("has_transform_feedback_varyings: true",)
INPUT = (
    "32x4 %1 = @load_input (%0) (base=0, range=0, component=0, dest_type=float32,"
    " io location=VERT_ATTRIB_GENERIC0 slots=1)"
)
X, Y = "32 %2 = mov %1.x", "32 %3 = mov %1.y"


def vertex(*lines: str, header: tuple[str, ...] = FEEDBACK) -> Shader:
    return shader("VERTEX", ZERO, INPUT, X, Y, *lines, header=header)


def fragment(slot: str = "VAR0") -> Shader:
    color = store("VAR0", "%1").replace("VARYING_SLOT_VAR0", "FRAG_RESULT_DATA0")
    return shader("FRAGMENT", ZERO, load(1, slot), color)


BOTH = (store("VAR0", "%2"), store("VAR1", "%3"))
CHANGES = {
    "an output that the next stage does not read is gone": ((BOTH[0],), "VAR0"),
    "it has another value": ((BOTH[0], store("VAR1", "%2")), "VAR0"),
    "the outputs have changed their places": ((store("VAR1", "%2"), store("VAR0", "%3")), "VAR1"),
    "a store moved to another component": ((store("VAR0", "%2", 1), BOTH[1]), "VAR0.y"),
    "it is undefined": ((BOTH[0], "32 %4 = undefined", store("VAR1", "%4")), "VAR0"),
}


def _reader(place: str) -> Shader:
    if "." not in place:
        return fragment(place)
    return shader(
        "FRAGMENT",
        ZERO,
        load(1, "VAR0", 1),
        store("VAR0", "%1").replace("VARYING_SLOT_VAR0", "FRAG_RESULT_DATA0"),
    )


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_output_is_unchecked_where_it_may_be_captured(name: str) -> None:
    stores, slot = CHANGES[name]
    before, after = [vertex(*BOTH), fragment()], [vertex(*stores), _reader(slot)]
    verdict = verify_shaders(before, after)
    assert isinstance(verdict, Unchecked)
    assert "transform feedback may capture" in verdict.reason
    snapshots = ([RunnableSnapshot(stage) for stage in side] for side in (before, after))
    assert isinstance(compare_linked_snapshots(*snapshots), Unchecked)
    plain = ([vertex(*BOTH, header=()), fragment()], [vertex(*stores, header=()), _reader(slot)])
    assert isinstance(verify_shaders(*plain), Equivalent)


def test_what_leaves_all_outputs_as_they_are_is_equivalent() -> None:
    before = [vertex(*BOTH), fragment()]
    assert isinstance(verify_shaders(before, [vertex(*BOTH[::-1]), fragment()]), Equivalent)
    sum_ = ("32 %4 = iadd %2, %3", store("VAR1", "%4"))
    other = ("32 %4 = iadd %3, %2", store("VAR1", "%4"))
    pairs = ([vertex(BOTH[0], *lines), fragment()] for lines in (sum_, other))
    assert isinstance(verify_shaders(*pairs), Equivalent)


def test_captures_that_are_listed_are_compared() -> None:
    listed = store("VAR0", "%2", extra="|component=0 buffer=0 offset=0")
    before, after = [vertex(listed, BOTH[1]), fragment()], [vertex(listed), fragment()]
    assert isinstance(verify_shaders(before, after), Equivalent)
