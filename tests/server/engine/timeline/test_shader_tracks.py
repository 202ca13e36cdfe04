from __future__ import annotations

import pytest

from nirls.server.engine.timeline.dump_digest import DumpDigest
from nirls.server.engine.timeline.shader_tracks import TrackedDump, shader_tracks
from tests.passes.shader_text import ONE, ZERO, shader_text, store


def dump(stage: str, *lines: str, header: tuple[str, ...] = ()) -> bytes:
    return shader_text(stage, *lines, header=header).encode()


def tracks_of(*dumps: bytes) -> list[list[int]]:
    return [track.dumps for track in shader_tracks(TrackedDump(text, DumpDigest(text)) for text in dumps)]


def test_stages_that_mix_are_told_apart() -> None:
    vert, frag = dump("VERTEX", ZERO), dump("FRAGMENT", ZERO)
    assert tracks_of(vert, frag, dump("VERTEX", ONE), dump("FRAGMENT", ONE)) == [[0, 2], [1, 3]]


def test_shaders_of_one_stage_are_told_apart_by_source_and_name() -> None:
    one = ("source_blake3: {0x1}",)
    two = ("source_blake3: {0x2}",)
    named = ("source_blake3: {0x3}", "name: blit")
    dumps = [dump("VERTEX", line, header=header) for line in (ZERO, ONE) for header in (one, two, named)]
    assert tracks_of(*dumps) == [[0, 3], [1, 4], [2, 5]]


def test_pipelines_that_share_a_source_are_told_apart() -> None:
    """A fragment shader behind tessellation is not a snapshot of the one behind a vertex shader."""
    source = "source_blake3: {0x1}"
    unlinked, plain, tessellated = (
        dump("FRAGMENT", ZERO, header=header)
        for header in (
            (source,),
            (source, "prev_stage: MESA_SHADER_VERTEX"),
            (source, "prev_stage: MESA_SHADER_TESS_EVAL"),
        )
    )
    assert tracks_of(unlinked, plain, tessellated, plain, tessellated) == [[0, 1, 3], [2, 4]]


def test_a_source_that_is_compiled_again_begins_without_its_hash() -> None:
    """OpenGL programs that share a shader, or runs of a program in one log."""
    bare, known = dump("VERTEX", ZERO, ONE), dump("VERTEX", ZERO, header=("source_blake3: {0x1}",))
    done = dump("VERTEX", ONE, header=("source_blake3: {0x1}",))
    dumps = (bare, known, done, bare, known, done)
    found = shader_tracks(TrackedDump(text, DumpDigest(text)) for text in dumps)
    assert [(track.dumps, track.compile_number) for track in found] == [([0, 1, 2], 1), ([3, 4, 5], 2)]


def test_a_translator_begins_a_shader() -> None:
    """A shader of another language may share the names of an earlier one that has no header."""
    dumps = [
        TrackedDump(text, DumpDigest(text), pass_name)
        for pass_name in ("glsl_to_nir", "nir_opt_dce")
        for text in (dump("VERTEX", ZERO), dump("VERTEX", ONE))
    ]
    assert [track.dumps for track in shader_tracks(dumps)] == [[0], [1, 2, 3]]


def test_the_form_for_the_backend_is_printed_once() -> None:
    source = ("source_blake3: {0x1}",)
    first, second = (
        dump(
            "VERTEX",
            line,
            "32x4   %8 = vec4 %1, %1, %1, %1",
            "@export_amd (%8) (target=12, enabled_channels=15, flags=0)",
            header=source,
        )
        for line in (ZERO, ONE)
    )
    other = dump("FRAGMENT", ZERO)
    assert tracks_of(first, other, second) == [[0], [1], [2]]
    # Nothing stands between the two: people compare them.
    assert tracks_of(first, second) == [[0, 1]]
    named = [TrackedDump(text, DumpDigest(text)) for text in (first, other)]
    named.append(TrackedDump(second, DumpDigest(second), "nir_opt_dce"))
    assert [track.dumps for track in shader_tracks(named)] == [[0, 2], [1]]


def test_without_any_name_by_what_they_declare() -> None:
    sky = ("decl_var shader_out INTERP_MODE_NONE none vec3 sky (VARYING_SLOT_VAR0.xyz, 0, 0)",)
    sea = ("decl_var shader_out INTERP_MODE_NONE none vec3 sea (VARYING_SLOT_VAR0.xyz, 0, 0)",)
    dumps = [dump("VERTEX", line, header=header) for line in (ZERO, ONE) for header in (sky, sea)]
    assert tracks_of(*dumps) == [[0, 2], [1, 3]]


def test_without_anything_declared_with_the_latest() -> None:
    sky = ("decl_var shader_out INTERP_MODE_NONE none vec3 sky (VARYING_SLOT_VAR0.xyz, 0, 0)",)
    assert tracks_of(dump("VERTEX", ZERO, header=sky), dump("VERTEX", ZERO)) == [[0, 1]]


def test_a_shader_that_starts_over_is_compiled_again() -> None:
    raw, done = dump("VERTEX", ZERO, ONE), dump("VERTEX", ONE)
    found = shader_tracks(TrackedDump(text, DumpDigest(text)) for text in (raw, done, raw, done))
    assert [(track.dumps, track.compile_number) for track in found] == [([0, 1], 1), ([2, 3], 2)]


@pytest.mark.parametrize(("pass_name", "tracks"), [("nir_lower_returns", 2), ("nir_opt_dce", 1), (None, 1)])
def test_another_variant_starts_behind_the_same_pass(pass_name: str | None, tracks: int) -> None:
    raw, done = dump("VERTEX", ZERO, ONE), dump("VERTEX", ONE)
    variant = dump("VERTEX", ZERO, ONE, header=("next_stage: MESA_SHADER_FRAGMENT",))
    dumps = [
        TrackedDump(raw, DumpDigest(raw), "nir_lower_returns"),
        TrackedDump(done, DumpDigest(done), "nir_opt_dce"),
        TrackedDump(variant, DumpDigest(variant), pass_name),
    ]
    assert len(shader_tracks(dumps)) == tracks


def test_the_same_text_twice_in_a_row_is_one_compilation() -> None:
    raw = dump("VERTEX", ZERO, ONE)
    assert tracks_of(raw, raw, raw) == [[0, 1, 2]]


def test_a_pass_that_restores_the_first_snapshot_starts_no_compilation() -> None:
    raw, done = dump("VERTEX", ZERO, ONE), dump("VERTEX", ONE)
    dumps = [
        TrackedDump(text, DumpDigest(text), name)
        for text, name in ((raw, "nir_lower_returns"), (done, "nir_opt_dce"), (raw, "nir_opt_sink"))
    ]
    assert [track.dumps for track in shader_tracks(dumps)] == [[0, 1, 2]]


def test_variables_behind_lowered_io_start_a_compilation() -> None:
    header = ("decl_var shader_out INTERP_MODE_NONE none vec3 sky (VARYING_SLOT_VAR0.xyz, 0, 0)",)
    raw, other = (dump("VERTEX", line, header=header) for line in (ZERO, ONE))
    lowered = dump("VERTEX", ZERO, ONE, store("VAR0"))
    assert tracks_of(raw, lowered, other) == [[0, 1], [2]]
    assert tracks_of(raw, other, lowered) == [[0, 1, 2]]


def test_a_shader_without_header_then_with_hash_then_with_name_is_one() -> None:
    hashed = ("source_blake3: {0x1}",)
    named = (*hashed, "name: GLSL1")
    assert tracks_of(*(dump("VERTEX", ZERO, ONE, header=header) for header in ((), hashed, named))) == [
        [0, 1, 2]
    ]
    other = (*hashed, "name: GLSL2")
    assert tracks_of(*(dump("VERTEX", ZERO, header=header) for header in (hashed, named, other))) == [
        [0, 1],
        [2],
    ]


def test_a_header_of_another_shader_is_no_continuation() -> None:
    hashed = ("source_blake3: {0x1}",)
    other_code = dump("VERTEX", *(f"32 %{number} = fadd %0, %0" for number in range(2, 9)), header=hashed)
    assert tracks_of(dump("VERTEX", ZERO, ONE), other_code) == [[0], [1]]
    stages = dump("VERTEX", ZERO), dump("FRAGMENT", ZERO, header=hashed)
    assert tracks_of(*stages) == [[0], [1]]
    # The latest shader of the stage has another hash.
    assert tracks_of(
        dump("VERTEX", ZERO, header=hashed),
        dump("VERTEX", ZERO, header=("source_blake3: {0x2}",)),
        dump("VERTEX", ZERO, header=(*hashed, "name: GLSL1")),
    ) == [[0], [1], [2]]


def test_text_of_people_ends_a_shader_unless_a_pass_is_named() -> None:
    first = dump("FRAGMENT", header=("name: my_test",))
    digest = DumpDigest(first)

    def tracks(pass_name: str | None) -> int:
        behind = TrackedDump(first + b" ", digest, pass_name, is_foreign=True)
        return len(shader_tracks([TrackedDump(first, digest), behind]))

    assert tracks(None) == 2
    assert tracks("nir_opt_dce") == 1


def test_internal_shaders_without_source_are_each_their_own() -> None:
    header = ("name: ff-fs", "internal: true", "source_sha1: {0x00000000, 0x00000000}")
    declared = "decl_var shader_in INTERP_MODE_NONE vec4 {0} (VARYING_SLOT_{0}.xyzw, 0, 0)"
    one, other = (dump("FRAGMENT", header=(*header, declared.format(name))) for name in ("COL0", "COL1"))
    assert tracks_of(one, other) == [[0], [1]]
    # The declaration is gone, as the input is read by its slot now.
    assert tracks_of(one, dump("FRAGMENT", header=header)) == [[0, 1]]
    named = [TrackedDump(text, DumpDigest(text), "nir_opt_dce") for text in (one, other)]
    assert [track.dumps for track in shader_tracks(named)] == [[0, 1]]
    titled = [
        TrackedDump(text, DumpDigest(text), None, f"NIR ({form} form)")
        for text, form in ((one, "SSA"), (other, "final"))
    ]
    assert len(shader_tracks(titled)) == 1


def test_the_heading_of_the_first_dump_starts_a_compilation() -> None:
    # A driver that prints one form of each variant: nothing says that the second was made of the first.
    texts = [dump("TESS_CTRL", ZERO, ONE, store("VAR0", value)) for value in ("%0", "%1", "%1", "%0")]
    titled = [TrackedDump(text, DumpDigest(text), None, "-- NIR ----") for text in texts]
    assert [track.dumps for track in shader_tracks(titled)] == [[0], [1, 2], [3]]
    untitled = [TrackedDump(text, DumpDigest(text)) for text in texts[:2]]
    assert [track.dumps for track in shader_tracks(untitled)] == [[0, 1]]
