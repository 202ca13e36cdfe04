"""A varying with less precision may not hold a value that must have all of it.

A driver may send `mediump` varyings in 16 bits. What is sent in the place of several varyings has the
precision that the most precise of them had.
"""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.validation import validate
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.link_pair import link_pair
from tests.passes.shader_text import ZERO, load, shader, store, use
from tests.passes.varyings.pairs import fragment, vertex

MEDIUM = " mediump"
TWICE = ("%10", "%10")
TWO = ("%10", "%11")


def flags_after(producer: Shader, consumer: Shader) -> set[bool]:
    """Whether the accesses that are left are mediump."""
    link_pair(producer, consumer, LinkOptions(pack=False))
    assert not validate(producer)
    assert not validate(consumer)
    lines = [
        instr.io_semantics.has("mediump")
        for parsed in (producer, consumer)
        for impl in parsed.impls()
        for instr in impl.instrs()
        if getattr(instr, "io_semantics", None) is not None and instr.io_semantics.location >= 32
    ]
    assert len(lines) == 2 + (consumer.stage is not None and consumer.stage.value == "GEOMETRY")
    return set(lines)


@pytest.mark.parametrize(
    ("first", "second", "medium"),
    [(MEDIUM, MEDIUM, True), (MEDIUM, "", False), ("", MEDIUM, False), ("", "", False)],
)
@pytest.mark.parametrize("stored", [TWICE, TWO], ids=["duplicates", "an expression"])
def test_precision_of_what_is_left(first: str, second: str, medium: bool, stored: tuple[str, str]) -> None:
    producer = vertex(
        store("VAR0", stored[0], extra=f"{first}|"), store("VAR1", stored[1], extra=f"{second}|")
    )
    consumer = fragment(
        load(4, "VAR0", extra=first), load(5, "VAR1", extra=second), "32    %6 = fmul %4, %5", use("%6")
    )
    assert flags_after(producer, consumer) == {medium}


@pytest.mark.parametrize(("second", "medium"), [(MEDIUM, True), ("", False)])
def test_precision_of_an_expression_for_each_vertex(second: str, medium: bool) -> None:
    producer = vertex(store("VAR0", "%10", extra=f"{MEDIUM}|"), store("VAR1", "%11", extra=f"{second}|"))
    lines = []
    for vertex_number in range(2):
        first = 10 + 4 * vertex_number
        lines += [
            f"32    %{first} = load_const (0x{vertex_number:08x})",
            load(first + 1, "VAR0", name="load_per_vertex_input", extra=MEDIUM).replace(
                "%0 (0x0), %0", f"%{first}, %0"
            ),
            load(first + 2, "VAR1", name="load_per_vertex_input", extra=second).replace(
                "%0 (0x0), %0", f"%{first}, %0"
            ),
            f"32    %{first + 3} = fmul %{first + 1}, %{first + 2}",
            use(f"%{first + 3}"),
        ]
    assert flags_after(producer, shader("GEOMETRY", ZERO, *lines)) == {medium}
