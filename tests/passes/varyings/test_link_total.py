from __future__ import annotations

from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings.link_total import LinkTotal, StageSize, link_total
from nirls.passes.varyings.opt_varyings import OptVaryings
from tests.passes.shader_text import ONE, ZERO, load, shader_text, store, use

PRODUCER = shader_text("VERTEX", ZERO, ONE, store("VAR0"), store("VAR1"))


def total(consumer: str) -> LinkTotal | None:
    return link_total([parse_dump(text.encode()) for text in (PRODUCER, consumer)], OptVaryings())


def test_varyings_slots_and_instructions_before_and_after() -> None:
    code = "32    %2 = fadd %1, %1"
    assert total(shader_text("FRAGMENT", ZERO, load(1, "VAR1"), code, use("%2"))) == LinkTotal(
        (2, 0), (2, 0), (StageSize("VS", 0, 0), StageSize("FS", 1, 0))
    )


def test_nothing_saved_has_no_total() -> None:
    kept = shader_text("VERTEX", ZERO, ONE, store("POS"))
    shaders = [parse_dump(text.encode()) for text in (kept, shader_text("FRAGMENT", ZERO))]
    assert link_total(shaders, OptVaryings()) is None


def test_shaders_stay_as_they_are() -> None:
    shaders = [parse_dump(text.encode()) for text in (PRODUCER, shader_text("FRAGMENT", ZERO))]
    before = [sum(1 for _ in shader.instrs()) for shader in shaders]
    saved = link_total(shaders, OptVaryings())
    assert saved is not None
    assert saved.saved == 2
    assert saved.text == "2 varyings in 2 slots -> 0 in 0"
    assert [sum(1 for _ in shader.instrs()) for shader in shaders] == before
