"""Input that no printer made: huge, deep, binary. It is read in time, with no error and no crash."""

from __future__ import annotations

import pytest

from tests.ir.text.grammar.syntax_trees import nodes_of_kind, parse

DEPTH = 100_000
HEAD = b"shader: MESA_SHADER_COMPUTE\n\nimpl main {\n"


@pytest.mark.sweep
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(HEAD + b"if %0 {\n" * DEPTH + b"} else {\n}\n" * DEPTH + b"}\n", id="closed"),
        pytest.param(HEAD + b"if %0 {\n" * DEPTH, id="open"),
        pytest.param(HEAD + b"loop {\nif %0 {\n" * (DEPTH // 2) + b"}\n" * DEPTH + b"}\n", id="loops"),
    ],
)
def test_deep_nesting(text: bytes) -> None:
    tree = parse(text)
    assert not tree.root_node.has_error
    assert len(nodes_of_kind(tree, "if_statement", "loop_statement")) == DEPTH


def test_too_many_closers() -> None:
    tree = parse(HEAD + b"}\n" * DEPTH)
    assert not tree.root_node.has_error
    assert len(nodes_of_kind(tree, "function_impl")) == 1


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n\r\n \t\n",
        b"\0" * 10_000,
        bytes(range(256)) * 500,
        b"\xff\xfe\x00shader: \x80\n" * 200,
        b"shader: MESA_SHADER_VERTEX\n" + bytes(range(1, 256)) * 100,
        HEAD + bytes(range(256)) * 100 + b"\n}\n",
        b"".join(bytes([i % 256, i * 7 % 256, 10]) for i in range(20_000)),
    ],
    ids=["empty", "blank", "nul", "bytes", "utf16", "header", "body", "lines"],
)
def test_binary(text: bytes) -> None:
    tree = parse(text)
    assert not tree.root_node.has_error
    assert tree.root_node.end_byte <= len(text)


@pytest.mark.sweep
def test_a_line_of_megabytes() -> None:
    sources = b", ".join([b"%1"] * 300_000)
    tree = parse(
        HEAD
        + b"    32 %2 = vec4 "
        + sources
        + b"\n    32 %3 = vec4 "
        + sources
        + b",\n    32 %4 = undefined\n}\n"
    )
    assert not tree.root_node.has_error
    assert [node.start_point.row for node in nodes_of_kind(tree, "alu_instruction")] == [3]
    assert [node.start_point.row for node in nodes_of_kind(tree, "unreadable_line")] == [4]
    assert [node.start_point.row for node in nodes_of_kind(tree, "undef_instruction")] == [5]


def test_a_dump_cut_anywhere() -> None:
    text = (
        HEAD
        + b"    block b0:  // preds:\n"
        + b"    32x4 %1 = @load_input (%0 (0x0)) (base=0, io location=VERT_ATTRIB_POS slots=1)\n"
    )
    for end in range(len(text)):
        assert not parse(text[:end]).root_node.has_error, text[:end]
        assert not parse(text[end:]).root_node.has_error, text[end:]


def test_text_alone_is_no_error() -> None:
    text = b"v_add_f32 v0, v1, v2\n" * 5_000
    tree = parse(text)
    assert len(nodes_of_kind(tree, "text_line")) == 5_000
    assert not nodes_of_kind(tree, "dump", "unreadable_line", "ERROR")
