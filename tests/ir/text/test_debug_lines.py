from __future__ import annotations

from nirls.ir.text.debug_lines import comments_above, spirv_offset
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import normalize
from nirls.passes.cleanup.opt_dce import opt_dce

DUMP = """\
shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    // 0x10
    32    %0 = load_const (0x00000000)
    // 0x14
    32    %1 = load_const (0x00000003)
    // mine
    // 0x18
    32    %2.t = iadd %0 (0x0), %0 (0x0)
    // 0x20
               @store_ssbo (%2.t, %0 (0x0), %0 (0x0)) (wrmask=x, access=none, align_mul=4, align_offset=0)
               // succs: b1
    block b1:
}
"""


def test_comments_above_a_line() -> None:
    source = DUMP.encode()
    assert comments_above(source, source.index(b"32    %2")) == ["// mine", "// 0x18"]
    assert comments_above(source, source.index(b"32    %0")) == ["// 0x10"]
    assert comments_above(source, source.index(b"    block b1")) == []
    assert comments_above(source, 0) == []


def test_offsets() -> None:
    assert spirv_offset("// 0x18") == 0x18
    assert spirv_offset("// 0x18 and more") is None
    assert spirv_offset("// mine") is None


def test_a_normalized_dump_keeps_comments_above_instructions() -> None:
    text = DUMP.replace("%2.t", "%7.t").replace("%1", "%5")
    lines = normalize(parse_dump(text.encode())).decode().splitlines()
    comments = [
        (line, lines[number + 1].split("=")[0]) for number, line in enumerate(lines) if "// 0x" in line
    ]
    assert comments == [
        ("    // 0x10", "    32    %0 "),
        ("    // 0x14", "    32    %1 "),
        ("    // 0x18", "    32    %2.t "),
        ("    // 0x20", "               @store_ssbo (%2.t, %0 (0x0), %0 (0x0)) (wrmask"),
    ]
    assert lines[lines.index("    // 0x18") - 1] == "    // mine"


def test_a_removed_instruction_takes_its_offset_with_it() -> None:
    before = parse_dump(DUMP.encode())
    after = parse_dump(DUMP.encode())
    opt_dce(after)
    text = apply_edits(before.source, text_edits(before, after)).decode()
    removed = "    // 0x14\n    32    %1 = load_const (0x00000003)\n"
    assert text == DUMP.replace(removed, "")


def test_a_moved_instruction_takes_its_offset_with_it() -> None:
    before, after = parse_dump(DUMP.encode()), parse_dump(DUMP.encode())
    impl = after.entrypoint
    assert impl is not None
    first, second = list(impl.start_block)[:2]
    first.unlink()
    impl.start_block.insert_after(second, first)
    text = apply_edits(before.source, text_edits(before, after)).decode()
    lines = [line.strip() for line in text.splitlines()[5:9]]
    assert lines == [
        "// 0x14",
        "32    %1 = load_const (0x00000003)",
        "// 0x10",
        "32    %0 = load_const (0x00000000)",
    ]
