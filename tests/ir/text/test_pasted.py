"""NIR as people paste it: what is read of it, byte for byte, and edits in kind."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from nirls.ir.finding import Severity
from nirls.ir.model.stage import Stage
from nirls.ir.text.edits import TextEdit
from nirls.ir.text.log_parts import LogPart, log_parts
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation.validate import validate
from nirls.server.engine.documents.document import Snapshot

PASTED = Path(__file__).parents[4] / "shared" / "corpus" / "pasted"

MODERN = """shader: MESA_SHADER_VERTEX
name: a
inputs: 1
decl_var shader_in INTERP_MODE_NONE none vec4 pos (VERT_ATTRIB_GENERIC0.xyzw, 0, 0)
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = deref_var &pos (shader_in vec4)
    32x4   %1 = @load_deref (%0) (access=none)
    32     %2 = load_const (0x3f800000)
    1      %3 = flt %2 (0x3f800000), %1.x
                // succs: b1 b2
    if %3 {
        block b1:   // preds: b0
        32     %4 = iadd %2 (0x3f800000), %2 (0x3f800000)
                    // succs: b3
    } else {
        block b2:   // preds: b0, succs: b3
    }
    block b3:   // preds: b1 b2, succs: b4
    block b4:
}
"""
CLASSIC = """shader: MESA_SHADER_VERTEX
name: GLSL3
inputs: 1
decl_var shader_in INTERP_MODE_NONE vec4 pos (VERT_ATTRIB_GENERIC0.xyzw, 0, 0)
decl_var shader_out INTERP_MODE_NONE vec4 gl_Position (VARYING_SLOT_POS.xyzw, 0, 0)
decl_function main (0 params)

impl main {
	block block_0:
	/* preds: */
	vec1 32 ssa_0 = deref_var &pos (shader_in vec4)
	vec4 32 ssa_1 = intrinsic load_deref (ssa_0) (access=0)
	vec4 32 ssa_2 = mov ssa_1
	vec1 32 ssa_3 = deref_var &gl_Position (shader_out vec4)
	intrinsic store_deref (ssa_3, ssa_2) (wrmask=xyzw, access=0)
	/* succs: block_1 */
	block block_1:
}
"""
BODY = MODERN[MODERN.index("impl main") :]
BLOCK = "    block b0:   // preds: b7\n    32     %6 = fadd %4, %5\n                // succs: b9\n"
LINES = "32     %6 = fadd %4, %5\n32     %7 = fmul %6, %5\n"
VERTEX = [(Stage.VERTEX, 5)]
UNKNOWN = [(None, 5)]


def prefixed(prefix: str, text: str) -> str:
    return "".join(f"{prefix}{line}" for line in text.splitlines(keepends=True))


def literal(text: str) -> str:
    lines = [
        line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t") for line in text.splitlines()
    ]
    return "static const char *x =\n" + "".join(f'   "{line}\\n"\n' for line in lines) + ";\n"


def wrapped(text: str, width: int) -> str:
    def wrap(line: str) -> str:
        lines, rest = [], line
        while len(rest) > width and " " in rest[8:width].strip():
            at = rest.rindex(" ", 8, width)
            lines.append(rest[:at])
            rest = rest[at + 1 :]
        return "\n".join([*lines, rest])

    return "\n".join(line if "//" in line or ":" in line else wrap(line) for line in text.splitlines()) + "\n"


def spans(text: str) -> str:
    return re.sub(r"([%@]\w+)", r"<span class='v'>\1</span>", html.escape(text, quote=False))


SHAPES = {
    "as it is": (MODERN, VERTEX),
    "prose around it": (f"I get this:\n\n{MODERN}\nwhich is wrong.\n", VERTEX),
    "// before each line": (prefixed("// ", MODERN), VERTEX),
    "indented //": (prefixed("    // ", CLASSIC), VERTEX),
    "// without a blank": (prefixed("//", CLASSIC), VERTEX),
    "quoted": (prefixed("> ", MODERN), VERTEX),
    "quoted twice": (prefixed("> > ", CLASSIC), VERTEX),
    "added lines": (prefixed("+", MODERN), VERTEX),
    "in a C comment": ("/*\n" + prefixed(" * ", CLASSIC) + " */\n", VERTEX),
    "shell comment": (prefixed("# ", MODERN), VERTEX),
    "markdown fence": (f"```nir\n{MODERN}```\n", VERTEX),
    "indented code": (prefixed("    ", MODERN), VERTEX),
    "windows line ends": (MODERN.replace("\n", "\r\n"), VERTEX),
    "entities": (html.escape(CLASSIC), VERTEX),
    "entities in pre": (f"<html>\n<pre>{html.escape(MODERN)[:-1]}</pre>\n</html>\n", VERTEX),
    "pre without entities": (f"<pre>\n{MODERN}</pre>\n", VERTEX),
    "highlighted page": (spans(MODERN), VERTEX),
    "line breaks of a page": (html.escape(MODERN).replace("\n", "<br>\n"), VERTEX),
    "numeric entities": (CLASSIC.replace("&", "&#38;"), VERTEX),
    "no-break spaces": (MODERN.replace(" ", "\u00a0"), VERTEX),
    "no-break indentation": (MODERN.replace("    ", "\u00a0 \u00a0 "), VERTEX),
    "no-break entities": (html.escape(MODERN).replace("  ", "&nbsp; "), VERTEX),
    "grep --color": (MODERN.replace("flt", "\x1b[01;31m\x1b[Kflt\x1b[m\x1b[K"), VERTEX),
    "colours everywhere": (re.sub(r"(%\d)", "\x1b[33m\\1\x1b[0m", MODERN), VERTEX),
    "raw string": (f'   run(R"({MODERN[:-1]})");\n   x();\n', VERTEX),
    "raw string with a brace": (f'   const char s[] =\nR"({CLASSIC[:-1]})" }};\nint y;\n', VERTEX),
    "raw string on a line": (f'R"(\n{MODERN})";\nint main() {{\n}}\n', VERTEX),
    "C literals": (literal(CLASSIC), VERTEX),
    "C literals of an excerpt": (literal(BODY), UNKNOWN),
    "wrapped at 60": (wrapped(CLASSIC, 60), VERTEX),
    "wrapped and quoted": (prefixed("> ", wrapped(CLASSIC, 58)), VERTEX),
    "wrapped at 40": (wrapped(MODERN, 40), VERTEX),
    "function": (BODY, UNKNOWN),
    "declarations and a function": (CLASSIC[CLASSIC.index("decl_var") :], UNKNOWN),
    "quoted function": (f"On Monday, X wrote:\n{prefixed('> ', BODY)}\nNo.\n", UNKNOWN),
    "commented function": (prefixed("// ", BODY), UNKNOWN),
    "function without its end": (BODY[: BODY.index("    } else")], UNKNOWN),
    "block": (f"See:\n\n{BLOCK}\nand so on\n", [(None, 1)]),
    "block and a fragment intrinsic": (BLOCK + "                @discard_if (%6)\n", [(Stage.FRAGMENT, 2)]),
    "instructions": (f"turns\n\n{LINES}\ninto\n\n    {LINES[:24]}\n", [(None, 2), (None, 1)]),
    "indented instructions": (f"turns\n{prefixed('      ', LINES)}into this\n", [(None, 2)]),
    "old instructions": ("vec1 32 ssa_3 = fadd ssa_1, ssa_2\nvec4 32 ssa_4 = mov ssa_3.xxxx\n", [(None, 2)]),
    "old instruction without a size": ("vec1 ssa_3 = fadd ssa_1, ssa_2\n", [(None, 1)]),
    "patch": ("-32     %6 = fadd %4, %5\n-32     %7 = fmul %6, %5\n", [(None, 2)]),
    "print_consts of 2022": (CLASSIC.replace("mov ssa_1", "mov ssa_1 /*(0x1 = 0.0)*/.xyzw"), VERTEX),
}

OMISSIONS = {
    "dots": MODERN.replace("    32     %2 = load_const (0x3f800000)\n", "    ...\n"),
    "dots in brackets": MODERN.replace("    32     %2 = load_const (0x3f800000)\n", "[...]\n"),
    "snip": MODERN.replace("    32     %2 = load_const (0x3f800000)\n", "(snip)\n"),
    "snip with dashes": MODERN.replace("    32     %2 = load_const (0x3f800000)\n", "    --- 8< snip ---\n"),
    "ellipsis": MODERN.replace("    32     %2 = load_const (0x3f800000)\n", "    \u2026\n"),
    "comment": MODERN.replace("    32     %2 = load_const (0x3f800000)\n", "    // ...\n"),
    "declarations": MODERN.replace(MODERN.splitlines(keepends=True)[3], "...\n"),
    "a line cut short": MODERN.replace("load_const (0x3f800000)\n", "load_const ...\n"),
    "many lines": MODERN.replace(
        MODERN[MODERN.index("    1      %3") : MODERN.index("    block b3")], "    ...\n"
    ),
}


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


@pytest.mark.parametrize("name", SHAPES)
def test_each_letter_is_where_the_document_has_it(name: str) -> None:
    for part in parts_of(SHAPES[name][0]):
        if part.is_dump and part.hidden is not None:
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
            if b"&" not in line[0]:  # which may be the only sign of a page
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
