"""Hovers, by texts with a cursor."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nirls.ir.io.urb_maps import urb_maps
from nirls.ir.io.view import IoView
from nirls.ir.tables.releases import parse_releases
from nirls.server.engine.documents.dump_state import DumpState
from nirls.server.ide.convergence import Convergence
from nirls.server.ide.cursor.entities import entity_at
from nirls.server.ide.cursor.places import Places
from nirls.server.ide.hover import GivenOptions, Stages, hover
from nirls.server.ide.hover import _words as hover_words

Marked = Callable[[bytes], tuple[DumpState, int]]

PRODUCER = b"""\
shader: MESA_SHADER_VERTEX
inputs_read: 15
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000000 = 0.000000)
    32     %1 = @load_input (%0 (0.0)) (base=0, range=0, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)
    32     %2 = fadd %1, %0 (0.0)
                @store_output (%2, %0 (0.0)) (base=0, range=0, wrmask=x, component=0, src_type=float32, io location=VARYING_SLOT_VAR0 slots=1, xfb(), xfb2())
                // succs: b1
    block b1:
}
"""  # noqa: E501 (lines of a dump are as long as they are)
CONSUMER = b"""\
shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000000 = 0.000000)
    32     %1 = @load_input (%0 (0.0)) (base=0, range=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
    1      %2 = load_const (true)
                // succs: b1
    block b1:
}
"""  # noqa: E501 (lines of a dump are as long as they are)


def at(text: bytes, mark: bytes, inside: int = 1) -> bytes:
    place = text.index(mark) + inside
    return text[:place] + b"$0" + text[place:]


def shown(
    state: DumpState, offset: int, pipelines: tuple[Stages, ...] = (), options: GivenOptions | None = None
) -> str:
    found = entity_at(state.shader, state.of_shader(Places), offset)
    return (
        ""
        if found is None
        else hover(IoView(state.shader), found[1], state.of_shader(Convergence), pipelines, options or {})
        or ""
    )


@pytest.mark.parametrize(
    ("text", "mark", "words"),
    [
        (
            PRODUCER,
            b"%0 =",
            ["1 component of 32 bits", "0x00000000 = 0", "**convergent**", "3 uses"],
        ),
        (PRODUCER, b"inputs_read", ["**inputs_read**: GENERIC0 (15)"]),
        (PRODUCER, b"%2 =", ["**divergent**", "%1 is divergent", "vertices of a primitive", "1 use."]),
        (PRODUCER, b"fadd", ["fadd(float, float) -> float", "Sum of two floats"]),
        (PRODUCER, b"@load_input", ["@load_input(", "Reads components of an input slot"]),
        (PRODUCER, b"wrmask", ["**write_mask**", "Components that are stored"]),
        (PRODUCER, b"inputs_read", ["**inputs_read**", "slots that are loaded"]),
        (PRODUCER, b"VERT_ATTRIB_GENERIC0", ["slot 15", "Generic vertex attribute"]),
        (PRODUCER, b"MESA_SHADER", ["(VS)"]),
        (PRODUCER, b"block b0", ["Block b0", "Successors: b1", "4 instructions"]),
        (CONSUMER, b"@load_input", ["Read flat (by the load)."]),
        (CONSUMER, b"%2 =", ["`true`", "1 bit (boolean)", "Not used."]),
    ],
)  # fmt: skip
def test_what_is_said(marked: Marked, text: bytes, mark: bytes, words: list[str]) -> None:
    inside = 7 if mark == b"block b0" else 1
    said = shown(*marked(at(text, mark, inside)))
    for word in words:
        assert word in said


@pytest.mark.parametrize(
    ("component", "words"),
    [
        ("0", "Read interpolated, linear, at centroid (by the declaration of v)."),
        ("3", "Interpolation unknown: no declaration says how input VAR0 is interpolated."),
    ],
)
def test_an_input_shows_how_it_is_interpolated(marked: Marked, component: str, words: str) -> None:
    head = b"decl_var centroid shader_in INTERP_MODE_NOPERSPECTIVE none vec2 v (VARYING_SLOT_VAR0.xy, 0, 0)\n"
    text = CONSUMER.replace(b"decl_function", head + b"decl_function")
    text = text.replace(b"component=0", b"component=" + component.encode())
    assert words in shown(*marked(at(text, b"@load_input")))


def test_the_location_of_an_attribute_has_its_name_where_it_is_known(marked: Marked) -> None:
    modern = PRODUCER.replace(b"VERT_ATTRIB_GENERIC0", b"16")
    assert "location 16, 1 slots: its name depends on the release" in shown(*marked(at(modern, b"location=")))
    named = shown(*marked(at(PRODUCER, b"location=")))
    assert "location 15, 1 slots: VERT_ATTRIB_GENERIC0" in named


def test_a_slot_shows_the_other_end_of_the_link(marked: Marked) -> None:
    producer, at_store = marked(at(PRODUCER, b"VARYING_SLOT_VAR0"))
    consumer, at_load = marked(at(CONSUMER, b"VARYING_SLOT_VAR0"))
    stages = [IoView(producer.shader), IoView(consumer.shader)]
    written = shown(consumer, at_load, (Stages(stages, 1, "file names x"),))
    assert "Written in the VS (file names x)" in written
    assert "@store_output (%2" in written
    read = shown(producer, at_store, (Stages(stages, 0, "file names x"),))
    assert "Read in the FS" in read
    assert "@load_input (%0" in read


def test_a_value_that_is_defined_nowhere(marked: Marked) -> None:
    text = PRODUCER.replace(b"fadd %1", b"fadd %77")
    assert "is not defined" in shown(*marked(at(text, b"%77")))


def test_every_offset_can_be_hovered(marked: Marked) -> None:
    for text in (PRODUCER, CONSUMER):
        state, _ = marked(text + b"$0")
        assert len([offset for offset in range(len(text)) if shown(state, offset)]) > 100


def test_a_discard_says_why_it_cannot_move(marked: Marked) -> None:
    text = b"""shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32x4   %0 = @load_frag_coord
    32     %1 = fddx %0.x
    1      %2 = flt %1, %0.y
                @terminate_if (%2)
                // succs: b1
    block b1:
}
"""
    words = shown(*marked(at(text, b"terminate_if")))
    assert "Cannot move up: it follows %1 = fddx, a derivative." in words
    safe = {"opt_move_discards_to_top": {"derivatives_safe_after_discard": True}}
    assert "Cannot move up" not in shown(*marked(at(text, b"terminate_if")), options=safe)
    movable = text.replace(b"fddx", b"fneg")
    assert "Cannot move up" not in shown(*marked(at(movable, b"terminate_if")))


def test_a_barrier_says_what_it_orders(marked: Marked) -> None:
    barrier = b"@barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL, mem_modes=shader_out)"  # noqa: E501
    place = b"(base=0, range=1, %scomponent=0, %stype=float32, io location=VARYING_SLOT_VAR0 slots=1)"
    store = b"@store_per_vertex_output (%0, %1, %2) " + place % (b"wrmask=x, ", b"src_")
    load = b"32     %3 = @load_per_vertex_output (%2, %2) " + place % (b"", b"dest_")
    text = b"""shader: MESA_SHADER_TESS_CTRL
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x3f800000 = 1.000000)
    32     %1 = @load_invocation_id
    32     %2 = load_const (0x00000000 = 0.000000)
                STORE
                BARRIER
    LOAD
                // succs: b1
    block b1:
}
"""
    whole = text.replace(b"STORE", store).replace(b"BARRIER", barrier).replace(b"LOAD", load)
    words = shown(*marked(at(whole, b"@barrier", 2)))
    assert "Waits for all invocations of the patch; releases and acquires outputs." in words
    before, after = words.split("before what other invocations do in:")
    assert "@store_per_vertex_output (%0, %1, %2)" in before
    assert "@load_per_vertex_output (%2, %2)" in after
    alone = text.replace(b"STORE", store).replace(b"BARRIER", barrier).replace(b"    LOAD\n", b"")
    assert "Orders nothing: no output is accessed after it." in shown(*marked(at(alone, b"@barrier", 2)))


@pytest.mark.parametrize(
    ("stage", "lines", "order"),
    [
        (
            b"VERTEX",
            (b"STORE", b"BARRIER"),
            ("Orders, as nothing else here does:", "store_", "later shaders do."),
        ),
        (b"GEOMETRY", (b"BARRIER", b"LOAD"), ("what the shader before it did before:", "load_shared")),
    ],
)
def test_a_barrier_says_that_it_orders_what_other_shaders_do(
    marked: Marked, stage: bytes, lines: tuple[bytes, ...], order: tuple[str, ...]
) -> None:
    instructions = {
        b"STORE": b"@store_shared (%0, %0) (base=0, wrmask=x, align_mul=4, align_offset=0)",
        b"LOAD": b"32 %1 = @load_shared (%0) (base=0, align_mul=4, align_offset=0)",
        b"BARRIER": b"@barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL,"
        b" mem_modes=shared)",
    }
    head = b"shader: MESA_SHADER_%s\ndecl_function main () (entrypoint)\n\nimpl main {\n    block b0:\n"
    body = (b"32 %0 = load_const (0x00000000)", *(instructions[line] for line in lines), b"// succs: b1")
    text = head % stage + b"".join(b"    %s\n" % line for line in body) + b"    block b1:\n}\n"
    words = shown(*marked(at(text, b"@barrier", 2)))
    places = [words.find(part) for part in order]
    assert -1 not in places
    assert places == sorted(places)
    assert "```\n\n```" not in words


NAMED = b"""\
shader: MESA_SHADER_FRAGMENT
max_subgroup_size: 64
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    // 0x3658
    32     %0.gain = load_const (0x3f800000 = 1.000000)
    32     %1 = fadd %0.gain (1.000000), %0.gain (1.000000)
                // succs: b1
    block b1:
}
"""


def test_names_of_debug_info_and_offsets_into_spirv(marked: Marked) -> None:
    assert "Named `gain`, SPIR-V offset 0x3658" in shown(*marked(at(NAMED, b"%0.gain (1")))


def test_the_release_of_the_definition(marked: Marked) -> None:
    text = shown(*marked(at(NAMED, b"fadd")))
    assert "Definition of Mesa 10.5-26.2" in text
    assert "this dump seems to be of 26.2" in text


@pytest.mark.parametrize(
    ("header", "indices", "shown_indices", "releases"),
    [
        ("max_subgroup_size: 64\n", "base=0, access=none, align_mul=4, align_offset=0", "access", "26.2"),
        # Releases before 26 print no such header line; they have no `access`.
        ("", "base=0, align_mul=4, align_offset=0", "align_mul", "25.0"),
        # The dialect alone does not tell 23.3 from 25.0: the printed sources and indices decide.
        ("", "base=0, access=none, align_mul=4, align_offset=0", "access", "26.2"),
    ],
)
def test_an_intrinsic_is_shown_as_its_release_defines_it(
    marked: Marked, header: str, indices: str, shown_indices: str, releases: str
) -> None:
    dump = f"""\
shader: MESA_SHADER_COMPUTE
{header}decl_function main () (entrypoint)

impl main {{
    block b0:  // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_shared (%0) ({indices})
                // succs: b1
    block b1:
}}
""".encode()
    text = shown(*marked(at(dump, b"@load_shared")))
    signature = next(line for line in text.splitlines() if line.startswith("@load_shared"))
    assert ("access" in signature) == (shown_indices == "access")
    definition = next(line for line in text.splitlines() if "Definition of Mesa" in line)
    assert releases in parse_releases(definition.split("Mesa ")[1].split(";")[0])


BACKEND = b"""\
shader: MESA_SHADER_VERTEX
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000002)
    32     %1 = load_const (0x0000000f)
    32x4   %2 = undefined
    32     %3 = @load_urb_output_handle_intel
    32     %4 = undefined
                LINE
                // succs: b1
    block b1:
}
"""
VUE_MAP = b"""\
VS Output VUE map (3 slots, fixed)
  [00] VARYING_SLOT_PSIZ
  [01] VARYING_SLOT_POS
  [02] VARYING_SLOT_VAR7
"""


@pytest.mark.parametrize(
    ("line", "below", "words"),
    [
        (b"@export_amd (%2) (target=12, enabled_channels=15, flags=0)", b"", "`VARYING_SLOT_POS.xyzw`"),
        (b"@export_amd (%2) (target=33, enabled_channels=15, flags=0)", b"", "do not name a slot"),
        (b"@ast_nv (%3, %0, %0) (base=130, range_base=132, range=4, flags=1)", b"", "`VARYING_SLOT_VAR0.y`"),
        (b"@store_urb_vec4_intel (%2, %3, %0, %1) (base=0)", VUE_MAP, "output `VARYING_SLOT_VAR7.xyzw`"),
        (b"@store_urb_vec4_intel (%2, %3, %0, %1) (base=0)", b"", "not known: no VUE map follows."),
        (b"@store_urb_vec4_intel (%2, %3, %4, %1) (base=0)", VUE_MAP, "is not known: its offset"),
    ],
)
def test_slots_of_backend_io(marked: Marked, line: bytes, below: bytes, words: str) -> None:
    state, offset = marked(at(BACKEND.replace(b"LINE", line), line))
    found = entity_at(state.shader, state.of_shader(Places), offset)
    assert found is not None
    assert words in (hover(IoView(state.shader, urb_maps(below)), found[1]) or "")


@pytest.mark.parametrize(("mark", "is_shown"), [(b"shader:", True), (b"inputs_read", False)])
def test_driver_profile_of_the_document(marked: Marked, mark: bytes, is_shown: bool) -> None:
    state, offset = marked(at(PRODUCER, mark))
    found = entity_at(state.shader, state.of_shader(Places), offset)
    assert found is not None
    text = hover(IoView(state.shader), found[1], driver="radv (set)") or ""
    assert ("Driver profile: radv (set)" in text) is is_shown


def test_conditions_are_among_the_links_of_a_value() -> None:
    text = b"""\
shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    1      %0 = load_const (true)
               // succs: b1 b2
    if %0 (true) {
        block b1:  // preds: b0, succs: b3
    } else {
        block b2:  // preds: b0, succs: b3
    }
    block b3:  // preds: b1 b2, succs: b4
    block b4:
}
"""
    shader = DumpState(text, lambda state: None).shader
    found = entity_at(shader, Places(shader), text.index(b"%0") + 1)
    assert found is not None
    value = found[1]
    shown = hover(IoView(shader), value, link=lambda span: f"line:{span.line}")
    assert shown is not None
    assert "- [`if %0 (true) {`](line:7)" in shown


@pytest.mark.parametrize("name", ["[x](command:quit)", "`<b>", "http://evil/", "<img src=x>", "*a* _b_"])
def test_names_of_pipelines_and_files_are_words(name: str) -> None:
    shown = hover_words(f"nirls.toml pipeline {name}")
    assert shown.startswith("`")
    assert shown.endswith("`")
    assert "`" not in shown[1:-1]
    assert hover_words("consecutive dumps") == "consecutive dumps"


def test_a_phi_with_very_many_sources_is_answered_shortly(marked: Marked) -> None:
    sources = b", ".join(b"b%d: %%0" % number for number in range(20_000))
    text = CONSUMER.replace(b"    1      %2", b"    32     %3 = phi " + sources + b"\n    1      %2")
    found = shown(*marked(at(text, b"%3 =")))
    assert "phi" in found
    assert len(found) < 2000
