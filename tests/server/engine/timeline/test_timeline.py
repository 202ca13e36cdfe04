from __future__ import annotations

from pathlib import Path

import pytest

from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.timeline.dump_digest import DumpDigest
from nirls.server.engine.timeline.timeline import ChangeKind, ShaderTimeline, TimelineReader, same_code_of
from tests.passes.shader_text import ONE, ZERO, shader_text, use


def timeline(text: str | bytes) -> list[ShaderTimeline]:
    data = text.encode() if isinstance(text, str) else text
    return list(TimelineReader(Snapshot.of(data), lambda piece: DumpDigest(piece.text)).timelines())


def changes(shader: ShaderTimeline) -> list[tuple[str, str]]:
    return [(step.name, step.change.value) for step in shader.steps]


FIRST = shader_text("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%2"))
COPIED = shader_text("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%1"))
SHRUNK = shader_text("VERTEX", ZERO, ONE, use("%1"))
RENUMBERED = shader_text(
    "VERTEX", ZERO.replace("%0", "%7"), ONE.replace("%1", "%8"), use("%8").replace("%0 (0x0)", "%7 (0x0)")
)


def test_passes_with_what_they_did() -> None:
    (shader,) = timeline(
        f"nir_lower_returns\n{FIRST}nir_opt_cse\nnir_copy_prop\n{COPIED}nir_opt_dce\n{SHRUNK}nir_opt_undef\n"
    )
    assert changes(shader) == [
        ("nir_lower_returns", "first"),
        ("nir_opt_cse", "none"),
        ("nir_copy_prop", "code"),
        ("nir_opt_dce", "code"),
        ("nir_opt_undef", "none"),
    ]
    assert [step.number for step in shader.visible_steps()] == [1, 3, 4]
    dce = shader.steps[3]
    assert (dce.previous, dce.dump) == (1, 2)
    assert dce.before is not None
    assert dce.after is not None
    assert (dce.before.instructions, dce.after.instructions) == (4, 3)
    assert [step.line for step in shader.steps] == [1, 13, 15, 28, 39]


def test_renumbering_is_no_change() -> None:
    (shader,) = timeline(f"{SHRUNK}nir_renumber\n{RENUMBERED}")
    assert changes(shader) == [("dump 1", "first"), ("nir_renumber", "none")]


def test_comments_and_columns_are_no_change() -> None:
    remarked = SHRUNK.replace("32    %1 =", "32  %1   =").replace(
        "(0x3f800000 = 1.000000)", "(0x3f800000)  // one"
    )
    (shader,) = timeline(f"{SHRUNK}nir_print\n{remarked}")
    assert changes(shader)[1] == ("nir_print", "none")


def test_a_pass_that_only_declares_or_describes() -> None:
    declared = SHRUNK.replace(
        "decl_function", "decl_var uniform INTERP_MODE_NONE none float x (1, 0, 0)\ndecl_function"
    )
    described = declared.replace("decl_var", "inputs_read: 3\ndecl_var", 1)
    (shader,) = timeline(f"{SHRUNK}nir_a_b\n{declared}nir_c_d\n{described}")
    assert [change for _, change in changes(shader)] == ["first", "declarations", "header"]


def test_sources_in_another_order_are_compared_in_full() -> None:
    head, tail = FIRST.split("    block b0:")
    phi = "32    %5 = phi b0: %0 (0x0), b1: %1"
    one = f"{head}    block b0:{tail.replace('32    %2 = mov %1', phi)}"
    other = one.replace(phi, "32    %5 = phi b1: %1, b0: %0 (0x0)")
    (shader,) = timeline(f"{one}nir_x_y\n{other}")
    assert changes(shader)[1][1] in ("code", "none")
    pieces = [dump.piece for dump in Snapshot.of(f"{one}{other}".encode()).dumps()]
    assert (changes(shader)[1][1] == "none") is same_code_of(*pieces)


def test_a_skipped_pass_is_shown_as_such() -> None:
    (shader,) = timeline(f"{FIRST}skipping nir_opt_dce\nnir_opt_cse\n{SHRUNK}")
    assert changes(shader)[1] == ("nir_opt_dce", "skipped")


def test_passes_between_two_shaders_go_to_where_the_second_starts() -> None:
    frag = SHRUNK.replace("VERTEX", "FRAGMENT")
    vert, second = timeline(
        f"nir_lower_returns\nnir_inline\nnir_opt_dce\n{FIRST}nir_opt_cse\nnir_lower_returns\nnir_inline\n{frag}"
    )
    assert [name for name, _ in changes(vert)] == [
        "nir_lower_returns",
        "nir_inline",
        "nir_opt_dce",
        "nir_opt_cse",
    ]
    assert [name for name, _ in changes(second)] == ["nir_lower_returns", "nir_inline"]


def test_back_and_forth_between_shaders() -> None:
    frag, frag2 = (text.replace("VERTEX", "FRAGMENT") for text in (FIRST, SHRUNK))
    vert, second = timeline(f"{FIRST}{frag}nir_a_b\n{SHRUNK}nir_c_d\nnir_e_f\n{frag2}")
    assert changes(vert) == [("dump 1", "first"), ("nir_a_b", "code"), ("nir_c_d", "none")]
    assert changes(second) == [("dump 2", "first"), ("nir_e_f", "code")]


def test_titles() -> None:
    named = FIRST.replace("decl_function", "name: GLSL3\ndecl_function")
    hashed = FIRST.replace("decl_function", "source_blake3: {0xabc, 0x1}\ndecl_function").replace(
        "VERTEX", "FRAGMENT"
    )
    odd = FIRST.replace("VERTEX", "SOMETHING")
    again = named.replace("mov", "fneg")
    titles = [shader.title for shader in timeline(f"{named}{hashed}{odd}{again}{named}")]
    assert titles == ["VS GLSL3", "FS 0xabc", "SOMETHING", "VS GLSL3 (compilation 2)"]


@pytest.mark.parametrize("text", ["", "nir_opt_dce\n", "nothing\nof this is a dump"])
def test_a_text_without_dumps_has_no_timeline(text: str) -> None:
    assert timeline(text) == []


def test_a_real_log(corpus: Path) -> None:
    vert, frag = timeline((corpus / "logs" / "every_pass_small.log").read_bytes())
    assert (vert.stage, frag.stage) == ("VS", "FS")
    assert [len(shader.steps) for shader in (vert, frag)] == [167, 191]
    assert all(step.change is not ChangeKind.NONE for step in vert.visible_steps())
    names = {step.name for shader in (vert, frag) for step in shader.steps}
    assert {"nir_opt_dce", "nir_lower_io", "nir_opt_if"} <= names
    assert all(step.name.startswith("nir_") for step in vert.steps)
    dumps = [step.dump for shader in (vert, frag) for step in shader.steps if step.dump is not None]
    assert sorted(dumps) == list(range(63))


def test_a_step_that_the_log_does_not_print() -> None:
    ubo = "32 %7 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0)"
    before, after = (shader_text("FRAGMENT", ZERO, *lines) for lines in ((), (ubo,)))
    (shader,) = timeline(f"nir_lower_io\n{before}nir_opt_dce\n{after}nir_lower_tex\n{before}")
    assert [step.label for step in shader.steps] == [
        "nir_lower_io",
        "before nir_opt_dce, not printed",
        "nir_lower_tex",
    ]
    assert shader.steps[1].unprinted == ("load_ubo",)


@pytest.mark.parametrize("numbers", [(0, 1, 2, 3, 4), (0, 1, 1, 2, 2), (0, 0, 0, 1, 2)])
def test_headings_that_come_again_are_those_of_a_variant(numbers: tuple[int, ...]) -> None:
    # A variant has them too where one of its forms is the one in front of it.
    texts = [
        shader_text("COMPUTE", ZERO, f"32 %1 = load_const (0x0000000{number})", use("%1"))
        for number in numbers
    ]
    headings = (
        "NIR from SPIR-V:",
        "NIR (SSA form):",
        "NIR (final form):",
        "NIR (SSA form):",
        "NIR (final form):",
    )
    log = "".join(f"{heading}\n{text}\n" for heading, text in zip(headings, texts, strict=True))
    (shader,) = timeline(log)
    assert [(step.previous, step.dump, step.is_variant) for step in shader.steps] == [
        (None, 0, False),
        (0, 1, False),
        (1, 2, False),
        (0, 3, True),
        (3, 4, True),
    ]
