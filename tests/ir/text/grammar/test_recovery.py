"""A broken line costs that line: every other line is read as before, and no tree holds an error."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from nirls.ir.text import grammar
from tests.ir.text.grammar.syntax_trees import nodes_of_kind, parse, read_examples, tokens_by_row

FOLDER = Path(grammar.__file__).parent / "test" / "corpus"
SAMPLES = {
    f"{path.stem}: {example.name}": example.text
    if example.text.startswith(b"shader:")
    else b"shader: MESA_SHADER_VERTEX\n" + example.text
    for path in sorted(FOLDER.glob("*.txt"))
    if path.stem != "structure"
    for example in read_examples(path)
}

# What a line may be replaced by, or have pushed into it.
JUNK = [
    b"(",
    b")",
    b"]",
    b"=",
    b",,",
    b";",
    b"%",
    b"@",
    b'"',
    b"'",
    b"\\",
    b"|",
    b"0x",
    b"ssa_",
    b"r0",
    b"//",
    b"/*",
    b"*/",
    b"true",
    b"error:",
    b"\xc3\xa9",
    b"\xff",
    b"\x00",
    b"\r",
    b"if",
    b"loop",
    b"block b1:",
    b"decl_var",
    b"abs",
    b"io",
    b"xfb(",
    b"(coord)",
    b"x: y",
    b"-",
    b"preds:",
    b"con",
    b"32 %1 = ",
    b"\t",
    b"}}",
    b"{ {",
    b"} else",
    b"impl",
]


def mangled(line: bytes, chance: random.Random) -> bytes:
    """The line as a typing hand, a cut or an interleaved log could leave it."""
    at = chance.randrange(len(line) + 1)
    until = min(len(line), at + chance.randrange(1, 9))
    return chance.choice(
        [
            line[:at],
            line[at:],
            line[:at] + line[until:],
            line[:at] + chance.choice(JUNK) + line[at:],
            line[:at] + chance.choice(JUNK) + line[until:],
            line + b" " + chance.choice(JUNK),
            chance.choice(JUNK),
            b"garbage in the dump",
        ]
    )


def holds_structure(line: bytes) -> bool:
    """Whether the lines around this one depend on it: it opens, closes or begins something."""
    return (
        b"{" in line
        or b"}" in line
        or line.lstrip().startswith((b"shader:", b"block", b"con block", b"div block"))
    )


@pytest.mark.parametrize("name", SAMPLES)
def test_any_broken_line_costs_itself_alone(name: str) -> None:
    chance = random.Random(name)
    lines = SAMPLES[name].split(b"\n")
    before = tokens_by_row(parse(SAMPLES[name]))
    for row, line in enumerate(lines):
        if holds_structure(line):
            continue
        for _ in range(12):
            broken = mangled(line, chance)
            if holds_structure(broken):
                continue
            tree = parse(b"\n".join([*lines[:row], broken, *lines[row + 1 :]]))
            after = tokens_by_row(tree)
            before.pop(row, None)
            after.pop(row, None)
            assert not tree.root_node.has_error, broken
            assert after == before, broken
        before = tokens_by_row(parse(SAMPLES[name]))


@pytest.mark.parametrize("name", SAMPLES)
def test_a_broken_brace_loses_no_instruction(name: str) -> None:
    chance = random.Random(name)
    lines = SAMPLES[name].split(b"\n")

    def instructions(text: bytes, without: int) -> list[tuple[int, str]]:
        tree = parse(text)
        assert not tree.root_node.has_error, text
        kinds = {node.type for node in nodes_of_kind(tree) if node.type.endswith("_instruction")}
        found = [
            node for node in nodes_of_kind(tree, *INSTRUCTIONS | kinds) if node.start_point.row != without
        ]
        return [(node.start_point.row, node.type) for node in found]

    for row, line in enumerate(lines):
        if not holds_structure(line) or line.startswith(b"shader:"):
            continue
        expected = instructions(SAMPLES[name], row)
        for _ in range(12):
            broken = mangled(line, chance)
            assert instructions(b"\n".join([*lines[:row], broken, *lines[row + 1 :]]), row) == expected, (
                broken
            )


INSTRUCTIONS = {
    "alu_instruction",
    "load_const_instruction",
    "undef_instruction",
    "intrinsic_instruction",
    "tex_instruction",
    "deref_var_instruction",
    "deref_struct_instruction",
    "deref_array_instruction",
    "deref_cast_instruction",
    "phi_instruction",
    "call_instruction",
    "parallel_copy_instruction",
}


@pytest.mark.sweep
def test_real_dumps_recover(corpus: Path) -> None:
    chance = random.Random(7)
    paths = sorted(corpus.glob("pipelines/*/*/*.nir"))
    for path in chance.sample(paths, 25):
        text = path.read_bytes()
        lines = text.split(b"\n")
        whole = tokens_by_row(parse(text))
        for _ in range(10):
            row = chance.randrange(len(lines))
            broken = mangled(lines[row], chance)
            if holds_structure(lines[row]) or holds_structure(broken):
                continue
            tree = parse(b"\n".join([*lines[:row], broken, *lines[row + 1 :]]))
            after = tokens_by_row(tree)
            assert not tree.root_node.has_error, (path, broken)
            assert {r: t for r, t in after.items() if r != row} == {
                r: t for r, t in whole.items() if r != row
            }, (
                path,
                broken,
            )


def test_mangled_lines_never_become_errors() -> None:
    """The scanner lets no line through that the rules cannot take, whatever it is."""
    chance = random.Random(2026)
    lines = sorted({line for text in SAMPLES.values() for line in text.split(b"\n")})
    for _ in range(60):
        batch = [mangled(mangled(chance.choice(lines), chance), chance) for _ in range(100)]
        for text in (
            b"shader: X\nname: y\n" + b"\n".join(batch),
            b"shader: X\n\nimpl main {\n    block b0:\n" + b"\n".join(batch) + b"\n}\n",
            b"\n".join(batch),
        ):
            assert not parse(text).root_node.has_error, batch
