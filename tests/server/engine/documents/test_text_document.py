"""Documents under edits: what is known of them stays what a fresh open would find."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nirls.ir.finding import Finding, Place, Severity
from nirls.server.engine.checks.analyzer import Analyzer
from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.positions import Encoding, Position, Range
from nirls.server.engine.documents.text_document import Document, TextChange, to_text
from nirls.server.engine.documents.workspace import Workspace
from nirls.server.ide.cursor.outline import outline
from nirls.server.ide.cursor.tokens import encode, tokens

DUMP = """\
shader: MESA_SHADER_VERTEX
name: %s
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %%0 = load_const (0x00000001)
    32     %%1 = fadd %%0, %%0  // é 𝄞
    32     %%2 = fmul %%1, %%0
                // succs: b1
    block b1:
}
"""
LOG = "one\n" + DUMP % "a" + "two\n" + (DUMP % "b").replace("VERTEX", "FRAGMENT") + "three\n"
URI = "file:///log.nir"

SNIPPETS = st.sampled_from(
    [
        *("", "x", "%1", "\n", "\r\n", "}", "}\n", "𝄞", "\ud83d", "error: bad\n", "    if %0 {\n"),
        *("shader: MESA_SHADER_VERTEX\n", "    32 %9 = mov %0\n", "impl main {\n", DUMP % "c"),
        "// nirls: pipeline p\n",
    ]
)
EDITS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 60), st.integers(0, 3), SNIPPETS), max_size=5)


def change(document: Document, line: int, column: int, lines: int, text: str) -> None:
    start = Position(line, column)
    range_ = Range(start, Position(line + lines, column))
    version = document.snapshot.version + 1
    document.change([TextChange(range_, text)], version, Encoding.UTF16)


def everything_known(workspace: Workspace, document: Document) -> list[object]:
    analyzer = Analyzer(workspace)
    known: list[object] = [document.snapshot.text]
    for dump in document.snapshot.dumps():
        state = document.state(dump.piece)
        analyzer.check_text(state)
        data = encode(tokens(state.tree), dump.piece.lines, Encoding.UTF16)
        known.append((dump.start, dump.first_line, state.problems, data, state.of_text(outline), state.facts))
    return known


@settings(max_examples=60, deadline=None)
@given(EDITS)
@example([(0, 0, 0, "%1"), (0, 1, 0, "shader: MESA_SHADER_VERTEX\n")])
@example([(6, 1, 1, "shader: MESA_SHADER_VERTEX\n")])
def test_an_edited_document_is_like_one_opened_anew(edits: list[tuple[int, int, int, str]]) -> None:
    workspace, fresh = Workspace(), Workspace()
    document = workspace.open(URI, LOG, 1)
    for line, column, lines, text in edits:
        everything_known(workspace, document)
        change(document, line, column, lines, text)
    twin = fresh.open(URI, to_text(document.snapshot.text), 1)
    assert everything_known(workspace, document) == everything_known(fresh, twin)


def test_a_new_whole_text_keeps_the_dumps_that_stayed() -> None:
    document = Workspace().open(URI, LOG, 1)
    first, second = (dump.piece for dump in document.snapshot.dumps())
    document.change([TextChange(None, LOG.replace("name: b", "name: c"))], 2, Encoding.UTF16)
    now_first, now_second = (dump.piece for dump in document.snapshot.dumps())
    assert now_first is first
    assert now_second is not second
    assert now_second.slot == second.slot
    assert document.snapshot.text.decode() == LOG.replace("name: b", "name: c")
    assert document.snapshot.version == 2


def mark_at(document: Document, words: bytes) -> Finding:
    dump = next(iter(document.snapshot.dumps()))
    start = dump.piece.text.index(words)
    return Finding("code", Severity.HINT, Place(0, start, start + len(words)), "message", "a_pass")


def test_pass_findings_move_with_their_dump_and_go_with_their_text() -> None:
    document = Workspace().open(URI, LOG, 1)
    slot = next(iter(document.snapshot.dumps())).piece.slot
    document.pass_findings[slot] = (mark_at(document, b"%1 = fadd"), mark_at(document, b"%2 = fmul"))
    line = LOG.split("\n").index("    32     %0 = load_const (0x00000001)")
    change(document, line, 0, 0, "    // a new line\n")
    assert document.pass_findings[slot] == (mark_at(document, b"%1 = fadd"), mark_at(document, b"%2 = fmul"))
    change(document, line + 2, 12, 0, "1")
    assert document.pass_findings[slot] == (mark_at(document, b"%2 = fmul"),)


def test_dumps_near_what_is_visible_come_first() -> None:
    document = Workspace().open(URI, LOG * 3, 1)
    document.visible = (60, 80)
    numbers = [dump.number for dump in document.dumps_by_interest()]
    assert sorted(numbers) == list(range(6))
    assert numbers[0] in (4, 5)
    assert numbers[-1] == 0


@pytest.mark.parametrize("visible", [(0, 0), (0, 300), (60, 80), (100, 100), (200, 150), (500, 600)])
@pytest.mark.parametrize("step", [1, 3])
def test_some_dumps_are_in_the_same_order(visible: tuple[int, int], step: int) -> None:
    document = Workspace().open(URI, (LOG + "and\nmore\n") * 4, 1)
    document.visible = first, last = visible
    dumps = document.snapshot.dumps()[::step]

    def distance(dump: PlacedDump) -> int:
        return max(dump.first_line - last, first - dump.first_line - dump.piece.line_ends, 0)

    ordered = list(document.by_interest([dump.number for dump in dumps]))
    assert sorted(ordered, key=lambda dump: dump.number) == list(dumps)
    assert [distance(dump) for dump in ordered] == sorted(map(distance, dumps))


@pytest.mark.parametrize("text", ["", "é", "\ud83d", "a\ud83dz"])
def test_texts_go_to_bytes_and_back(text: str) -> None:
    assert to_text(Workspace().open(URI, text, 1).snapshot.text) == text


URB_STORE = DUMP.replace(
    "32     %%2 = fmul %%1, %%0",
    "32     %%2 = @load_urb_output_handle_intel ()\n    @store_urb_vec4_intel (%%0)",
).replace("name: %s", "name: %s\nsource_blake3: {0x%d}")
URB_MAP = "VS Output VUE map (1 slots, fixed)\n  [00] VARYING_SLOT_POS\n"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (URB_STORE % ("a", 1) + URB_MAP, [0]),
        ("x\n" + URB_STORE % ("a", 1) + "final form\n" + URB_STORE % ("a", 1) + "y\n" + URB_MAP, [0, 1]),
        (URB_STORE % ("a", 1) + URB_STORE % ("a", 2) + URB_MAP, [1]),
        (URB_STORE % ("a", 1) + (URB_STORE % ("a", 1)).replace("VERTEX", "GEOMETRY") + URB_MAP, [1]),
        (DUMP % "a" + URB_MAP, []),
        (URB_MAP + URB_STORE % ("a", 1), []),
    ],
    ids=["below", "below the next snapshot", "of another shader", "of another stage", "no access", "above"],
)
def test_urb_maps_below_a_dump(text: str, numbers: list[int]) -> None:
    workspace = Workspace()
    document = workspace.add("a.log", text.encode(), None, is_open=True)
    dumps = document.snapshot.dumps()
    assert [dump.number for dump in dumps if document.urb_maps(dump)] == numbers
    for dump in dumps:
        view = document.io_view(dump)
        assert view.shader is document.shader(dump.number)
        assert view.urb_maps == document.urb_maps(dump)
