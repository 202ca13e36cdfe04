from __future__ import annotations

from nirls.ir.model.clone import clone_shader
from nirls.passes.varyings.opt_varyings_dead_io import OptVaryingsDeadIo
from tests.passes.shader_text import ONE, ZERO, load, shader_text, store, use
from tools.corpus.varying_cases import VaryingCase, differences, lost_accesses, read_case

PRODUCER = shader_text("VERTEX", ZERO, ONE, store("VAR0"), store("VAR1"))
CONSUMER = shader_text("FRAGMENT", ZERO, load(1, "VAR1"), use("%1"))


def case(after_producer: str, after_consumer: str = CONSUMER) -> VaryingCase:
    sections = {
        "BEFORE PRODUCER 12": PRODUCER,
        "BEFORE CONSUMER": CONSUMER,
        "PROGRESS producer=1 consumer=0": "",
        "AFTER PRODUCER": after_producer,
        "AFTER CONSUMER": after_consumer,
        "OPTIMIZED PRODUCER": after_producer,
        "OPTIMIZED CONSUMER": after_consumer,
    }
    return read_case("".join(f"=== {title}\n{body}\n" for title, body in sections.items()).encode())


def ours(one: VaryingCase) -> list:  # type: ignore[type-arg]
    shaders = [clone_shader(shader) for shader in one.before]
    OptVaryingsDeadIo().run(shaders)
    return shaders


def test_same_outcome() -> None:
    one = case(shader_text("VERTEX", ZERO, ONE, store("VAR1")))
    assert one.progress == (True, False)
    assert differences(one, ours(one)) == []
    assert lost_accesses(one, ours(one)) == []


def test_slot_that_compaction_chose_is_not_compared() -> None:
    one = case(
        shader_text("VERTEX", ZERO, ONE, store("VAR0")),
        shader_text("FRAGMENT", ZERO, load(1, "VAR0"), use("%1")),
    )
    assert differences(one, ours(one)) == []


def test_other_outcomes_are_told() -> None:
    kept = case(PRODUCER)
    assert any("we have no" in message for message in differences(kept, ours(kept)))
    assert lost_accesses(kept, ours(kept)) == ["producer: 2 accesses left by Mesa, 1 by us"]
    flagged = case(shader_text("VERTEX", ZERO, ONE, store("VAR1", extra=" no_varying")))
    assert differences(flagged, ours(flagged))
    other_value = case(shader_text("VERTEX", ZERO, ONE, store("VAR1", value="%0 (0.000000)")))
    assert differences(other_value, ours(other_value))
