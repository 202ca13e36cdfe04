from __future__ import annotations

import pytest

DECLARATIONS = """
decl_var uniform INTERP_MODE_NONE none sampler2D t (0, 0, 0)
decl_var uniform INTERP_MODE_NONE none vec4 v (1, 0, 0)
"""
START = """
32    %0 = deref_var &t (uniform sampler2D)
32x2  %1 = undefined
32    %2 = undefined
32    %3 = deref_var &v (uniform vec4)
"""
TEXTURE = "%0 (texture_deref), %0 (sampler_deref)"

BAD = [
    ("missing-texture-source", f"32x4  %4 = (float32)tex {TEXTURE}", 0, None),
    ("missing-texture-source", f"32x4  %4 = (float32)txb {TEXTURE}, %1 (coord)", 0, None),
    ("missing-texture-source", f"32x4  %4 = (float32)txd {TEXTURE}, %1 (coord), %1 (ddx)", 0, None),
    ("bad-texture-source", f"32x4  %4 = (float32)tex {TEXTURE}, %1 (coord), %1 (coord)", 1, "%1"),
    ("bad-texture-source", f"32x4  %4 = (float32)tex {TEXTURE}, %1 (coord), %2 (lod)", 0, "%2"),
    ("bad-texture-source", f"32x4  %4 = (float32)tex {TEXTURE}, %1 (coord), %2 (bias)", 0, "%2"),
    ("bad-texture-source", f"32x4  %4 = (float32)txl {TEXTURE}, %2 (coord), %1 (lod)", 0, "%1"),
    ("bad-texture-source", "32x4  %4 = (float32)tex %2 (texture_deref), %1 (coord)", 0, "%2"),
    (
        "bad-texture-source",
        "32x4  %4 = (float32)tex %0 (texture_deref), %3 (sampler_deref), %1 (coord)",
        0,
        "%3",
    ),
    ("bad-texture-type", f"16x4  %4 = (float32)tex {TEXTURE}, %1 (coord)", 0, "%4"),
    ("bad-texture-type", f"32x4  %4 = (float32)txs {TEXTURE}, %2 (lod)", 0, None),
    ("bad-texture-type", f"32x3  %4 = (float32)tex {TEXTURE}, %1 (coord)", 0, "%4"),
    ("bad-texture-type", f"32x2  %4 = (int32)query_levels {TEXTURE}", 0, "%4"),
]

GOOD = [
    f"32x4  %4 = (float32)tex {TEXTURE}, %1 (coord)",
    f"32x4  %4 = (float32)txb {TEXTURE}, %1 (coord), %2 (bias)",
    f"32x4  %4 = (float32)txl {TEXTURE}, %1 (coord), %2 (lod)",
    f"32x4  %4 = (float32)txd {TEXTURE}, %1 (coord), %1 (ddx), %1 (ddy)",
    f"16x4  %4 = (float16)tex {TEXTURE}, %1 (coord)",
    f"32    %4 = (float32)tex {TEXTURE}, %1 (coord), %2 (comparator)",
    f"32x2  %4 = (int32)txs {TEXTURE}, %2 (lod)",
    f"32    %4 = (int32)query_levels {TEXTURE}",
]


@pytest.mark.parametrize(("code", "line", "repetition", "name"), BAD)
def test_bad(check, code: str, line: str, repetition: int, name: str | None) -> None:
    if name is None:
        carets = "^" * len(line)
        if code == "bad-texture-type":
            # the type and the width are both wrong
            line = line.replace("32x4", "32x2")
    else:
        start = -1
        for _ in range(repetition + 1):
            start = line.index(name, start + 1)
        carets = " " * start + "^" * len(name)
    severity = "warning" if "(float32)txs" in line else ""
    check(code, f"{START}{line}\n{carets}\n", declarations=DECLARATIONS, severity=severity)


@pytest.mark.parametrize("line", GOOD)
def test_good(check_clean, line: str) -> None:
    check_clean(f"{START}{line}\n", declarations=DECLARATIONS)


def test_unknown_operation(check) -> None:
    check(
        "unknown-opcode",
        f"{START}32x4  %4 = (float32)txquux %1 (coord)\n{' ' * 20}^^^^^^\n",
        declarations=DECLARATIONS,
    )
