"""NIR as people paste it: what is read of it, byte for byte, and edits in kind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nirls.ir.finding import Severity
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.stage import Stage
from nirls.ir.text.edits import TextEdit
from nirls.ir.text.log_parts import LogPart, log_parts
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.pasted import as_printed
from nirls.ir.validation.validate import defect_of, validate
from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.documents.positions import Encoding, LineIndex
from tests.ir.text.pasted_shapes import LEFT_OUT, NOT_DELETED, OMISSIONS, OTHER_LETTERS, SHAPES

PASTED = Path(__file__).parents[4] / "shared" / "corpus" / "pasted"


def parts_of(text: str) -> list[LogPart]:
    parts = list(log_parts(text.encode()))
    assert b"".join(part.raw for part in parts) == text.encode()
    return parts


def check(text: str, expected: list[tuple[Stage | None, int]], codes: tuple[str, ...] = ()) -> None:
    parts = parts_of(text)
    shaders = [parse_dump(part.text) for part in parts if part.is_dump]
    assert [(shader.stage, sum(1 for _ in shader.instrs())) for shader in shaders] == expected
    assert [finding.code for shader in shaders for finding in validate(shader)] == list(codes)
    for part in parts:
        assert part.raw.count(b"\n") <= part.text.count(b"\n")


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name: str) -> None:
    check(*SHAPES[name])


@pytest.mark.parametrize("name", OMISSIONS)
def test_omitted_lines_are_one_information(name: str) -> None:
    (shader,) = [parse_dump(part.text) for part in parts_of(OMISSIONS[name]) if part.is_dump]
    (finding,) = validate(shader)
    assert (finding.code, finding.severity) == ("omitted-lines", Severity.INFORMATION)
    assert shader.stage is Stage.VERTEX


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_left_out_is_one_information(name: str) -> None:
    (shader,) = [parse_dump(part.text) for part in parts_of(LEFT_OUT[name]) if part.is_dump]
    (finding,) = validate(shader)
    assert (finding.code, finding.severity) == ("omitted-lines", Severity.INFORMATION)
    assert defect_of(shader) == "it is an excerpt of a dump"
    operations = {instr.op for instr in shader.instrs() if isinstance(instr, AluInstr)}
    assert "flt" in operations or "mov" in operations
    assert "fge" not in operations


@pytest.mark.parametrize("name", SHAPES)
def test_each_letter_is_where_the_document_has_it(name: str) -> None:
    for part in parts_of(SHAPES[name][0]):
        if part.is_dump and part.hidden is not None and name not in OTHER_LETTERS:
            hidden, places = part.hidden, [at for at, byte in enumerate(part.text) if chr(byte).isalnum()]
            raw = bytes(hidden.raw[hidden.raw_offset(place)] for place in places)
            assert raw == bytes(part.text[place] for place in places)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("as it is", "flt %2", "fge %2"),
        ("// before each line", "// 1      %3 = flt %2", "// 1      %3 = fge %2"),
        ("entities", "vec4 32 ssa_2 = mov ssa_1\n", "vec4 32 ssa_2 = mov &amp;x\n\ta &lt; b\n"),
        (
            "C literals",
            '   "\\tvec4 32 ssa_2 = mov ssa_1\\n"\n',
            '   "\\tvec4 32 ssa_2 = mov &x\\n"\n   "\\ta < b\\n"\n',
        ),
        ("no-break spaces", "flt\u00a0%2", "fge\u00a0%2"),
        ("grep --color", "\x1b[01;31m\x1b[Kflt\x1b[m\x1b[K", "\x1b[01;31m\x1b[Kfge\x1b[m\x1b[K"),
        ("wrapped at 60", "mov ssa_1\n", "mov &x\n\ta < b\n"),
        ("cat -A", "mov ssa_1$\n", "mov &x$\n^Ia < b$\n"),
        ("JSON on lines", "mov ssa_1\\n", "mov &x\\n\\ta < b\\n"),
        ("strace of all", "mov ssa_1\\n", "mov &x\\n\\ta < b\\n"),
        ("markdown escapes", "mov ssa\\_1\n", "mov \\&x\n\ta < b\n"),
    ],
)
def test_edits_are_in_kind(name: str, old: str, new: str) -> None:
    text = SHAPES[name][0]
    parts = parts_of(text)
    number = next(number for number, part in enumerate(parts) if part.is_dump)
    dump = parts[number]
    if b"flt" in dump.text:
        start = dump.text.index(b"flt")
        edit = TextEdit(start, start + 3, "fge")
    else:
        start = dump.text.index(b"ssa_1\n", dump.text.index(b"mov"))
        edit = TextEdit(start, start + len("ssa_1\n"), "&x\n\ta < b\n")
    raw = dump.raw
    start, end, new_text = (
        (edit.start, edit.end, edit.new_text)
        if dump.hidden is None
        else dump.hidden.raw_edit(edit.start, edit.end, edit.new_text)
    )
    edited = raw[:start] + new_text.encode() + raw[end:]
    if "\u00a0" in old or old.startswith("// "):
        assert edited == raw.replace(b"flt", b"fge")
    else:
        assert edited.decode() == raw.decode().replace(old, new)


_OPERATION = re.compile(rb"^[^\n]*= (mov|load_const|deref_var)[^\n]*\n", re.MULTILINE)


@pytest.mark.parametrize("name", SHAPES)
def test_edits_change_what_they_are_to_change(name: str) -> None:
    """Another operation, a new line in front, and no line, each read again from the edited document."""
    parts = parts_of(SHAPES[name][0])
    for number, part in enumerate(parts):
        if not part.is_dump or part.hidden is None:
            continue
        for line in _OPERATION.finditer(part.text):
            edits = [(*line.span(1), "fsub"), (line.start(), line.start(), "    32     %77 = undefined\n")]
            if b"&" not in line[0] and name not in NOT_DELETED:  # which may be the only sign of a page
                edits.append((*line.span(), ""))
            for start, end, new in edits:
                raw_start, raw_end, raw_new = part.hidden.raw_edit(start, end, new)
                raw = part.hidden.raw[:raw_start] + raw_new.encode() + part.hidden.raw[raw_end:]
                pieces = [
                    *(one.raw for one in parts[:number]),
                    raw,
                    *(one.raw for one in parts[number + 1 :]),
                ]
                wanted = part.text[:start] + new.encode() + part.text[end:]
                assert wanted.split() in [one.text.split() for one in parts_of(b"".join(pieces).decode())]


@pytest.mark.parametrize("name", [*SHAPES, *LEFT_OUT, *OMISSIONS])
def test_positions_are_those_of_the_document(name: str) -> None:
    text = (SHAPES[name][0] if name in SHAPES else LEFT_OUT.get(name) or OMISSIONS[name]).encode()
    snapshot, whole = Snapshot.of(text), LineIndex(text)
    raw_start = start = 0
    for piece in snapshot.pieces:
        for offset, byte in enumerate(piece.text):
            if chr(byte).isalnum():
                raw = offset if piece.hidden is None else piece.hidden.raw_offset(offset)
                position = whole.position(raw_start + raw, Encoding.UTF16)
                assert snapshot.position(start + offset, Encoding.UTF16) == position
                if piece.raw[raw] == byte:
                    assert snapshot.offset(*position, Encoding.UTF16) == start + offset
        raw_start, start = raw_start + len(piece.raw), start + len(piece.text)
    assert snapshot.position(len(snapshot), Encoding.UTF16).line == len(whole.starts) - 1


@pytest.mark.parametrize("name", SHAPES)
def test_keystrokes_give_what_opening_gives(name: str) -> None:
    text = SHAPES[name][0].encode()
    snapshot = Snapshot.of(text)
    for place in range(0, len(text), max(len(text) // 4, 1)):
        for new in (b"x", b"\n"):
            if text[place] < 0x80:
                changed, _ = snapshot.replace(place, place, new)
                whole = Snapshot.of(text[:place] + new + text[place:])
                assert changed.text == whole.text
                assert [piece.text for piece in changed.dump_pieces()] == [
                    piece.text for piece in whole.dump_pieces()
                ]


@pytest.mark.parametrize(
    "text",
    [
        "  render MsgDesc: RT write Surface = 0 mlen 8;\n(+f1.0) sendc(16) null<1>UW g120<8,8,1>UD\n",
        "  $0003 = ld_tex ^discard ($0004).xyxx\n   ($0004) ^discard = ld_coords_reg $0002.xyxx\n",
        "  opt.inline_uniforms = 0\n (%17) (base=8)\n",
        "    decl_var  INTERP_MODE_NONE none vec2 linear_centroid\n    con block b0:        // preds:\n",
    ],
)
def test_lines_of_drivers_do_not_go_on_in_the_next_one(text: str) -> None:
    assert as_printed(text.encode()) is None


@pytest.mark.parametrize(
    "start",
    [
        "32  %3 =",
        "con 32x4  %3 =",
        "32 div  %3 =",
        "vec1 32 ssa_3 =",
        "vec1 32 con ssa_3 =",
        "r0.x =",
        "r1[2 + ssa_0].y =",
    ],
)
def test_instructions_go_on_in_the_next_line(start: str) -> None:
    read = as_printed(f"    {start} fadd ssa_0,\n    ssa_1\n".encode())
    assert read is not None
    assert read.text.decode() == f"    {start} fadd ssa_0, ssa_1\n\n"


def test_files_of_the_corpus() -> None:
    if not PASTED.is_dir():
        pytest.skip(f"needs {PASTED.name} of ../shared")
    errors = {}
    for path in sorted(PASTED.iterdir()):
        if path.suffix == ".md":
            continue
        shaders = [
            parse_dump(part.text) for part in parts_of(path.read_text(encoding="utf-8")) if part.is_dump
        ]
        assert shaders, path.name
        found = [one.code for shader in shaders for one in validate(shader) if one.severity is Severity.ERROR]
        if found:
            errors[path.name] = found
    assert errors == {"validator-abridged.log": ["mesa-validation"] * 2}
