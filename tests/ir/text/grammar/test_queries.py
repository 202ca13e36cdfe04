"""The queries that editors read compile, and find what they are for."""

from __future__ import annotations

import pytest
from tree_sitter import Node, Query, QueryCursor

from nirls.ir.text.grammar import LANGUAGE, query_source
from tests.ir.text.grammar.syntax_trees import parse

SHADER = b"""\
shader: MESA_SHADER_VERTEX
decl_var shader_in INTERP_MODE_NONE none vec4 position (VERT_ATTRIB_POS.xyzw, 0, 0)
decl_function main () (entrypoint)

impl main {
    decl_var  INTERP_MODE_NONE none vec4 tmp
    block b0:  // preds:
    32     %0 = deref_var &tmp (function_temp vec4)
    32x4   %1 = @load_deref (%0) (access=none)
    32     %2 = load_const (0x3f800000 = 1.000000)
    32     %3 = fadd! %1.x, %2 (1.000000)
           // succs: b1 b2
    if %3 {
        block b1:  // preds: b0, succs: b3
    } else {
        block b2:  // preds: b0
        call helper %1
        // succs: b3
    }
    broken (
}
"""


def captures(name: str) -> dict[str, list[Node]]:
    query = Query(LANGUAGE, query_source(name))
    return QueryCursor(query).captures(parse(SHADER).root_node)


def texts(found: dict[str, list[Node]], capture: str) -> list[str]:
    nodes = sorted(found.get(capture, []), key=lambda node: node.start_byte)
    return [(node.text or b"").decode() for node in nodes]


def test_highlights() -> None:
    found = captures("highlights")
    assert texts(found, "variable.definition") == ["%0", "%1", "%2", "%3"]
    assert {"deref_var", "@load_deref", "load_const", "fadd"} == set(texts(found, "function.builtin"))
    assert texts(found, "function.call") == ["helper"]
    assert "vec4" in texts(found, "type")
    assert "32x4" in texts(found, "type.builtin")
    assert "0x3f800000" in texts(found, "number")
    assert {"if", "} else {"} <= set(texts(found, "keyword.conditional"))
    assert texts(found, "error") == ["broken ("]


def test_folds() -> None:
    kinds = {(node.type, node.start_point.row) for node in captures("folds")["fold"]}
    assert {("dump", 0), ("function_impl", 4), ("block", 6), ("if_statement", 12), ("body", 15)} <= kinds


def test_locals() -> None:
    found = captures("locals")
    assert texts(found, "local.definition.var") == ["position", "tmp", "%0", "%1", "%2", "%3"]
    assert texts(found, "local.definition.label") == ["b0", "b1", "b2"]
    references = texts(found, "local.reference")
    assert references.count("%1") == 2
    assert "tmp" in references
    assert "b3" in references


def test_indents() -> None:
    found = captures("indents")
    assert {node.type for node in found["indent.begin"]} == {"function_impl", "if_statement"}
    assert texts(found, "indent.branch") == ["} else {", "}", "}"]


def test_tags() -> None:
    found = captures("tags")
    assert texts(found, "name") == ["position", "main", "main", "tmp", "tmp", "helper"]
    assert [node.type for node in found["definition.function"]] == ["function_impl"]


def test_injections() -> None:
    assert captures("injections") == {}
    query = Query(LANGUAGE, query_source("injections"))
    tree = parse(b"// nirls: pipeline x\n" + SHADER)
    assert [node.type for node in QueryCursor(query).captures(tree.root_node)["injection.content"]] == [
        "comment"
    ]


def test_unknown_query() -> None:
    with pytest.raises(FileNotFoundError):
        query_source("nonsense")
