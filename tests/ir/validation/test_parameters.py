"""Parameters of functions, in the three ways that dialects print them."""

from __future__ import annotations

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.ir.validation.parameters import parameter_sizes


@pytest.mark.parametrize(
    ("line", "sizes"),
    [
        ("decl_function f (32x4 color, 1)", ((4, 32), (1, 1))),
        ("decl_function f (64 return) (inline)", ((1, 64),)),
        ("decl_function f (3 params)", ((0, 0),) * 3),
        ("decl_function f (0 params)", ()),
        ("decl_function f () (entrypoint)", ()),
        ("decl_function f returning void", None),
    ],
)
def test_sizes(line: str, sizes: tuple[tuple[int, int], ...] | None) -> None:
    (function,) = parse_dump(f"shader: MESA_SHADER_KERNEL\n{line}\n".encode()).functions
    assert parameter_sizes(function) == sizes
