"""One matcher for whatever has operations: here trees as tuples."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from nirls.ir.rewriting.matching import Match, matches
from nirls.ir.rewriting.patterns import PatternConstant, PatternOperation, parse_pattern

Tree = tuple[object, ...]


class Trees:
    """Operations are `("fadd", x, y)`, copies as `("mov", x)`, constants as `(1.0,)`, values `("x:32",)`."""

    def operands(self, read: Tree, op: str) -> Sequence[Tree] | None:
        return [one for one in read[1:] if isinstance(one, tuple)] if read[0] == op else None

    def is_constant(self, read: Tree, constant: PatternConstant) -> bool:
        return read == (constant.value,)

    def bit_size(self, read: Tree) -> int:
        return int(str(read[0]).partition(":")[2] or 32)

    def origin(self, read: Tree) -> Tree:
        while read[0] == "mov":
            assert isinstance(read[1], tuple)
            read = read[1]
        return read


def match(pattern: str, tree: Tree) -> Match[Tree] | None:
    search = parse_pattern(pattern)
    assert isinstance(search, PatternOperation)
    trees = Trees()
    operands = trees.operands(tree, search.op)
    return None if operands is None else next(matches(search, operands, trees), None)


X, Y, ONE, BOOL = ("x:32",), ("y:32",), (1.0,), ("b:1",)


@pytest.mark.parametrize(
    ("pattern", "tree", "reads"),
    [
        ("fadd(a, b)", ("fadd", X, Y), {"a": X, "b": Y}),
        ("fadd(a, a)", ("fadd", X, X), {"a": X}),
        ("fadd(a, a)", ("fadd", X, Y), None),
        ("fadd(1.0, a)", ("fadd", X, ONE), {"a": X}),
        ("fsub(1.0, a)", ("fsub", X, ONE), None),
        ("fadd(a, fneg(a))", ("fadd", ("fneg", X), X), {"a": X}),
        ("fadd(a, fneg(b))", ("fadd", X, ("mov", ("fneg", ("mov", Y)))), {"a": X, "b": Y}),
        ("bcsel(a@1, b, c)", ("bcsel", BOOL, X, Y), {"a": BOOL, "b": X, "c": Y}),
        ("bcsel(a@1, b, c)", ("bcsel", X, X, Y), None),
        # The first order of the inner operands does not fit what follows.
        ("fsub(fadd(a, b), a)", ("fsub", ("fadd", X, Y), Y), {"a": Y, "b": X}),
        ("ffma(a, b, c)", ("ffma", X, Y), None),
    ],
)
def test_reads_are_bound_to_variables(pattern: str, tree: Tree, reads: dict[str, Tree] | None) -> None:
    found = match(pattern, tree)
    assert (None if found is None else found.reads) == reads


def test_the_inner_operations_are_told() -> None:
    inner = ("fneg", ("fabs", X))
    found = match("fadd(a, fneg(fabs(b)))", ("fadd", Y, inner))
    assert found is not None
    assert found.operations == (inner, ("fabs", X))
