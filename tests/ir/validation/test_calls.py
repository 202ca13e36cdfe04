from __future__ import annotations

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.ir.validation.calls import parameter_sizes


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


DUMP = """shader: MESA_SHADER_FRAGMENT
decl_function scaled (32x2, 32)
decl_function main () (entrypoint)

impl main {{
    block b0:  // preds:
    32    %0 = undefined
    32x2  %1 = undefined
    16    %2 = undefined
    {call}
          // succs: b1
    block b1:
}}
"""


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("bad-call", "call scaled %1\n    ^^^^^^^^^^^^^^"),
        ("bad-call", "call scaled %0, %0\n                ^^"),
        ("bad-call", "call scaled %1, %2\n                    ^^"),
        ("unknown-function", "call another %1, %0\n    ^^^^^^^^^^^^^^^^^^^"),
    ],
)
def test_bad(check, code: str, call: str) -> None:
    check(code, DUMP.format(call=call))


def test_good(check_clean) -> None:
    check_clean(DUMP.format(call="call scaled %1, %0"))
