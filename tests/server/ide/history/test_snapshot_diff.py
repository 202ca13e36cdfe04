from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from nirls.ir.analysis.compare import same_shader
from nirls.ir.text.dumps import split_dumps
from nirls.ir.text.parse import parse_dump, parse_shaders
from nirls.ir.text.printing import normalize
from nirls.server.ide.history.snapshot_diff import DiffRun, side_by_side, snapshot_texts
from tests.passes.shader_text import ONE, ZERO, shader, store, use

LOOP = b"""shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000000)
    32    %1 = load_const (0x00000001)
               // succs: b1
    loop {
        block b1:  // preds: b0 b2
        32    %2 = phi b0: %0 (0x0), b2: %4
        1     %3 = ige %2, %1 (0x1)
                   // succs: b2 b3
        if %3 {
            block b2:  // preds: b1
            break
            // succs: b4
        } else {
            block b3:  // preds: b1, succs: b1
        }
        32    %4 = iadd %2, %1 (0x1)
    }
    block b4:  // preds: b2
    32    %5 = mov %2
               // succs: b5
    block b5:
}
"""


def test_other_numbers_are_no_difference(data: Path) -> None:
    for path in (*sorted((data / "pipelines").glob("*.nir")), *sorted(data.glob("*.nir"))):
        for dump in split_dumps(path.read_bytes()):
            before = parse_dump(path.read_bytes()[dump.start : dump.end])
            after = parse_dump(normalize(before))
            assert snapshot_texts(before, after).same, path


def test_only_what_changed_is_different() -> None:
    before = shader(
        "VERTEX",
        ZERO,
        ONE,
        "32    %2 = mov %1",
        "32    %3 = fadd %2, %1 (1.000000)",
        use("%3"),
        store("VAR0"),
    )
    after = shader(
        "VERTEX", ZERO, ONE, "32    %2 = fadd %1 (1.000000), %1 (1.000000)", use("%2"), store("VAR0")
    )
    changed = [line for line in snapshot_texts(before, after).unified().splitlines() if line[:1] in "+-"][2:]
    assert changed == [
        "-    32    %2 = mov %1 (0x3f800000)",
        "-    32    %3 = fadd %2, %1 (1.000000)",
        "+    32    %3 = fadd %1 (1.000000), %1 (1.000000)",
    ]


def test_the_shaders_stay_as_they_are() -> None:
    before, after = parse_dump(LOOP), parse_dump(normalize(parse_dump(LOOP)))
    printed = normalize(after)
    snapshot_texts(before, after)
    assert normalize(after) == printed
    assert next(before.impls()).end_block.index == 5


def test_new_numbers_are_free_in_the_first_snapshot() -> None:
    before = shader("VERTEX", ZERO, ONE, use("%1"))
    after = shader("VERTEX", ZERO, ONE, "32    %2 = fneg %1 (1.000000)", "32    %3 = fabs %2", use("%3"))
    assert "%2 = fneg" in snapshot_texts(before, after).after
    assert "%3 = fabs %2" in snapshot_texts(before, after).after


def test_divergence_that_only_one_prints_is_no_difference() -> None:
    plain = shader("VERTEX", ZERO, ONE, use("%1"))
    text = plain.source.decode().replace("    32 ", "    con 32 ").replace("    block b0", "    con block b0")
    marked = parse_dump(text.encode())
    assert same_shader(plain, marked)
    assert snapshot_texts(plain, marked).same
    assert "con 32" in snapshot_texts(marked, marked).before


def test_side_by_side_leaves_out_what_is_far_from_changes() -> None:
    lines = [f"32    %{number} = mov %1" for number in range(2, 40)]
    before = shader("VERTEX", ZERO, ONE, *lines, use("%39"))
    after = shader("VERTEX", ZERO, ONE, *lines[:-1], "32    %39 = fneg %1", use("%39"))
    rows = list(side_by_side(snapshot_texts(before, after)))
    assert rows[0] == DiffRun("gap")
    assert [row.kind for row in rows] == ["gap", "equal", "replace", "equal"]
    assert [
        "mov" in left[0] and "fneg" in right[0] for kind, left, right, *_ in rows if kind == "replace"
    ] == [True]


def test_equal_texts_have_no_stretches() -> None:
    one = shader("VERTEX", ZERO)
    assert list(side_by_side(snapshot_texts(one, one))) == []


def test_dialects_are_compared_in_the_first_one(corpus: Path) -> None:
    classic = parse_shaders((corpus / "pipelines" / "hand_discard_nested/classic/frag.io.nir").read_bytes())[
        0
    ]
    modern = parse_shaders((corpus / "pipelines" / "hand_discard_nested/modern/frag.io.nir").read_bytes())[0]
    texts = snapshot_texts(classic, modern)
    assert "ssa_" in texts.after
    assert "%" not in texts.after


@pytest.mark.sweep
def test_snapshots_of_a_real_log_with_the_same_code_differ_in_what_is_declared_only(corpus: Path) -> None:
    shaders = parse_shaders((corpus / "logs" / "every_pass_small.log").read_bytes())
    same = [(one, other) for one, other in pairwise(shaders) if same_shader(one, other)]
    assert same
    for one, other in same:
        changed = snapshot_texts(one, other).unified().splitlines()[2:]
        assert not [
            line for line in changed if line[:1] in "+-" and "decl_var" not in line and ": " not in line
        ]
    other_code = [(one, other) for one, other in pairwise(shaders) if not same_shader(one, other)]
    assert not any(snapshot_texts(one, other).same for one, other in other_code)


@pytest.mark.sweep
@pytest.mark.parametrize("depth", [3_000])
def test_deep_nesting(depth: int) -> None:
    head = "shader: MESA_SHADER_VERTEX\ndecl_function main () (entrypoint)\n\nimpl main {\n"
    opening = "".join(
        f"block b{n}:  // preds:\n1 %{n} = load_const (true)\nif %{n} {{\n" for n in range(depth)
    )
    text = f"{head}{opening}block b{depth}:  // preds:\n" + "} else {\n}\n" * depth + "}\n"
    one = parse_dump(text.encode())
    assert snapshot_texts(one, one).same


def test_both_texts_are_still_the_shaders_they_were(corpus: Path) -> None:
    folder = corpus / "pipelines" / "hand_tess_pn_triangles"
    paths = [*sorted(folder.glob("*/*.io.nir")), *sorted((corpus / "old").glob("*.nir"))]
    shaders = [found for path in paths for found in parse_shaders(path.read_bytes())]
    for one, other in pairwise(shaders):
        if one.dialect is not other.dialect:
            continue
        texts = snapshot_texts(one, other)
        assert same_shader(parse_dump(texts.before.encode()), one)
        assert same_shader(parse_dump(texts.after.encode()), other)


HEADER = ["inputs_read: 1", "outputs_written: 2", "subgroup_size: 4", "a: 1", "b: 1", "c: 1", "d: 1"]


def test_the_diff_starts_at_the_first_line_of_code() -> None:
    before = shader("VERTEX", ZERO, ONE, use("%1"), header=["name: a", *HEADER])
    after = shader("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%2"), header=["name: b", *HEADER])
    texts = snapshot_texts(before, after)
    first = texts.first_code_change()
    assert first is not None
    assert "mov %1" in texts.after.split("\n")[first.after]
    hunks = [line for line in texts.unified().splitlines() if line.startswith("@@")]
    assert len(hunks) == 2
    starts = [int(hunk.split()[1].strip("-").split(",")[0]) for hunk in hunks]
    assert starts[0] > starts[1] == 1


def test_a_change_of_the_header_only_is_no_change_of_code() -> None:
    one, other = (shader("VERTEX", ZERO, header=[f"outputs_written: {n}"]) for n in (1, 2))
    texts = snapshot_texts(one, other)
    assert not texts.same
    assert texts.first_code_change() is None
    assert "+outputs_written: 2" in texts.unified()


def test_hunks_cover_both_texts() -> None:
    texts = snapshot_texts(parse_dump(LOOP), parse_dump(LOOP.replace(b"        break\n", b"")))
    hunks = texts.hunks()
    assert all(one.before_end == two.before and one.after_end == two.after for one, two in pairwise(hunks))
    before, after = texts.before[:-1].split("\n"), texts.after[:-1].split("\n")
    assert (hunks[0].before, hunks[0].after) == (0, 0)
    assert (hunks[-1].before_end, hunks[-1].after_end) == (len(before), len(after))
    for hunk in hunks:
        same = before[hunk.before : hunk.before_end] == after[hunk.after : hunk.after_end]
        assert same is hunk.is_equal


def test_lines_and_numbers_of_the_dumps() -> None:
    before = parse_dump(LOOP)
    text = LOOP.replace(b"%5", b"%9").replace(b"    32    %1 =", b"\n    32    %1 =")
    texts = snapshot_texts(before, parse_dump(text))
    assert texts.numbers == {"main": {5: 9}}
    shown, source = texts.after.split("\n"), text.decode().split("\n")
    places = [(shown[row], line) for row, line in enumerate(texts.after_lines) if line is not None]
    assert len(places) == len(texts.before_lines) - texts.before_lines.count(None)
    for line, place in places:
        if "b-1:" in line:  # a block without a line of its own in the dump
            continue
        assert line.split()[0] == source[place].split()[0]
