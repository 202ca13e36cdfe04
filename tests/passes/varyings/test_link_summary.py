"""The finding that sums up the ledger of a pair of stages."""

from __future__ import annotations

from nirls.ir.finding import Finding
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.link_summary import LinkSummary
from nirls.passes.varyings.opt_varyings import OptVaryings
from tests.passes.shader_text import ZERO, load, shader, store, use
from tests.passes.varyings.pairs import fragment, interpolated, loads, vertex
from tests.passes.varyings.payload_pairs import READ, put
from tests.passes.varyings.payload_pairs import pair as payload_pair

UNIFORMS = ("32    %20 = fsqrt %9.x", "32    %21 = fmul %9.y, %20", store("VAR0", "%21"))


def check(shaders: list[Shader], *messages: str, **options: int) -> list[Finding]:
    """Compare the messages of all findings, which are on the first lines of the producers."""
    found = list(LinkSummary.with_options(options).find(shaders))
    assert [one.message for one in found] == list(messages)
    for one in found:
        text = shaders[one.place.dump].source[one.place.start : one.place.end]
        assert text.startswith(b"shader: MESA_SHADER_")
    return found


def test_sizes_before_and_after() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1"), store("VAR2", "%11"))
    consumer = fragment(
        interpolated(4, "VAR0"),
        interpolated(5, "VAR1"),
        interpolated(6, "VAR2"),
        *map(use, ("%4", "%5", "%6")),
    )
    (found,) = check([producer, consumer], "VS to FS: 3 scalars in 3 vec4 slots, 2 in 1 after opt_varyings")
    assert found.data["scalars"] == [3, 2]
    assert found.data["slots"] == [3, 1]
    assert (found.data["producer"], found.data["consumer"], found.data["could_go"]) == ("VS", "FS", None)


def test_a_scalar_less_in_as_many_slots() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR0", "%11", 1))
    consumer = fragment(interpolated(4, "VAR0"), use("%4"))
    check([producer, consumer], "VS to FS: 2 scalars in 1 vec4 slot, 1 in 1 after opt_varyings")


def test_condition_that_keeps_varyings() -> None:
    (found,) = check(
        [vertex(*UNIFORMS), fragment(load(4, "VAR0"), use("%4"))],
        "VS to FS: 1 scalar in 1 vec4 slot, 1 in 1 after opt_varyings;"
        " 1 could go if the cost limit was 7, not 4",
        max_cost=4,
    )
    assert found.data["could_go"] == "1 could go if the cost limit was 7, not 4"


def test_nothing_to_save_and_nothing_to_link() -> None:
    check([vertex(store("VAR0", "%10")), fragment(interpolated(4, "VAR0"), use("%4"))])
    check([vertex(store("VAR0", "%10"))])
    check([shader("FRAGMENT"), vertex()])


def test_a_pair_without_gain_does_not_hide_the_next() -> None:
    evaluation = shader("TESS_EVAL", ZERO, load(1, "VAR0", name="load_per_vertex_input"), store("VAR1"))
    control = shader(
        "TESS_CTRL",
        ZERO,
        "32    %9 = @load_invocation_id",
        load(2, "VAR0", name="load_per_vertex_input").replace("(%0 (0x0)", "(%9", 1),
        store("VAR0", "%2", name="store_per_vertex_output").replace("%0 (0x0)", "%9", 1),
    )
    consumer = fragment(load(4, "VAR1"), use("%4"), interpolated(5, "VAR2"), use("%5"))
    shaders = [vertex(store("VAR0", "%10")), control, evaluation, consumer]
    (found,) = LinkSummary().find(shaders)
    (related,) = found.related
    assert (found.place.dump, related.place.dump) == (2, 3)


def test_payload() -> None:
    (found,) = check(payload_pair((put("%1"),), READ), "TS to MS: 4 payload bytes, 0 after opt_varyings")
    assert found.data["payload_bytes"] == [4, 0]


def test_fix_is_the_whole_pass() -> None:
    shaders = [vertex(store("VAR0")), fragment(load(4, "VAR0"), use("%4"))]
    (found,) = LinkSummary().find(shaders)
    (fix,) = found.fixes
    changed = {change.before.stage: change.after for change in OptVaryings().fix(shaders, fix.request)}
    assert len(changed) == 2
    assert loads(changed[shaders[1].stage]) == []
    assert LinkSummary().fix(shaders, fix.request) == []
    assert LinkSummary().run(shaders) == []
