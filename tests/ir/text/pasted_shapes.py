"""Ways in which people paste NIR: texts, and what is read of them."""

from __future__ import annotations

import html
import json
import re

from nirls.ir.model.stage import Stage

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
    "functions": (BODY + BODY, UNKNOWN + UNKNOWN),
    "functions behind a prefix": (prefixed("MESA: ", BODY + BODY), UNKNOWN + UNKNOWN),
    "two with declarations": (2 * CLASSIC[CLASSIC.index("decl_var") :], UNKNOWN + UNKNOWN),
    "two functions of one shader": (BODY + BODY.replace("main", "f"), [(None, 10)]),
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


def numbered(form: str, text: str) -> str:
    """Return a text with a prefix that counts."""
    return "".join(
        form.format(number, line) for number, line in enumerate(text.splitlines(keepends=True), 12)
    )


def ended(mark: str, text: str) -> str:
    return text.replace("\n", f"{mark}\n")


def difference(text: str, margin: str = "") -> str:
    """Return a difference between a text with another operation and the text."""
    lines = [
        f"-{line.replace('flt', 'fge')}+{line}" if "flt" in line else f" {line}"
        for line in text.splitlines(keepends=True)
    ]
    head = f"--- a.nir\n+++ b.nir\n@@ -1,{len(lines)} +1,{len(lines)} @@\n"
    return prefixed(margin, f"{head}{''.join(lines)}")


def columns(text: str, *, is_marked: bool) -> str:
    lines = text.splitlines()
    width = max(map(len, lines)) + 2
    mark = "|" if is_marked else " "
    return "".join(f"{line.ljust(width)}{'|' if 'flt' in line else mark} {line}\n" for line in lines)


def cut(width: int, text: str, mark: str = "") -> str:
    return "".join(f"{line[:width]}{mark if len(line) > width else ''}\n" for line in text.splitlines())


def strings(form: str, text: str) -> str:
    lines = [
        line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t") for line in text.splitlines()
    ]
    return "".join(form % line for line in lines)


SHAPES |= {
    # Chats, mails and loggers around functions, too.
    "nick": (prefixed("<marek> ", BODY), UNKNOWN),
    "time and nick": (numbered("12:{} <anholt> {}", MODERN), VERTEX),
    "time and nick of a function": (numbered("12:{} <anholt> {}", BODY), UNKNOWN),
    "weechat": (numbered("12:{}:07   marek | {}", CLASSIC), VERTEX),
    "initials": (prefixed("MO> ", MODERN), VERTEX),
    "journal of a function": (numbered("Nov 28 12:00:{} host shell[1234]: {}", BODY), UNKNOWN),
    "CI times of a function": (numbered("00:12:{}.567: {}", BODY), UNKNOWN),
    "ISO times of a function": (numbered("2024-03-05T12:00:{}.1234567Z {}", BODY), UNKNOWN),
    "serial console": (numbered("R SERIAL> [   12.{}] {}", MODERN), VERTEX),
    "container of a function": (prefixed("app_1  | ", BODY), UNKNOWN),
    "rust log of a function": (numbered("[2024-03-05T12:00:{}Z INFO  nak] {}", BODY), UNKNOWN),
    "wine of a function": (prefixed("0024:err:vulkan: ", BODY), UNKNOWN),
    "valgrind of a function": (prefixed("==1234== ", BODY), UNKNOWN),
    "cat -n of a function": (numbered("    {}\t{}", BODY), UNKNOWN),
    "numbers with bars": (numbered("{}|{}", BODY), UNKNOWN),
    "grep -n of a function": (numbered("file.c:{}:{}", BODY), UNKNOWN),
    "grep -A": (prefixed("f.log-", MODERN).replace("f.log-shader", "f.log:shader"), VERTEX),
    "grep -nC": (re.sub(r"f\.c:(\d+):(.*flt)", r"f.c-\1-\2", numbered("f.c:{}:{}", MODERN)), VERTEX),
    "numbers on lines of their own": (numbered("{}\n{}", MODERN), VERTEX),
    "doc comment of Rust": (prefixed("    /// ", BODY), UNKNOWN),
    "TeX comment": (prefixed("% ", BODY), UNKNOWN),
    "batch comment": (prefixed("REM ", BODY), UNKNOWN),
    "list": (numbered("{}. {}", LINES), [(None, 2)]),
    "list with dots": (prefixed("\u2022 ", LINES), [(None, 2)]),
    "box": ("".join(f"\u2502 {line:100} \u2502\n" for line in BODY.splitlines()), UNKNOWN),
    "table": ("".join(f"| {line:90} |\n" for line in MODERN.splitlines()), VERTEX),
    # Ends of lines.
    "cat -A": (ended("$", CLASSIC.replace("\t", "^I")), VERTEX),
    "continued lines": (ended(" \\", MODERN), VERTEX),
    "continued lines of a function": (ended(" \\", BODY), UNKNOWN),
    "pilcrows": (ended("\u00b6", MODERN), VERTEX),
    "line ends of a serial console": (ended("\r\r", MODERN), VERTEX),
    "carriage returns": (MODERN.replace("\n", "\r"), VERTEX),
    "line ends as letters": (ended("^M", MODERN), VERTEX),
    # Letters.
    "colours with erased lines": (ended("\x1b[0m\x1b[K", prefixed("\x1b[32m", BODY)), UNKNOWN),
    "links of a terminal": (MODERN.replace("%3", "\x1b]8;;http://x/\x1b\\%3\x1b]8;;\x1b\\"), VERTEX),
    "colours as carets": (MODERN.replace("flt", "^[[31mflt^[[0m"), VERTEX),
    "colours as escapes": (MODERN.replace("flt", "\\x1b[31mflt\\x1b[0m"), VERTEX),
    "colours without escapes": (MODERN.replace("flt", "[1;31mflt[0m"), VERTEX),
    "zero-width spaces": (MODERN.replace("= ", "=\u200b "), VERTEX),
    "soft hyphens": (MODERN.replace("load_", "load_\u00ad"), VERTEX),
    "a dash": (
        MODERN.replace("const (0x3f800000)\n", "const (0xbf800000 = \u20131.000000)\n"),
        VERTEX,
    ),
    "a multiplication sign": (MODERN.replace("32x4", "32\u00d74"), VERTEX),
    "ligatures": (MODERN.replace("fl", "\ufb02"), VERTEX),
    "wide percent signs": (MODERN.replace("%", "\uff05"), VERTEX),
    "visible spaces": (MODERN.replace(" ", "\u00b7"), VERTEX),
    "visible tabs": (CLASSIC.replace("\t", "\u2192\t"), VERTEX),
    "visible tabs only": (CLASSIC.replace("\t", "\u21e5"), VERTEX),
    "quoted-printable": (MODERN.replace("=", "=3D"), VERTEX),
    "soft line breaks": (MODERN.replace("=", "=3D").replace("(%0) (acc", "(%0) (=\nacc"), VERTEX),
    "markdown escapes": (re.sub(r"([_*&#])", r"\\\1", CLASSIC), VERTEX),
    "LaTeX escapes": (re.sub(r"([_%&#{}])", r"\\\1", MODERN), VERTEX),
    "printf": (MODERN.replace("%", "%%"), VERTEX),
    # String literals.
    "JSON": (json.dumps({"nir": MODERN, "n": 1}) + "\n", VERTEX),
    "JSON of a function": (json.dumps([BODY]) + "\n", UNKNOWN),
    "JSON on lines": (json.dumps({"a": 1, "nir": CLASSIC, "b": [2]}, indent=2) + "\n", VERTEX),
    "JSON lines": ("[\n" + strings('  "%s",\n', CLASSIC) + '  ""\n]\n', VERTEX),
    "JSON a line": (strings('{"log": "%s\\n", "stream": "stderr"}\n', BODY), UNKNOWN),
    "repr": (repr(CLASSIC) + "\n", VERTEX),
    "repr of bytes": (repr(MODERN.encode()) + "\n", VERTEX),
    "string of Rust": ('let s = "' + ended("\\n\\", MODERN.replace('"', '\\"')) + '";\n', VERTEX),
    "strace": (strings('write(2, "%s\\n", 61) = 61\n', CLASSIC), VERTEX),
    "strace of all": ('write(2, "' + strings("%s\\n", CLASSIC) + '", 900) = 900\n', VERTEX),
    "gdb/MI": (strings('~"%s\\n"\n', CLASSIC) + "^done\n", VERTEX),
    "gdb": (f"(gdb) call nir_print_shader(nir, stderr)\n(gdb) {MODERN}(gdb) c\nContinuing.\n", VERTEX),
    # Notes.
    "arrow in front": (MODERN.replace("    1      %3 = flt", "--> 1      %3 = flt"), VERTEX),
    "arrow behind": (MODERN.replace("%1.x\n", "%1.x   <--- this one\n"), VERTEX),
    "carets below": (MODERN.replace("%1.x\n", "%1.x\n           ^^^^^ here\n"), VERTEX),
    "bold": (MODERN.replace("flt", "**flt**"), VERTEX),
    "code in prose": ("before\n\n`32     %6 = fadd %4, %5`\n\nafter\n", [(None, 1)]),
    "a sign in front": (MODERN.replace("    1      %3 = flt", "!   1      %3 = flt"), VERTEX),
    "a remark": (MODERN.replace("%1.x\n", "%1.x  # bug\n"), VERTEX),
    "prompts of a pager": (MODERN.replace("    32     %2 =", "--More--\n    32     %2 ="), VERTEX),
    "form feed": (MODERN.replace("    32     %2 =", "\f\n    32     %2 ="), VERTEX),
    "thin spaces": (MODERN.replace(" ", "\u2009"), VERTEX),
    "escaped twice": (html.escape(html.escape(CLASSIC)), VERTEX),
    "JSON of Windows": (json.dumps({"x": MODERN.replace("\n", "\r\n")}), VERTEX),
    "tail": (MODERN[MODERN.index("        block b1:") :], [(None, 1), (None, 0)]),
    # Frames that need nothing.
    "org": (f"* head\n#+begin_src nir\n{BODY}#+end_src\nmore\n", UNKNOWN),
    "restructured text": (f".. code-block:: none\n\n{prefixed('   ', BODY)}\nEnd.\n", UNKNOWN),
    "details": (f"<details>\n<summary>NIR</summary>\n\n```\n{MODERN}```\n\n</details>\n", VERTEX),
    "fence in a list": (f"1. see\n\n   ```\n{prefixed('   ', MODERN)}   ```\n2. x\n", VERTEX),
    "git log": (
        f"commit 12\nAuthor: A <a@b.c>\n\n    nir: fix\n\n{prefixed('    ', BODY)}\n    Signed\n",
        UNKNOWN,
    ),
}
"""Texts, and the stage and number of instructions of each dump in them."""

LEFT_OUT = {
    "difference": difference(MODERN),
    "coloured difference": re.sub(r"(?m)^([-+@][^\n]*)", "\x1b[32m\\1\x1b[m", difference(MODERN)),
    "difference of Windows": difference(MODERN).replace("\n", "\r\n"),
    "difference in a mail": difference(MODERN, "> "),
    "difference of a function": difference(MODERN).replace("shader: ", "name: "),
    "difference in a fence": "```diff\n" + difference(MODERN).partition("@@\n")[2] + "```\n",
    "words": MODERN.replace("flt", "[-fge-]{+flt+}"),
    "conflict": MODERN.replace(
        "    1      %3 = flt",
        "<<<<<<< HEAD\n    1      %3 = flt %2, %1.x\n=======\n"
        "    1      %3 = fge %2, %1.x\n>>>>>>> x\n    1      %9 = flt",
    ),
    "side by side": columns(MODERN, is_marked=True),
    "sdiff": columns(MODERN, is_marked=False),
    "cut at 80": cut(80, CLASSIC),
    "cut at 48": cut(48, MODERN),
    "less -S": cut(60, MODERN, ">"),
}
"""Texts with one dump, of which something is left out: no pass may run on it, nor an edit be offered."""

OTHER_LETTERS = frozenset(
    (
        *("a dash", "a multiplication sign", "ligatures", "wide percent signs", "visible spaces"),
        *("quoted-printable", "soft line breaks"),
    )
)
"""Shapes in which letters stand for others."""
NOT_DELETED = frozenset(("code in prose", "list", "list with dots"))
"""Shapes of which one line tells the form."""
