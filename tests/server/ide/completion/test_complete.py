"""What is offered at a place of a dump, by texts with a cursor."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from nirls.server.ide.completion.candidates import Candidate, CandidateKind
from nirls.server.ide.completion.complete import MOST, Completions, best, complete
from nirls.server.ide.cursor.outline import outline


def words(*labels: str) -> list[Candidate]:
    return [Candidate(label, CandidateKind.WORD) for label in labels]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("", ["fadd", "ffma", "@load_add", "xfaddle", "flat_and_dry", "%12", "ssa_12"]),
        ("fad", ["fadd", "xfaddle", "flat_and_dry"]),
        ("add", ["@load_add", "fadd", "xfaddle", "flat_and_dry"]),
        ("@load", ["@load_add"]),
        ("%1", ["%12", "ssa_12"]),
        ("FFMA", ["ffma"]),
        ("zz", []),
    ],
)
def test_order(word: str, expected: list[str]) -> None:
    found, is_complete = best(
        words("fadd", "ffma", "@load_add", "xfaddle", "flat_and_dry", "%12", "ssa_12"), word
    )
    assert [one.label for one in found] == expected
    assert is_complete


def test_ranks_count_among_equals() -> None:
    found, _ = best(
        [Candidate("abc", CandidateKind.WORD, rank=3), Candidate("abd", CandidateKind.WORD, rank=1)], "ab"
    )
    assert [one.label for one in found] == ["abd", "abc"]


def test_too_many_are_cut() -> None:
    found, is_complete = best(words(*(f"w{number}" for number in range(MOST + 1))), "w")
    assert len(found) == MOST
    assert not is_complete


Complete = Callable[[bytes], Completions]

MODERN = b"""\
shader: MESA_SHADER_FRAGMENT
name: GLSL3
decl_var shader_in INTERP_MODE_NONE none vec4 color (VARYING_SLOT_VAR0.xyzw, 0, 0)
decl_var uniform INTERP_MODE_NONE none vec4[4] planes (5, 0, 0)
decl_function paint (32 x)

decl_function main () (entrypoint)

impl main {
    decl_var  INTERP_MODE_NONE none int local_i
    block b0:   // preds:
    32     %0 = load_const (0x00000001 = 0.000000)
    32     %1 = deref_var &color (shader_in vec4)
    32x4   %2 = @load_deref (%1) (access=none)
    1      %3 = flt %2.x, %0 (0.000000)
                // succs: b1 b2
    if %3 {
        block b1:   // preds: b0
        32x4   %4 = fadd %2, %2
                    // succs: b3
    } else {
        block b2:   // preds: b0
        64     %5 = load_const (0x0000000000000001)
                    // succs: b3
    }
    block b3:   // preds: b1 b2
    LINE
                // succs: b4
    block b4:
}
"""
CLASSIC = b"""\
shader: MESA_SHADER_VERTEX
decl_function main (0 params)

impl main {
	decl_reg vec4 32 r0
	block block_0:
	/* preds: */
	vec1 32 ssa_0 = load_const (0x00000000 = 0.000000)
	LINE
	/* succs: block_1 */
	block block_1:
}
"""
OLD = CLASSIC.replace(b"(0x00000000 = 0.000000)", b"(0x00000000 /* 0.000000 */)")


def labels(found: Completions) -> list[str]:
    return [item.label for item in found.items]


def item(found: Completions, label: str) -> Candidate:
    return next(one for one in found.items if one.label == label)


def in_line(line: bytes, dump: bytes = MODERN) -> bytes:
    return dump.replace(b"LINE", line)


def test_values_are_those_that_dominate(completed: Complete) -> None:
    found = completed(in_line(b"32  %6 = fadd %$0"))
    assert sorted(labels(found)) == ["%0", "%1", "%2", "%3"]


@pytest.mark.parametrize(
    ("line", "first"),
    [
        (b"32  %6 = fadd %$0", "%2"),  # nearest of 32 bits; derefs are no numbers
        (b"if %$0", "%3"),
        (b"1  %6 = inot %$0", "%3"),
        (b"32  %6 = @load_deref ($0", "%1"),
        (b"32  %6 = f2f32 %0.$0", "x"),
        (b"32  %6 = bcsel %$0", "%3"),
    ],
)
def test_values_of_the_right_size_come_first(completed: Complete, line: bytes, first: str) -> None:
    assert labels(completed(in_line(line)))[0] == first


def test_the_size_of_the_source_before_is_that_of_the_next(completed: Complete) -> None:
    text = MODERN.replace(b"64     %5 = load_const", b"64     %5 = deref_var").replace(
        b"32     %0 = load", b"16     %7 = undefined\n    32     %0 = load"
    )
    assert labels(completed(text.replace(b"LINE", b"1  %6 = feq %7, %$0")))[0] == "%7"


def test_a_value_shows_where_it_is_from(completed: Complete) -> None:
    assert (
        item(completed(in_line(b"32  %6 = fadd %$0")), "%2").detail == "32x4 @load_deref (%1) (access=none)"
    )


@pytest.mark.parametrize(("block", "expected"), [(b"b1", "%4"), (b"b2", "%5")])
def test_a_phi_takes_values_of_the_block_it_names(completed: Complete, block: bytes, expected: str) -> None:
    found = labels(completed(in_line(b"32x4  %6 = phi " + block + b": $0")))
    assert expected in found
    assert len({"%4", "%5"} & set(found)) == 1


def test_a_phi_may_take_a_value_from_further_down() -> None:
    text = b"""\
shader: MESA_SHADER_VERTEX
impl main {
    block b0:
    32     %0 = load_const (0x00000000)
    loop {
        block b1:   // preds: b0 b1
        32     %1 = phi b0: %0, b1: \n        32     %2 = iadd %1, %0
    }
}
"""
    at = text.index(b"b1: \n") + 4
    assert {one.label for one in complete(text, outline(text), at).items} == {"%0", "%1", "%2"}


def test_operations_in_modern_words(completed: Complete) -> None:
    found = completed(in_line(b"32  %6 = load_ub$0"))
    assert labels(found)[0] == "@load_ubo"
    assert found.start == found.end - len("load_ub")
    typed = item(found, "@load_ubo")
    assert typed.snippet.startswith("@load_ubo (${1:")
    assert "access=${3:none}" in typed.snippet
    assert typed.typed == "@load_ubo ("


def test_what_makes_no_value_is_a_statement(completed: Complete) -> None:
    assert "@store_output" in labels(completed(in_line(b"@store_o$0")))
    assert "@store_output" not in labels(completed(in_line(b"32  %6 = @store_o$0")))
    assert "@load_ubo" not in labels(completed(in_line(b"@load_u$0")))


def test_operations_that_make_the_size_come_first(completed: Complete) -> None:
    found = labels(completed(in_line(b"1  %6 = f$0")))
    assert found.index("flt") < found.index("fadd")
    found = labels(completed(in_line(b"32  %6 = f$0")))
    assert found.index("fadd") < found.index("flt")


def test_classic_words(completed: Complete) -> None:
    found = completed(in_line(b"vec1 32 ssa_1 = intrinsic load_inp$0", CLASSIC))
    assert labels(found)[0] == "load_input"
    snippet = item(found, "load_input").snippet
    assert snippet.startswith("load_input (${1:offset}) (base=${2:0}, component=${3:0}, ")
    assert "dest_type=${4:float32} /*160*/" in snippet
    assert "intrinsic" in labels(completed(in_line(b"vec1 32 ssa_1 = intr$0", CLASSIC)))
    assert "@load_input" not in labels(completed(in_line(b"vec1 32 ssa_1 = load_inp$0", CLASSIC)))
    assert set(labels(completed(in_line(b"vec1 32 ssa_1 = fadd $0", CLASSIC)))) == {"ssa_0", "r0"}


def test_old_words(completed: Complete) -> None:
    snippet = item(completed(in_line(b"vec1 32 ssa_1 = intrinsic load_ubo$0", OLD)), "load_ubo").snippet
    assert snippet.startswith("load_ubo (${1:index}, ${2:offset}) (${3:0}, ${4:4}")
    assert "/* align_mul=$4 */" in snippet
    assert "fnot" in labels(completed(in_line(b"vec1 32 ssa_1 = fno$0", OLD)))
    assert "fnot" not in labels(completed(in_line(b"32  %6 = fno$0")))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"32  %6 = @load_ubo (%0, %0) ($0", ["access", "align_mul", "align_offset"]),
        (b"32  %6 = @load_ubo (%0, %0) (access=none, align_m$0", ["align_mul"]),
        (b"32  %6 = @load_ubo (%0, %0) (access=coh$0", ["coherent"]),
        (b"32x2 %6 = @load_barycentric_pixel (interp_mode=$0", ["INTERP_MODE_NONE"]),
        (b"@store_output (%0, %0) (wrmask=$0", ["x", "xy"]),
        (b"@store_output (%0, %0) (io location=$0", ["FRAG_RESULT_DATA0"]),
        (b"32  %6 = @load_input (%0) (io location=VARYING_SLOT_VAR3$0", ["VARYING_SLOT_VAR3"]),
        (b"@barrier (execution_scope=W$0", ["WORKGROUP"]),
        (b"32  %6 = deref_var &$0", ["color", "planes", "local_i"]),
        (b"call $0", ["paint", "main"]),
        (b"block b9:  // preds: $0", ["b0", "b1", "b2", "b3"]),
        (b"32  %6 = phi $0", ["b0", "b1"]),
        (b"brea$0", ["break"]),
    ],
)
def test_first_words(completed: Complete, line: bytes, expected: list[str]) -> None:
    assert labels(completed(in_line(line)))[: len(expected)] == expected


def test_a_name_of_an_index_brings_its_sign(completed: Complete) -> None:
    found = completed(in_line(b"@store_output (%0, %0) ($0"))
    assert item(found, "wrmask").typed == "wrmask="
    assert item(found, "io").typed == "io location="


def test_a_variable_brings_its_mode_and_type(completed: Complete) -> None:
    found = completed(in_line(b"32  %6 = deref_var &pla$0"))
    assert item(found, "planes").snippet == "planes (uniform vec4[4])$0"


def test_in_the_header(completed: Complete) -> None:
    assert labels(completed(MODERN.replace(b"name: GLSL3", b"next_s$0")))[0] == "next_stage"
    assert "MESA_SHADER_GEOMETRY" in labels(completed(MODERN.replace(b"GLSL3\n", b"GLSL3\nnext_stage: $0\n")))
    location = MODERN.replace(b"(VARYING_SLOT_VAR0.xyzw", b"($0.xyzw")
    assert labels(completed(location))[0] == "VARYING_SLOT_VAR0"
    assert "shader_out" in labels(completed(MODERN.replace(b"decl_var uniform", b"decl_var shader_o$0")))


@pytest.mark.parametrize(
    "line", [b"// a remark $0", b"32  %6 = load_const ($0", b"32  %6 = fadd %0, %0 // see $0"]
)
def test_nothing_in_comments_and_constants(completed: Complete, line: bytes) -> None:
    assert completed(in_line(line)).items == ()


@pytest.mark.parametrize(
    ("line", "is_offered"),
    [
        (b" ", False),
        (b"32  %6 = ", True),
        (b"32  %6 = fadd ", True),
        (b"32  %6 = fadd %0, ", True),
        (b"if ", True),
    ],
)
def test_a_space_asks_for_what_must_follow(line: bytes, is_offered: bool) -> None:
    text = in_line(line)
    offset = text.index(line + b"\n") + len(line)
    assert bool(complete(text, outline(text), offset, because_of_space=True).items) is is_offered


def test_a_long_line_is_not_looked_at(completed: Complete) -> None:
    assert completed(in_line(b"32x16  %6 = vec16 " + b"%0.x, " * 500 + b"$0")).items
    assert not completed(in_line(b"32x16  %6 = vec16 " + b"%0.x, " * 700 + b"$0")).items


def test_windows_lines_and_letters_beyond_ascii(completed: Complete) -> None:
    text = in_line("32  %6 = fadd %$0  // größe 𝄞".encode()).replace(b"\n", b"\r\n")
    assert sorted(labels(completed(text))) == ["%0", "%1", "%2", "%3"]
    assert (
        labels(completed(in_line(b"32  %6 = deref_var &$0").replace(b"color", "größe".encode())))[0]
        == "größe"
    )


@pytest.mark.sweep
def test_every_place_of_a_dump_can_be_asked_about(completed: Complete) -> None:
    for dump in (in_line(b"32  %6 = fadd! -abs(%0), %2.x"), in_line(b"r0.x = fadd ssa_0, -ssa_0", CLASSIC)):
        found = [completed(dump[:offset] + b"$0" + dump[offset:]) for offset in range(len(dump) + 1)]
        assert any(one.items for one in found)


def test_every_prefix_of_a_dump_can_be_asked_about(completed: Complete) -> None:
    found = [completed(MODERN[:size] + b"$0") for size in range(0, len(MODERN), 3)]
    assert any(one.items for one in found)


_OPERAND = re.compile(
    rb"(?<== )@?[a-z_0-9]+|%\d+|ssa_\d+|\bb\d+\b|block_\d+|(?:INTERP_MODE|VARYING_SLOT)_\w+|wrmask"
)


def test_what_stands_there_is_offered(corpus: Path) -> None:
    """Any word of a real dump, were it still to be written."""
    randomly = random.Random(11)
    checked = 0
    for path in sorted(corpus.glob("pipelines/*/*/*.nir"))[::53] + sorted(corpus.glob("old/*")):
        text = path.read_bytes()
        operands = list(_OPERAND.finditer(text))
        for match in randomly.sample(operands, min(12, len(operands))):
            mark = match[0][:1] if match[0][:1] in b"%@" else b""
            offset = match.start() + len(mark)
            if b"//" in text[text.rfind(b"\n", 0, offset) + 1 : offset]:
                continue
            missing = text[:offset] + text[match.end() :]
            found = complete(missing, outline(missing), offset)
            if found.items and found.is_complete:
                assert match[0].decode() in labels(found), (path, text[offset - 60 : offset])
                checked += 1
    assert checked > 60
