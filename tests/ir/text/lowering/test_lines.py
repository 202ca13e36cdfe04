"""Single lines as records: what a line says, whatever the names in it mean."""

from __future__ import annotations

import pytest
from tree_sitter import Node

from nirls.ir.text.lowering.lines import number_in, read_line, sizes_of_type
from nirls.ir.text.lowering.records import (
    AluRecord,
    CallRecord,
    DerefRecord,
    InstrRecord,
    IntrinsicRecord,
    JumpRecord,
    LineRecord,
    LoadConstRecord,
    ParallelCopyRecord,
    PhiRecord,
    TexRecord,
    UndefRecord,
)
from nirls.ir.text.parse import parse_tree


def line_of(line: str, block: str = "block b0:") -> LineRecord:
    """The record of the one instruction in a body."""
    text = (
        f"shader: MESA_SHADER_FRAGMENT\nimpl main {{\n    {block}\n    {line}\n    block b1:\n}}\n".encode()
    )
    tree = parse_tree(text)
    work: list[Node] = [tree.root_node]
    while work:
        node = work.pop()
        if node.type.endswith("_instruction"):
            record = read_line(node, text)
            assert record is not None
            return record
        work += node.children
    raise AssertionError(f"no instruction in {line}")


def record_of(line: str) -> InstrRecord:
    return line_of(line).instr


@pytest.mark.parametrize(
    ("text", "number"),
    [(b"%12", 12), (b"ssa_7", 7), (b"block_3", 3), (b"r4", 4), (b"x", -1), (b"%" + b"9" * 30, -1)],
)
def test_numbers_of_names(text: bytes, number: int) -> None:
    assert number_in(text) == number


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("32x4", (4, 32)),
        ("1", (1, 1)),
        ("vec3 16", (3, 16)),
        ("vec1  1", (1, 1)),
        ("32x??", (0, 32)),
        ("error 32", (0, 0)),
        ("99999x4", (4, 999)),
    ],
)
def test_sizes_of_types(text: str, sizes: tuple[int, int]) -> None:
    assert sizes_of_type(text) == sizes


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("32 %1 = fadd %0, %0", AluRecord),
        ("32 %1 = load_const (0x0)", LoadConstRecord),
        ("32 %1 = undefined", UndefRecord),
        ("32 %1 = @load_input (%0) (base=0)", IntrinsicRecord),
        ("32x4 %1 = (float32)tex %0 (coord), 0 (texture), 0 (sampler)", TexRecord),
        ("32 %1 = deref_var &x (uniform float)", DerefRecord),
        ("32 %1 = phi b0: %0, b2: %3", PhiRecord),
        ("break", JumpRecord),
        ("call f %0", CallRecord),
        ("vec1 32 ssa_5 = ssa_3; r1 = r0", ParallelCopyRecord),
    ],
)
def test_every_kind_of_line_has_its_record(line: str, kind: type) -> None:
    assert type(record_of(line)) is kind


def test_an_operation_with_everything() -> None:
    record = record_of("r0.xz = fadd.sat -abs(ssa_1.xy), r2[3 + ssa_4]")
    assert isinstance(record, AluRecord)
    assert record.dest is not None
    assert (record.dest.is_register, record.dest.write_mask) == (True, 0b101)
    assert record.flags == {"sat"}
    first, second = record.sources
    assert (first.negate, first.absolute, first.swizzle) == (True, True, (0, 1))
    assert (second.value.is_register, second.value.number, second.value.offset) == (True, 2, 3)
    assert second.value.indirect is not None
    assert second.value.indirect.number == 4


@pytest.mark.parametrize(
    ("behind", "flags"),
    [
        ("// exact, preserve:sz", {"exact", "preserve:sz"}),
        ("// no-contract", {"no-contract"}),
        ("// as it was", set()),
    ],
)
def test_demands_behind_an_operation_are_flags(behind: str, flags: set[str]) -> None:
    line = line_of(f"32 %1 = fadd %0, %0 {behind}")
    assert isinstance(line.instr, AluRecord)
    assert line.instr.flags == flags
    assert line.comment == behind
    assert line.length == len("32 %1 = fadd %0, %0")


@pytest.mark.parametrize(
    ("printed", "indices"),
    [
        (
            "reduction_op=fadd, cluster_size=0, exact, preserve:sz,inf,nan",
            {"reduction_op": "fadd", "cluster_size": 0, "fp_math_ctrl": "exact, preserve:sz,inf,nan"},
        ),
        ("reduction_op=fadd, fp-fast-math", {"reduction_op": "fadd", "fp_math_ctrl": "fp-fast-math"}),
        ("preserve:nan", {"fp_math_ctrl": "preserve:nan"}),
    ],
)
def test_demands_on_an_intrinsic_are_an_index_without_a_name(
    printed: str, indices: dict[str, object]
) -> None:
    record = record_of(f"32 %1 = @reduce (%0) ({printed})")
    assert isinstance(record, IntrinsicRecord)
    assert dict(record.indices) == indices


def test_calls_through_a_pointer_and_of_matrices() -> None:
    plain, pointed, matrix = (
        record_of(line)
        for line in ("call f %0, x %1", "call f (indirect %9) %0", "cmat_call_per_element f %0, %1")
    )
    assert plain == CallRecord("call", "f", plain.sources, False)  # type: ignore[union-attr]
    assert isinstance(pointed, CallRecord)
    assert pointed.is_indirect
    assert [source.number for source in pointed.sources] == [9, 0]
    assert isinstance(matrix, CallRecord)
    assert matrix.op == "cmat_call_per_element"


def test_negative_and_boolean_constants_are_bits() -> None:
    record = record_of("8x3 %1 = load_const (0xff, -1, 3)")
    assert isinstance(record, LoadConstRecord)
    assert record.values == (0xFF, 0xFF, 3)
    truth = record_of("1x2 %1 = load_const (true, false)")
    assert isinstance(truth, LoadConstRecord)
    assert truth.values == (1, 0)


def test_a_conditional_goto_has_two_targets() -> None:
    record = record_of("goto b1 if %3 else b2")
    assert isinstance(record, JumpRecord)
    assert (record.jump_kind, record.targets) == ("goto_if", (1, 2))
    assert record.condition is not None


def test_a_line_without_an_instruction_has_no_record() -> None:
    text = b"shader: MESA_SHADER_VERTEX\nname: x\n"
    node = parse_tree(text).root_node.children[0].children[0]
    assert node.type == "header_field"
    assert read_line(node, text) is None
