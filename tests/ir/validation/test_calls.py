from __future__ import annotations

import pytest

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
